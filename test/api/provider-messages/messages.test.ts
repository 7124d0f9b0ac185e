// The address to which a provider sends its messages, with a server in Stripe's place: proven or refused, read once, and nothing believed that
// the provider does not say again when it is asked.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { findKeptMethod, type KeptMethod } from '../../../src/api/payment-methods/store.ts'
import { sweepUndecidedPayments } from '../../../src/api/provider-messages/look.ts'
import { messageNoter } from '../../../src/api/provider-messages/note.ts'
import { sweepOldMessages } from '../../../src/api/provider-messages/store.ts'
import { payBy } from '../../gateways/every-provider/provider.ts'
import { openProviders, openToldShop, paymentOf } from '../../gateways/every-provider/shop.ts'
import { openStripeProvider } from '../../gateways/every-provider/stripe.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { runOrderJobs } from '../orders/support.ts'

const opened = await openProviders(openStripeProvider)
const { app } = opened
const [provider] = opened.providers
if (provider === undefined) throw new Error('There is one.')
const { stripe } = provider
const shop = await openToldShop(opened, provider)
const { secret, gateway, token, read, send, noted, asked } = shop
const card = (payment_method_id: string) => payBy('stripe', { payment_method_id })
const buy = async (name = 'pm_card_visa') => shop.order(await token(), card(name))

type Message = Parameters<typeof send>[0]
const signed = (event: { body: string }) => stripe.signedMessage(event)
const lastOf = (type: string) => {
  const event = stripe.events.findLast((each) => each.type === type)
  if (event === undefined) throw new Error(`Stripe has told of no ${type}.`)
  return event
}
const tell = async (type: string) => {
  const answer = await send(signed(lastOf(type)))
  expect([answer.statusCode, answer.body]).toEqual([200, '{"received":true}'])
  await runOrderJobs(app, shop.id)
}

describe('a message', () => {
  it('whose signature is missing, wrong, of another body or too old is refused, and nobody is asked (F22, F23)', async () => {
    await buy()
    const event = lastOf('payment_intent.succeeded')
    const good = signed(event)
    const before = [asked(), await noted()]
    const bad: Message[] = [
      { ...good, headers: {} },
      { ...good, headers: { 'stripe-signature': 't=1,v1=00' } },
      stripe.signedMessage(event, { secrets: ['whsec_other'] }),
      stripe.signedMessage(event, { at: new Date(app.clock.now().getTime() - 301_000) }),
      { ...good, body: Buffer.from(event.body.replace('"evt_', ' "evt_')) },
    ]
    for (const message of bad) expect((await send(message)).statusCode).toBe(400)
    expect([asked(), await noted()]).toEqual(before)
    expect(app.logged.join('')).not.toContain('whsec_')
  })

  it('to a gateway that is not there, or has no provider, is 404', async () => {
    const manual = await shop.succeed<GatewayRecord>(
      201,
      'POST',
      'gateways',
      { code: 'manual', config: { name: 'Cash' } },
      secret,
    )
    await buy()
    const message = signed(lastOf('payment_intent.succeeded'))
    for (const id of [manual.id, `gway_${'0'.repeat(26)}`, 'x'])
      expect((await send(message, `/gateway-webhooks/${shop.id}/${id}`)).statusCode).toBe(404)
    expect(manual.webhook_path).toBeNull()
    const other = await app.merchant()
    expect((await send(message, `/gateway-webhooks/${other.id}/${gateway.id}`)).statusCode).toBe(404)
  })

  it('that comes three times at once, and again later, is read once (F19)', async () => {
    await buy()
    await tell('payment_intent.succeeded').catch(() => undefined)
    await buy()
    const before = await noted()
    const message = signed(lastOf('payment_intent.succeeded'))
    const answers = await Promise.all([send(message), send(message), send(message)])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    await runOrderJobs(app, shop.id)
    const asks = asked()
    expect((await send(message)).statusCode).toBe(200)
    await runOrderJobs(app, shop.id)
    expect(asked()).toBe(asks)
    expect((await noted()) - before).toBe(1)
  })

  it('about nothing of ours is taken, and nobody is asked (F24)', async () => {
    const before = asked()
    const body = JSON.stringify({
      id: 'evt_elsewhere',
      object: 'event',
      type: 'payment_intent.succeeded',
      livemode: false,
      data: { object: { id: 'pi_elsewhere', object: 'payment_intent', metadata: {} } },
    })
    expect((await send(signed({ body }))).statusCode).toBe(200)
    await runOrderJobs(app, shop.id)
    expect(asked()).toBe(before)
  })

  it('that a payment has failed changes nothing of one that is paid: Stripe is asked (F20)', async () => {
    const order = await buy()
    const body = lastOf('payment_intent.succeeded').body.replace(
      'payment_intent.succeeded',
      'payment_intent.payment_failed',
    )
    expect((await send(signed({ body: body.replace(/"id":"evt_[^"]*"/, '"id":"evt_reordered"') }))).statusCode).toBe(
      200,
    )
    await runOrderJobs(app, shop.id)
    expect((await read(order)).status_payment).toBe('paid')
  })
})

describe('messages of one moment', async () => {
  /** Others run beside it. */
  const ITS_OWN = /^(payment_methods|provider_messages|jobs\.enqueue)/
  /** The round trips of `work`, each as the names of its statements. */
  const tripsOf = async (work: () => Promise<unknown>) =>
    (await roundTripsOf(work))
      .map(({ statements }) => statements.map(({ name, text }) => name ?? text))
      .filter((names) => names.some((name) => ITS_OWN.test(name)))
  const note = messageNoter(app)
  const method = await findKeptMethod(app.db, { merchantId: shop.id }, gateway.id)
  let count = 0
  const heard = (order: Order, id = `evt_heard_${++count}`) => ({
    merchantId: shop.id,
    methodId: gateway.id,
    id,
    method: method as KeptMethod,
    subject: {
      key: stripe.intents.get(paymentOf(order))?.metadata.cartwright_attempt ?? null,
      transactionId: paymentOf(order),
    },
  })
  const NOTED = ['provider_messages.note', 'capture.find_attempt', 'provider_messages.find_order']

  it('are noted in two round trips, however many, after one that finds their gateway', async () => {
    const [one, other] = [await buy(), await buy()]
    const message = shop.message('moved', { key: null, id: paymentOf(one) })
    expect(await tripsOf(() => send(message))).toEqual([
      ['payment_methods.find_kept'],
      ['begin', ...NOTED],
      ['jobs.enqueue', 'commit'],
    ])
    const before = await noted()
    const twice = [heard(one), heard(other)].flatMap((each) => [each, each])
    expect(await tripsOf(() => Promise.all(twice.map(note)))).toEqual([
      ['begin', ...twice.flatMap(() => NOTED)],
      ['jobs.enqueue', 'jobs.enqueue', 'commit'],
    ])
    expect((await noted()) - before).toBe(2)
  })

  it('are noted each for itself where one of them cannot be', async () => {
    const [order, before] = [await buy(), await noted()]
    const answers = await Promise.allSettled([heard(order, 'evt_\u0000'), heard(order)].map(note))
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect((await noted()) - before).toBe(1)
  })
})

describe('a payment whose shopper is at the bank', () => {
  it('and of whom Stripe tells in the meantime, is looked at again; nothing is made of it before the shopper is back (F18)', async () => {
    const bought = await token()
    expect((await shop.capture(bought, card('pm_card_threeDSecure2Required'))).status).toBe(402)
    await tell('payment_intent.requires_action')
    expect((await shop.call('GET', `checkouts/${bought.id}/receipt`)).status).toBe(404)
    // Nobody comes back: it is called off.
    app.clock.advance(16 * 60)
    const worker = app.startJobs()
    await expect.poll(() => [...stripe.intents.values()].at(-1)?.status).toBe('canceled')
    await worker.stop()
  })
})

describe('what was done in the dashboard of the provider', () => {
  it('a refund stands in the order once, and can be followed by one from here (F44)', async () => {
    const order = await buy()
    stripe.refundByHand(paymentOf(order), 400)
    await tell('charge.refunded')
    const [refund] = (await read(order)).refunds
    expect(refund).toMatchObject({ amount: { raw: 4 } })
    expect((await read(order)).status_payment).toBe('partially_refunded')
    await runOrderJobs(app, shop.id)
    expect((await read(order)).refunds).toHaveLength(1)
    expect(await shop.refund(order)).toMatchObject({ status: 200, body: { status_payment: 'refunded' } })
    expect(stripe.refunds.filter(({ intent }) => intent === paymentOf(order)).map(({ amount }) => amount)).toEqual([
      400, 600,
    ])
  })

  it('a refund of ours that fails days later turns the order back into a paid one (F45)', async () => {
    const order = await buy()
    expect((await shop.refund(order)).status).toBe(200)
    const [refund] = stripe.refunds.filter(({ intent }) => intent === paymentOf(order))
    stripe.failRefund(refund?.id ?? '')
    await tell('refund.failed')
    const now_ = await read(order)
    expect(now_.status_payment).toBe('paid')
    expect(now_.transactions).toMatchObject([
      { type: 'charge', status: 'complete' },
      { type: 'refund', status: 'failed' },
    ])
  })

  it('a dispute stands in the order, by its own state (F47)', async () => {
    const order = await buy('pm_card_createDispute')
    await tell('charge.dispute.created')
    expect((await read(order)).disputes).toMatchObject([{ status: 'open' }])
    const dispute = stripe.disputes.find(({ intent }) => intent === paymentOf(order))
    if (dispute) dispute.status = 'lost'
    // Whatever the message is called: Stripe is asked how it stands.
    const again = lastOf('charge.dispute.created').body.replace(/"id":"evt_[^"]*"/, '"id":"evt_again"')
    expect((await send(signed({ body: again }))).statusCode).toBe(200)
    await runOrderJobs(app, shop.id)
    expect((await read(order)).disputes).toMatchObject([{ status: 'lost' }])
  })
})

describe('a provider that is down', () => {
  it('keeps what it has told: the job asks again when it is back', async () => {
    const order = await buy()
    stripe.refundByHand(paymentOf(order), 100)
    const message = signed(lastOf('charge.refunded'))
    stripe.trouble('broken_before', { times: 1 })
    expect((await send(message)).statusCode).toBe(200)
    // It waits before it tries again.
    const passing = setInterval(() => app.clock.advance(5), 50)
    await runOrderJobs(app, shop.id).finally(() => clearInterval(passing))
    expect((await read(order)).refunds).toHaveLength(1)
  })
})

it('a sweep asks about payments of which no message came, and finds none that are decided', async () => {
  await buy()
  app.clock.advance(7_200)
  expect(await sweepUndecidedPayments.run({ ...app, signal: new AbortController().signal })).toBe(0)
})

// The last: what is old is swept by now.
it('keeps in mind for ninety days what it has read', async () => {
  const before = await noted()
  const sweep = () => sweepOldMessages.run({ ...app, signal: new AbortController().signal })
  await sweep()
  expect(await noted()).toBe(before)
  app.clock.advance(91 * 86_400)
  await sweep()
  expect(await noted()).toBe(0)
})
