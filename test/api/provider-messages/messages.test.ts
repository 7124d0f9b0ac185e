// The address to which a provider sends its messages, with a server in Stripe's place: which gateways have one, how messages are noted, and
// for how long. What messages change: ../../gateways/every-provider/messages.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { findMethodOrDeleted, type MethodOrDeleted } from '../../../src/api/payment-methods/store.ts'
import { createMessageRecorder, type VerifiedMessage } from '../../../src/api/provider-messages/note.ts'
import { sweepUndecidedPayments } from '../../../src/api/provider-messages/poll.ts'
import { sweepOldMessages } from '../../../src/api/provider-messages/store.ts'
import { openProviders, openToldShop, paymentOf } from '../../gateways/every-provider/shop.ts'
import { openStripeProvider } from '../../gateways/every-provider/stripe.ts'
import { lockRows } from '../../support/rows.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { runOrderJobs } from '../orders/support.ts'
import { countWaitingLocks } from '../waiting-locks.ts'

const opened = await openProviders(openStripeProvider)
const { app } = opened
const [provider] = opened.providers
if (provider === undefined) throw new Error('There is one.')
const { stripe } = provider
const shop = await openToldShop(opened, provider)
const { secret, gateway, buy, read, send, noted } = shop

it('to a gateway that is not there, or has no provider, is 404', async () => {
  const draft = { code: 'manual', config: { name: 'Cash' } }
  const manual = await shop.succeed<GatewayRecord>(201, 'POST', 'gateways', draft, secret)
  const message = shop.message('moved', { key: null, id: 'pi_1' })
  for (const id of [manual.id, `gway_${'0'.repeat(26)}`, 'x'])
    expect((await send(message, `/gateway-webhooks/${shop.id}/${id}`)).statusCode).toBe(404)
  expect(manual.webhook_path).toBeNull()
  const other = await app.merchant()
  expect((await send(message, `/gateway-webhooks/${other.id}/${gateway.id}`)).statusCode).toBe(404)
})

describe('messages of one moment', async () => {
  /** Others run beside it. */
  const ITS_OWN = /^(payment_methods|provider_messages|jobs\.enqueue)/
  /** The round trips of `work`, each as the names of its statements. */
  const tripsOf = async (work: () => Promise<unknown>) =>
    (await roundTripsOf(work))
      .map(({ statements }) => statements.map(({ name, text }) => name ?? text))
      .filter((names) => names.some((name) => ITS_OWN.test(name)))
  const note = createMessageRecorder(app)
  const method = await findMethodOrDeleted(app.db, { merchant_id: shop.id }, gateway.id)
  let count = 0
  const heard = (order: Order, id = `evt_heard_${++count}`) => ({
    merchant_id: shop.id,
    methodId: gateway.id,
    id,
    method: method as MethodOrDeleted,
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

  it('about one attempt are noted while another process notes one of them', async () => {
    const { key, id: transactionId } = await shop.leaveOpen()
    const [first, second] = ['evt_a', 'evt_b'].map((id) => ({
      merchant_id: shop.id,
      methodId: gateway.id,
      id,
      method: method as MethodOrDeleted,
      subject: { key, transactionId },
    })) as [VerifiedMessage, VerifiedMessage]
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const holding = app.db.transaction(async (tx) => {
      await lockRows(tx, 'capture_attempts', { merchant_id: shop.id, id: key })
      await released
    })
    const waiting = () => countWaitingLocks(app.db)
    const both = [note(first), note(second)]
    await expect.poll(waiting).toBe(1)
    const again = createMessageRecorder(app)(second)
    await expect.poll(waiting).toBe(2)
    release()
    await expect(Promise.all([holding, ...both, again])).resolves.toBeDefined()
    await opened.complete(0)
  })

  it('are noted each for itself where one of them cannot be', async () => {
    const [order, before] = [await buy(), await noted()]
    const answers = await Promise.allSettled([heard(order, 'evt_\u0000'), heard(order)].map(note))
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect((await noted()) - before).toBe(1)
  })
})

it('about a payment whose shopper is at the bank makes us look again; nothing is made of it before the shopper is back (F18)', async () => {
  const bought = await shop.token()
  await provider.leave((body) => shop.capture(bought, body))
  const id = provider.paymentOf(await shop.keyOf(bought))
  await shop.tell('moved', { key: await shop.keyOf(bought), id })
  expect(await shop.receipt(bought)).toBe(404)
  // Nobody comes back: it is called off.
  app.clock.advance(16 * 60)
  const worker = app.startJobs()
  await expect.poll(() => stripe.intents.get(id)?.status).toBe('canceled')
  await worker.stop()
})

it('of a provider that is down is kept: the job asks again when it is back', async () => {
  const order = await buy()
  const id = paymentOf(order)
  const refund = provider.refundByHand(id, 100)
  stripe.trouble('broken_before', { times: 1 })
  expect((await send(shop.message('refunded', { key: null, id, refund }))).statusCode).toBe(200)
  // It waits before it tries again.
  const passing = setInterval(() => app.clock.advance(5), 50)
  await runOrderJobs(app, shop.id).finally(() => clearInterval(passing))
  expect((await read(order)).refunds).toHaveLength(1)
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
