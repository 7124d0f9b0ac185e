// @proof @alone: it starts servers.
// L1, F7 and X17 with each provider, from two processes: the last unit, messages early, late and twice, and cards that no provider sees.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { beginProof, timeout } from '../prove.ts'
import { type Body, errorIn, insist, inTurns, orderIn, type Reply, tally, times } from '../world.ts'
import type { Code } from './books.ts'
import { openProviderWorld } from './world.ts'

const world = await openProviderWorld()
const servers = [await world.start({ settleSeconds: 6 }), await world.start({ settleSeconds: 6 })]
await world.setUp()

describe('the last unit', { timeout }, () => {
  it.each(world.all)('is sold once by $name, however many capture it at the same moment', async (provider) => {
    const { code, name } = provider
    const [buyers, rounds] = [60, 2]
    const conclude = beginProof(
      `L1-${code}`,
      `the last unit, captured from two processes and paid by ${name}`,
      `${buyers} tokens × ${rounds}`,
    )
    const replies: Reply[] = []
    for (let round = 0; round < rounds; round++) {
      const product = await world.product(1)
      const tokens = await inTurns(buyers, () => world.token(product))
      const bodies = tokens.map(() => world.body(provider.paidPayment?.(1_000) ?? provider.payment()))
      const before = provider.taken().length
      const answers = await times(buyers, (index) => insist(world, tokens[index] ?? '', bodies[index] ?? {}))
      const isServed = (reply: Reply) => orderIn(reply) !== null || provider.goOn(reply) !== null
      const winner = answers.findIndex(isServed)
      const refused = answers.filter((reply) => !isServed(reply))
      expect(refused.map((reply) => [reply.status, errorIn(reply).type])).toEqual(
        Array(buyers - 1).fill([422, 'not_valid']),
      )
      await world.buy(provider, tokens[winner] ?? '', bodies[winner] ?? {})
      expect([await world.available(product), provider.taken().length]).toEqual([0, before + 1])
      replies.push(...answers)
    }
    await world.expectOracles()
    const first = provider.code === 'paypal' ? ' (sent to PayPal, approved and taken)' : ''
    conclude(`${tally(replies)}${first}; 1 order and 1 charge in ${name}’s books each time`)
  })
})

type Message = { readonly headers: Record<string, string>; readonly body: Buffer }

/** To both processes, each twice, all at once. */
async function tell(code: Code, ...messages: Message[]) {
  const path = world.gatewayOf(code).webhook_path ?? ''
  const sent = await Promise.all(
    [...messages, ...messages].flatMap(({ headers, body }) =>
      servers.map(({ url }) =>
        world.ask('POST', `${url}${path}`, { headers, body: JSON.parse(body.toString('utf8')) }),
      ),
    ),
  )
  expect(sent.map(({ status, body }) => [status, body])).toEqual(sent.map(() => [200, { received: true }]))
  told += sent.length
}
let told = 0
let made = 0

const findTold = statement<{ id: string; names: string[] }>(
  'test.fault_told_events',
  `select o.id, array_agg(e.name order by e.name) as names
   from orders o
   join events e on e.merchant_id = o.merchant_id and e.payload ->> 'id' = o.id
   where o.merchant_id = :merchant_id and o.checkout_id = any(:tokens)
   group by o.id`,
)

/** One order of each token, and nothing told of it but that it was made and paid; when everybody has looked who was made to. */
async function expectOneOrderEach(tokens: readonly string[]) {
  await world.settled(performance.now())
  await expect.poll(() => world.count(`jobs where kind like 'orders.look_into_payments%'`)).toBe(0)
  const orders = await world.db.many(findTold, { merchant_id: world.id, tokens })
  expect(orders.map(({ names }) => names)).toEqual(tokens.map(() => ['orders.create', 'orders.paid']))
  await world.expectOracles()
}

const { stripe } = world.stripe
const { paypal } = world.paypal

/** As Stripe tells of an intent: of a state that it may not have any more, or not yet. */
function ofIntent(type: string, id: string): Message {
  const object = {
    id,
    object: 'payment_intent',
    metadata: stripe.intents.get(id)?.metadata,
    status: type.split('.')[1],
  }
  const event = { id: `evt_early_${++made}`, object: 'event', type, livemode: false, created: 0, data: { object } }
  return stripe.signedMessage({ body: JSON.stringify(event) })
}

/** What Stripe itself has told of the last payment, the latest first. */
const eventsSince = (from: number) =>
  stripe.events
    .slice(from)
    .map((event) => stripe.signedMessage(event))
    .reverse()

async function payByStripe(method: string): Promise<string> {
  const token = await world.token(await world.product(1))
  let body = world.body({ gateway: 'stripe', stripe: { payment_method_id: method } })
  const [before, from] = [stripe.intents.size, stripe.events.length]
  const newest = () => [...stripe.intents.keys()][before]
  if (method !== 'pm_card_visa') {
    const payment = world.stripe.goOn(await world.capture(token, body))
    body = { ...body, payment }
  }
  stripe.trouble({ slowMs: 200 }, { on: /\/confirm$/ })
  const captures = times(2, () => insist(world, token, body))
  await expect.poll(newest, { interval: 5 }).toBeDefined()
  const id = newest() ?? ''
  // While the capture is still waiting for the answer.
  await tell('stripe', ofIntent('payment_intent.succeeded', id), ofIntent('payment_intent.payment_failed', id))
  expect(new Set((await captures).map((reply) => orderIn(reply)?.id)).size).toBe(1)
  await tell('stripe', ...eventsSince(from), ofIntent('payment_intent.requires_action', id))
  stripe.calm()
  return token
}

const ofPayPal = (event_type: string, resource: object): Message =>
  paypal.signedMessage({ id: `WH-${++made}`, event_type, resource })

async function payByPayPal(): Promise<string> {
  const token = await world.token(await world.product(1))
  const first = world.body(world.paypal.payment())
  const reply = await world.capture(token, first)
  const { paykey: id } = reply.body as { paykey: string }
  const { invoice_id: key = '' } = paypal.books.orderOf(id)
  const approved = () => ofPayPal('CHECKOUT.ORDER.APPROVED', { id, purchase_units: [{ custom_id: key }] })
  // Of a payment that nobody has approved yet.
  await tell('paypal', ofPayPal('PAYMENT.CAPTURE.COMPLETED', { id: 'NOT-YET', custom_id: key }))
  const body: Body = { ...first, payment: world.paypal.goOn(reply) }
  const [captures] = await Promise.all([
    times(2, () => insist(world, token, body)),
    world.ask('GET', `/checkout/${world.id}/pay/${token}/back?payment=${key}`),
    tell('paypal', approved()),
  ])
  expect(new Set(captures.map((each) => orderIn(each)?.id)).size).toBe(1)
  const [capture] = paypal.books.orderOf(id).captures
  await tell('paypal', ofPayPal('PAYMENT.CAPTURE.COMPLETED', { id: capture?.id, custom_id: key }), approved())
  return token
}

describe('messages', { timeout }, () => {
  it('before, after, twice and out of order, to two processes beside the capture, make one order', async () => {
    const count = 8
    const conclude = beginProof(
      'F7-providers',
      'messages of Stripe and PayPal, each to both processes twice: of payments that are not made yet, beside two captures and the page of the returning shopper, and late, in the wrong order',
      `${count} cards, ${count} verified cards, ${count} redirects`,
    )
    const tokens: string[] = []
    // One after the other: whose intent is the newest must be known.
    for (let n = 0; n < count; n++) {
      tokens.push(await payByStripe('pm_card_visa'))
      tokens.push(await payByStripe('pm_card_threeDSecure2Required'))
      tokens.push(await payByPayPal())
    }
    await expectOneOrderEach(tokens)
    conclude(`${tokens.length} orders, 1 event each, 1 charge each; ${told} messages, each 200`)
  })
})

describe('the number of a card', { timeout }, () => {
  it('is refused with a sentence by each provider, and reaches none', async () => {
    const conclude = beginProof(
      'X17-providers',
      'the number of a card in the card’s place and in that of a token, for each provider; then all that the four were sent and answered, every log, row and answer looked through for it, and the logs and rows for secrets',
      `${world.all.length} providers`,
    )
    conclude(`${tally(await world.refuseCards())}, each with a sentence; 0 requests to a provider`)
  })
})
