// @alone: it counts what the process sends.
// What pages answer beside paying: what is gone, closed or not secure, other methods and other bodies, languages, headers, compression, and what
// a page costs.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { changeRows } from '../../support/rows.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { DAY } from '../../support/shop.ts'
import { ADDRESS, CARD, cardOf, load, openPageShop, post, send } from './support.ts'

const connection = await cloneDatabase()
const app = await testApp({ trustProxy: ['127.0.0.1'], connection })
/** The same shops, served where the disk has never as much room as is wanted. */
const full = await testApp({ minFreeDiskMb: 2 ** 40, connection })
const shop = await openPageShop(app)

const isPage = (headers: Readonly<Record<string, unknown>>) => headers['content-type'] === 'text/html; charset=utf-8'

describe('a page', () => {
  it('of a token that never was, has expired, or is of another shop is gone, whatever is asked of it', async () => {
    const [token, other] = [await shop.digital(), await openPageShop(app)]
    const expired = await shop.digital()
    const paths = [
      shop.path({ id: `chkt_${'0'.repeat(26)}` }),
      shop.path({ id: 'chkt_%00' }),
      other.path(token),
      `/checkout/999999/pay/${token.id}`,
      `/checkout/none/pay/${token.id}`,
    ]
    for (const path of paths) {
      const answers = [await load(app, path), await post(app, path, { do: 'pay' }), await load(app, `${path}/receipt`)]
      for (const { status, headers } of answers) expect([path, status, isPage(headers)]).toEqual([path, 404, true])
    }
    app.clock.advance(8 * DAY)
    for (const page of [await shop.open(expired), await post(app, shop.path(expired), { ...CARD, do: 'pay' })])
      expect([page.status, page.text]).toEqual([404, expect.stringContaining('not open any more')])
  })

  it('that does not exist, or not by that method, is a page too', async () => {
    const token = await shop.digital()
    const wrong = await load(app, `${shop.path(token)}/elsewhere`)
    expect([wrong.status, isPage(wrong.headers)]).toEqual([404, true])
    for (const method of ['PUT', 'DELETE', 'PATCH'] as const) {
      const { statusCode, headers } = await app.server.inject({ method, url: shop.path(token) })
      expect([statusCode, headers.allow, isPage(headers)]).toEqual([405, 'GET, HEAD, POST', true])
    }
  })

  it('answers HEAD as GET, without a body', async () => {
    const token = await shop.digital()
    for (const below of ['', '/receipt', '/wait', '/continue', '/back']) {
      const [head, get] = await Promise.all(
        (['HEAD', 'GET'] as const).map((method) => app.server.inject({ method, url: shop.path(token, below) })),
      )
      expect([below, head?.statusCode, head?.body]).toEqual([below, get?.statusCode, ''])
    }
  })

  it('of a closed shop says so, and takes no payment', async () => {
    const own = await openPageShop(app)
    const token = await own.digital()
    const page = await own.open(token)
    await changeRows(app.db, 'update merchants set is_disabled = true', { merchant_id: own.id })
    for (const closed of [await own.open(token), await send(app, own.path(token), page, CARD, 'pay')])
      expect([closed.status, closed.text]).toEqual([402, expect.stringContaining('closed')])
  })

  it('of a live shop is shown over HTTPS alone', async () => {
    const live = shop.keys.live.public
    const product = await shop.product({ delivery: { physical: false } })
    const cart = await shop.cart([{ id: product.id }], live)
    const token = await shop.ofCart(cart.id, live)
    for (const below of ['', '/receipt', '/wait', '/continue', '/back'])
      expect((await load(app, shop.path(token, below))).status).toBe(403)
    expect((await post(app, shop.path(token), { ...CARD, do: 'pay' })).status).toBe(403)
    const secure = { headers: { 'x-forwarded-proto': 'https' } }
    expect((await load(app, shop.path(token), secure)).status).toBe(200)
  })

  it('takes forms alone, of a bearable size, and nothing that no browser sends', async () => {
    const token = await shop.digital()
    const url = shop.path(token)
    const ask = async (payload: string, type = 'application/x-www-form-urlencoded') => {
      const answer = await app.server.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
      expect(isPage(answer.headers)).toBe(true)
      // The last of several inputs with one name counts.
      expect(answer.body).not.toContain('value="first"')
      return answer.statusCode
    }
    expect(await ask('customer%5Bemail%5D=first&customer%5Bemail%5D=last')).toBe(200)
    expect(await ask('{}', 'application/json')).toBe(415)
    expect(await ask('--x--', 'multipart/form-data; boundary=x')).toBe(415)
    expect(await ask(`a=${'x'.repeat(140_000)}`)).toBe(413)
    expect(await ask('customer%5Bemail%5D=%00')).toBe(400)
    expect(await ask('customer%5Bemail%5D=%E0%A4')).toBe(400)
    expect(await ask(Array.from({ length: 2_100 }, (_, index) => `f${index}=`).join('&'))).toBe(400)
    expect(await ask('__proto__%5Bpolluted%5D=1&constructor%5Bprototype%5D%5Bx%5D=1&do=update')).toBe(200)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('is kept by nobody, framed by nobody, and loads nothing from elsewhere', async () => {
    const token = await shop.digital()
    const { headers } = await shop.open(token)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(policy).not.toMatch(/unsafe|https:|\*/)
    expect(headers['permissions-policy']).toContain('camera=()')
  })

  it('goes out compressed to who takes it', async () => {
    const token = await shop.shipped()
    const plain = await shop.open(token)
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const headers = { 'accept-encoding': `${encoding}, *;q=0.1` }
      const answer = await app.server.inject({ url: shop.path(token), headers })
      expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([encoding, 'accept-encoding'])
      expect(unpack(answer.rawPayload).toString()).toBe(plain.html)
    }
  })

  it('speaks the language of its address, of its form, or of the browser, and keeps it', async () => {
    const token = await shop.digital()
    const languageOf = ({ html }: { html: string }) => /<html lang="(\w+)"/.exec(html)?.[1]
    const german = { headers: { 'accept-language': 'tlh, de-AT;q=0.9, en;q=0.8' } }
    expect(languageOf(await load(app, shop.path(token), german))).toBe('de')
    expect(languageOf(await load(app, `${shop.path(token)}?lang=fr`, german))).toBe('fr')
    expect(languageOf(await load(app, `${shop.path(token)}?lang=xx`, german))).toBe('de')
    expect(languageOf(await load(app, shop.path(token)))).toBe('en')
    const typed = { lang: 'ja', 'customer[email]': 'ada@example.com', ...CARD, do: 'pay' }
    const paid = await post(app, shop.path(token), typed, german)
    expect(paid.location).toBe(shop.path(token, '/receipt?lang=ja'))
    expect(languageOf(await load(app, `/checkout/${shop.id}/pay/none`, german))).toBe('de')
  })

  it('that fails tells the id by which the cause is found, and nothing else', async () => {
    const token = await shop.digital()
    const many = app.db.maybe
    Object.assign(app.db, { maybe: () => Promise.reject(new Error('a secret cause')) })
    const failed = await shop.open(token).finally(() => Object.assign(app.db, { maybe: many }))
    expect([failed.status, isPage(failed.headers)]).toEqual([500, true])
    expect(failed.text).toContain(String(failed.headers['x-request-id']))
    expect(failed.html).not.toContain('secret cause')
    expect(app.logged.join('')).toContain('a secret cause')
  })

  it('takes no order while the disk is full, says so as the API does, and keeps what was typed', async () => {
    const token = await shop.shipped()
    const product = await shop.product()
    const page = await shop.open(token)
    expect((await load(full, shop.path(token))).status).toBe(200)
    const updated = await send(full, shop.path(token), page, ADDRESS, 'update')
    expect([updated.status, updated.form]).toMatchObject([200, ADDRESS])
    const refused = await send(full, shop.path(token), page, { ...ADDRESS, ...CARD }, 'pay')
    expect([refused.status, refused.headers['retry-after'], isPage(refused.headers)]).toEqual([503, '60', true])
    expect(refused.text).toContain('The payment did not go through, and you have not been charged.')
    expect(refused.form).toMatchObject(ADDRESS)
    const path = `/checkout/${shop.id}/${product.permalink}?sandbox=true`
    expect((await load(full, path)).status).toBe(200)
    const bought = await post(full, path, { quantity: '1' })
    expect([bought.status, bought.headers['retry-after'], isPage(bought.headers)]).toEqual([503, '60', true])
    // There is room again.
    expect((await send(app, shop.path(token), page, { ...ADDRESS, ...CARD }, 'pay')).status).toBe(303)
  })

  it('tells who asks too much when to come again', async () => {
    const busy = await testApp({ clientRequestsPerSecond: 0.5, trustProxy: ['127.0.0.1', '203.0.113.7'] })
    const own = await busy.merchant()
    const url = `/checkout/${own.id}/pay/chkt_${'0'.repeat(26)}`
    let last = await load(busy, url, { remoteAddress: '203.0.113.7' })
    for (let asked = 1; asked < 60 && last.status === 404; asked++)
      last = await load(busy, url, { remoteAddress: '203.0.113.7' })
    const answer = [last.status, isPage(last.headers), Number(last.headers['retry-after'])]
    expect(answer).toEqual([429, true, expect.any(Number)])
    expect((await load(busy, url, { remoteAddress: '198.51.100.1' })).status).toBe(404)
  })
})

describe('what a page costs', () => {
  /** Beside the heartbeat's. */
  const statementsOf = async (work: () => Promise<unknown>) =>
    (await roundTripsOf(work))
      .flatMap(({ statements }) => statements.map(({ name = '' }) => name))
      .filter((name) => name !== '' && !name.startsWith('heartbeat'))

  it('is three statements to show, and three to update; one more for what a waiting attempt holds, or for a code', async () => {
    const code = await shop.discount({ code: 'COSTS', type: 'percentage', value: 10 })
    const token = await shop.shipped()
    const page = await shop.open(token)
    await send(app, shop.path(token), page, ADDRESS, 'update')
    const show = await statementsOf(() => shop.open(token))
    expect(show).toEqual(['checkouts.find_for_page', 'checkouts.find', 'checkouts.find_capture_facts'])
    expect(await statementsOf(() => send(app, shop.path(token), page, ADDRESS, 'update'))).toEqual(show)
    const typed = { ...ADDRESS, discount_code: code.code }
    expect(await statementsOf(() => send(app, shop.path(token), page, typed, 'update'))).toHaveLength(4)
    await send(app, shop.path(token), page, { ...ADDRESS, ...cardOf('3220') }, 'pay')
    expect(await statementsOf(() => shop.open(token))).toHaveLength(4)
  })
})
