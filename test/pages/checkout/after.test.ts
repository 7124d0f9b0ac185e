// After the form was sent: on to a provider and back from it, waiting for what nobody knows yet, and the receipt. ordered-cart.test.ts has who
// approves at the provider, who closes the tab, and a payment that came to nothing.

import { describe, expect, it } from 'vitest'
import { forgetDrafts } from '../../../src/api/capture/store.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { DAY } from '../../support/shop.ts'
import { ADDRESS, backIn, CARD, cardOf, follow, load, openPageShop, post, refreshOf } from './support.ts'

const app = await testApp()
const shop = await openPageShop(app)
const { secret } = shop.keys.sandbox
await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect' }, secret)

const receiptOf = (token: { id: string }) => shop.succeed<Order>(200, 'GET', `checkouts/${token.id}/receipt`)

/** A shopper who is on the provider's page. */
async function atProvider(token: { id: string }, more: Readonly<Record<string, string>> = {}) {
  const page = await shop.open(token)
  const typed = { ...ADDRESS, ...more, 'payment[gateway]': 'test_redirect' }
  const sent = await shop.pay(token, typed, page)
  expect([sent.status, sent.location]).toEqual([
    303,
    expect.stringMatching(new RegExp(`^${shop.path(token)}/continue\\?payment=atmpt_\\w+&lang=en$`)),
  ])
  const on = await follow(app, sent)
  const { url } = refreshOf(on)
  expect(on.html).toContain(`href="${url}"`)
  const back = backIn(await load(app, url))
  const decide = (how: 'approve' | 'decline') => post(app, `${url}/${how}`, {})
  return { url, back, decide }
}

describe('a shopper who pays elsewhere', () => {
  it('and declines it comes back to the form, filled in as it was, and can pay in another way', async () => {
    const token = await shop.shipped()
    const { back, decide } = await atProvider(token, { 'shipping[street_2]': 'Second floor' })
    await decide('decline')
    const form = await follow(app, await load(app, back))
    expect(form.status).toBe(200)
    expect(form.text).toContain('The payment was declined.')
    expect(form.form).toMatchObject({ ...ADDRESS, 'shipping[street_2]': 'Second floor' })
    const paid = await shop.pay(token, CARD, form)
    expect(paid.location).toBe(shop.path(token, '/receipt?lang=en'))
  })

  it('and comes back without having decided finds the form as it was, and may go there again', async () => {
    const token = await shop.shipped()
    const { back, url } = await atProvider(token)
    const form = await follow(app, await load(app, back))
    expect(form.form).toMatchObject(ADDRESS)
    expect(form.text).toMatch(/not been charged/)
    const again = await shop.pay(token, { 'payment[gateway]': 'test_redirect' }, form)
    const on = await follow(app, again)
    expect(refreshOf(on).url).toMatch(/^\/test-gateway\//)
    await post(app, `${refreshOf(on).url}/approve`, {})
    expect((await load(app, `${url}`)).text).toMatch(/approved|called off/)
  })

  it('sees what was typed by nobody else: another token, another attempt, and none at all show an empty form', async () => {
    const [token, other] = [await shop.shipped(), await shop.shipped()]
    const { back } = await atProvider(token)
    const attempt = new URL(back, 'http://shop').searchParams.get('payment')
    for (const form of [await shop.open(other, `?payment=${attempt}`), await shop.open(token)])
      expect(form.form['customer[email]'] ?? '').toBe('')
    expect((await shop.open(token, `?payment=${attempt}`)).form).toMatchObject(ADDRESS)
    expect((await load(app, shop.path(other, `/back?payment=${attempt}`))).status).toBe(404)
  })

  it('is forgotten after a day', async () => {
    const token = await shop.shipped()
    const { back, decide } = await atProvider(token)
    await decide('decline')
    const page = (await load(app, back)).location ?? ''
    expect((await load(app, page)).form).toMatchObject(ADDRESS)
    const moment = () => new Date(app.clock.now().getTime() - DAY * 1_000)
    await forgetDrafts(app.db, moment(), 100)
    expect((await load(app, page)).form).toMatchObject(ADDRESS)
    app.clock.advance(DAY + 1)
    expect(await forgetDrafts(app.db, moment(), 100)).toBeGreaterThan(0)
    expect((await load(app, page)).form['customer[email]'] ?? '').toBe('')
  })
})

describe('a storefront of its own', () => {
  /** It sends a shopper to the provider itself. `back`: where they come back to. */
  async function sendElsewhere(token: { id: string }) {
    const body = { customer: { email: 'ada@example.com' }, payment: { gateway: 'test_redirect' } }
    const sent = (await shop.call('POST', `checkouts/${token.id}`, body)).body
    const { redirect_url: url, paykey } = sent as { redirect_url: string; paykey: string }
    return { provider: new URL(url).pathname, back: shop.path(token, `/back?payment=${paykey}`) }
  }

  it('has its shoppers come back to a page that says what has come of it', async () => {
    const token = await shop.digital({ thank_you_url: 'https://store.example/thanks' })
    const { provider, back } = await sendElsewhere(token)
    const open = await load(app, back)
    expect([open.status, open.text]).toEqual([200, expect.stringContaining('Not paid yet')])
    expect(open.html).toContain('href="/test-gateway/')
    await post(app, `${provider}/approve`, {})
    const paid = await load(app, back)
    expect([paid.status, paid.text]).toEqual([200, expect.stringContaining('Thank you for your order')])
    expect(paid.html).toContain('href="https://store.example/thanks"')
  })

  it('is told of a decline, and not sent to a form that it does not use', async () => {
    const { provider, back } = await sendElsewhere(await shop.digital())
    await post(app, `${provider}/decline`, {})
    const declined = await load(app, back)
    expect([declined.status, declined.text]).toEqual([200, expect.stringContaining('The payment was declined.')])
  })
})

describe('a payment of which nobody knows yet', async () => {
  // A card that hangs is waited for by nobody for long; it is done by the clock of the test after that.
  const settleSeconds = 2
  const slow = await testApp({ captureSettleSeconds: settleSeconds })
  const own = await openPageShop(slow)

  it('is waited for, and becomes the receipt; after a minute the shopper need not stay', async () => {
    const token = await own.digital()
    const typed = { 'customer[email]': 'ada@example.com', ...cardOf('0440') }
    const sent = await own.pay(token, typed)
    expect(sent.location).toMatch(/\/wait\?payment=atmpt_\w+&lang=en$/)
    const waiting = await follow(slow, sent)
    expect([waiting.status, refreshOf(waiting).seconds]).toEqual([200, '3'])
    expect(waiting.text).toContain('Your payment is being checked')
    expect((await load(slow, own.path(token))).location).toMatch(/\/wait\?payment=atmpt_/)
    slow.clock.advance(settleSeconds + 1)
    let page = await follow(slow, sent)
    while (page.status === 303) page = await follow(slow, page)
    const order = await own.succeed<Order>(200, 'GET', `checkouts/${token.id}/receipt`)
    expect(page.text).toContain(order.customer_reference)
  })
})

describe('a receipt', () => {
  it('is there when the token has long expired, and not before it was paid', async () => {
    const token = await shop.digital()
    expect((await load(app, shop.path(token, '/receipt'))).location).toBe(shop.path(token))
    await shop.pay(token, { 'customer[email]': 'ada@example.com', ...CARD })
    app.clock.advance(30 * DAY)
    const receipt = await load(app, shop.path(token, '/receipt'))
    const { customer_reference: number } = await receiptOf(token)
    expect([receipt.status, receipt.text]).toEqual([200, expect.stringContaining(number)])
  })
})
