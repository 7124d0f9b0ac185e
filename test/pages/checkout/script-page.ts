// A page as the scripts expect it (web/checkout/ways.ts), from a server of a few lines that can be slow, wrong or gone when a test wants it: what
// the scripts do with an answer is tried here, what is in the answers elsewhere.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll } from 'vitest'
import { assetFiles, assetPath } from '../../../src/pages/assets.ts'
import { policyOf } from '../../../src/pages/policy.ts'
import { listenOn } from '../../support/waiting.ts'

type Sent = { readonly path: string; readonly form: URLSearchParams; readonly isFragment: boolean }

const KEYS = { publishable_key: 'pk_test_double' }

/** `way`: that of a provider, beside the card of ours. */
function pageOf(form: URLSearchParams, { note = '', way = '', isAnswer = false } = {}): string {
  const value = (name: string) => (form.get(name) ?? '').replaceAll('"', '')
  const quantity = Number(value('line_items[item_1][quantity]') || 1)
  const minor = quantity * 1_000 - (value('discount_code') === 'TEN' ? 100 : 0)
  const country = value('shipping[country]')
  const gateway = value('payment[gateway]') || 'test_gateway'
  const radio = (code: string) =>
    `<label><input type="radio" name="payment[gateway]" value="${code}"${gateway === code ? ' checked' : ''}>${code}</label>`
  const script = assetPath(`${way}.js`)
  const town = `<label>Town <input name="shipping[town_city]" value="${value('shipping[town_city]')}"></label>`
  const zip = `<label>Postal code <input name="shipping[postal_zip_code]" value="${value('shipping[postal_zip_code]')}"></label>`
  const state =
    '<label>State <select name="shipping[county_state]"><option>CA</option><option>NY</option></select></label>'
  // Each country has its own order.
  const fields = country === 'US' ? [town, state, zip] : [zip, town]
  return `<!doctype html><html lang="en"><head><title>Checkout ${minor}</title><script type="module" src="${assetPath('enhance.js')}"></script></head><body>
<div data-status role="status"></div><div data-live="problems">${note && `<p tabindex="-1" data-problems role="alert">${note}</p>`}</div>
<form method="post" action="/pay" data-checkout data-token="chkt_1" data-language="de"${isAnswer ? ' data-typed' : ''}
 data-say-offline="offline" data-say-updating="updating" data-say-paying="paying" data-say-unavailable="unavailable" data-say-closed="closed">
<input type="hidden" name="expected_total" value="${minor}">
<label>E-mail <input name="customer[email]" value="${value('customer[email]')}"></label>
<div data-live="address"><label>Country <select name="shipping[country]"><option value="">-</option>${['DE', 'US']
    .map((code) => `<option${code === country ? ' selected' : ''}>${code}</option>`)
    .join('')}</select></label>
${fields.map((field) => `<div>${field}</div>`).join('')}</div>
<label>Quantity <input type="number" name="line_items[item_1][quantity]" value="${quantity}"></label>
<label>Code <input name="discount_code" value="${value('discount_code')}"></label> <label>Gift card <input name="giftcard_code"></label>
<div data-live="sums"><p role="status">Total ${minor}</p><data data-charge data-amount="${(minor / 100).toFixed(2)}" data-minor="${minor}" data-currency="EUR"></data></div>
<div data-live="ways">${radio('test_gateway')}<label>Card number <input name="payment[card][number]" autocomplete="cc-number"></label>
${way && `${radio(way)}<div data-way="${way}" data-value="${way}" data-script="${script}" data-settings='${JSON.stringify(KEYS)}'><div data-mount>${'Loading'}</div><p role="alert" data-problem></p></div>`}</div>
<p data-without-script>needs scripting</p><p data-with-script hidden>with scripting</p>
<button name="do" value="update">Update</button> <button name="do" value="pay">Pay</button></form></body></html>`
}

/** Each POST waits until the test lets it go on, where `isHeld`. `note`: a problem that answers tell. */
export async function openScriptPage(way = '') {
  const sent: Sent[] = []
  const waiting: (() => void)[] = []
  const state = { isHeld: false, isGone: false, note: '', status: 200 }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname: path } = new URL(request.url ?? '/', 'http://page')
    const file = assetFiles().get(path.split('/').at(-1) ?? '')
    if (file !== undefined) return void response.writeHead(200, { 'content-type': file.type }).end(file.uncompressed)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const isPost = request.method === 'POST'
    if (isPost) sent.push({ path, form, isFragment: request.headers['x-fragment'] === '1' })
    if (state.isGone) return void request.socket.destroy()
    if (isPost && state.isHeld) await new Promise<void>((resolve) => waiting.push(resolve))
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(way === '' ? [] : [{ code: way, simulated: null }], { is_sandbox: true })
        .content,
    }
    if (path === '/straight') return void response.writeHead(200, headers).end(STRAIGHT())
    if (isPost && form.get('do') === 'pay' && state.status === 200)
      return void response.writeHead(303, { location: '/paid' }).end()
    if (path === '/paid') return void response.writeHead(200, headers).end(PAID())
    response
      .writeHead(isPost ? state.status : 200, headers)
      .end(pageOf(form, { note: isPost ? state.note : '', way, isAnswer: isPost }))
  }

  const server = createServer((request, response) => void answer(request, response))
  const port = await listenOn(server)
  afterAll(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    state,
    sent,
    waiting,
    /** Lets all that wait go on. */
    goOn: () => {
      for (const each of waiting.splice(0)) each()
    },
    reset: () => {
      sent.length = 0
      Object.assign(state, { isHeld: false, isGone: false, note: '', status: 200 })
    },
  }
}

const head = () =>
  `<!doctype html><html lang="en"><head><title>-</title><script type="module" src="${assetPath('enhance.js')}"></script></head>`
const STRAIGHT = () =>
  `${head()}<body><form method="post" action="/paid" data-straight-on><button>Buy</button></form></body></html>`
const PAID = () => `${head()}<body><h1 data-paid="chkt_1">Paid</h1></body></html>`
