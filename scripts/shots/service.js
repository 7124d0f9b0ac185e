// A separate service for screenshots, in a temporary folder, with the demo shop and a morning's orders.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../bin/cartwright.js', import.meta.url))
const PATIENCE_MS = 180_000

export async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'cartwright-shots-'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [COMMAND, 'start'], {
    env: { ...process.env, PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'warn', DATABASE_URL: '', SMTP_URL: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await answering(origin, child)
    const demo = JSON.parse(readFileSync(join(folder, 'demo-keys.json'), 'utf8'))
    const call = callerOf(origin, demo.keys.sandbox.secret)
    return { origin, merchantId: demo.id, keys: demo.keys, login: demo.dashboard, call, stop, ...ordersOf(call) }
  } catch (error) {
    await stop()
    throw error
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function answering(origin, child) {
  const until = Date.now() + PATIENCE_MS
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`)
    const answer = await fetch(`${origin}/health/ready`).catch(() => null)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('The service did not answer.')
}

const callerOf = (origin, key) => async (method, path, body) => {
  const answer = await fetch(`${origin}/v1/${path}`, {
    method,
    headers: { 'x-authorization': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
  return text === '' ? null : JSON.parse(text)
}

const ADDRESS = {
  street: '1 Main Street',
  town_city: 'Vancouver',
  county_state: 'BC',
  postal_zip_code: 'V6B 1A1',
  country: 'CA',
}
const CARD = { number: '4242 4242 4242 4242', expiry_month: '01', expiry_year: '2035', cvc: '123' }

function ordersOf(call) {
  /** `things`: pairs of [permalink, quantity]. `isByTransfer`: the order is paid later, by hand. */
  async function order(name, things, isByTransfer = false) {
    const cart = await call('GET', 'carts')
    for (const [permalink, quantity] of things) {
      const product = await call('GET', `products/${permalink}?type=permalink`)
      const options = Object.fromEntries(product.variant_groups.map(({ id, options: [first] }) => [id, first.id]))
      await call('POST', `carts/${cart.id}`, { id: product.id, quantity, options })
    }
    const token = (await call('GET', `checkouts/${cart.id}?type=cart`)).id
    const ways = await call('GET', `checkouts/${token}/helper/shipping_options?country=CA&region=BC`)
    const manual = isByTransfer && (await call('GET', 'gateways?limit=50')).data.find(({ code }) => code === 'manual')
    const [firstname, lastname] = name.split(' ')
    return call('POST', `checkouts/${token}`, {
      customer: { email: `${firstname.toLowerCase()}@example.com`, firstname, lastname },
      shipping: { name, ...ADDRESS },
      ...(ways.length === 0 ? {} : { fulfillment: { shipping_method: ways[0].id } }),
      payment: isByTransfer
        ? { gateway: 'manual', manual: { id: manual.id } }
        : { gateway: 'test_gateway', card: CARD },
    })
  }

  /** Creates the orders that a shop has to handle after a morning. */
  async function fillOrders() {
    await order('Ada Lovelace', [
      ['stoneware-mug', 2],
      ['wooden-spoons', 1],
    ])
    await order('Omar Haddad', [['wool-blanket', 1]])
    await order('Mei Tanaka', [
      ['desk-lamp', 1],
      ['beeswax-candles', 3],
    ])
    await order('Ruth Oakfield', [['round-teapot', 1]], true)
    await order('Jonas Weber', [['stoneware-mug', 4]])
    return order('Priya Nair', [
      ['bud-vase', 2],
      ['linen-cushion', 1],
    ])
  }
  return { order, fillOrders }
}
