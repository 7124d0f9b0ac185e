// @proof @alone: it starts servers.
// F6 with each provider: it refuses connections, answers 500, or hangs. Captures are refused at once and hold nothing; other shops go on.

import { describe, expect, it } from 'vitest'
import type { DoubleRequest, Fault } from '../../gateways/doubles/double.ts'
import { LIVE_KEY, OTHER_KEY } from '../../gateways/doubles/stripe.ts'
import { lengthened, openMerchant, patient } from '../../support/database.ts'
import type { Server } from '../processes.ts'
import { beginProof, seconds, timeout } from '../prove.ts'
import { type Body, errorIn, inTurns, orderIn, type Reply, tally, times } from '../world.ts'
import type { Provider } from './books.ts'
import { openProviderWorld } from './world.ts'

/** Of it a gateway has two thirds. */
const SETTLE_SECONDS = lengthened(9)
/** For which nobody is sent to a provider that is down. */
const PAUSE_MS = 10_000
/** Hanging for longer than anybody waits. */
const HANGING: Fault = { slowMs: 120_000 }
const SENTENCE = 'This way to pay does not work at the moment. Please choose another, or try again later.'
const AT_ONCE_MS = patient(5_000)

const world = await openProviderWorld()
const start = (clockAheadMs = 0) =>
  world.start({
    settleSeconds: SETTLE_SECONDS,
    poolSize: 60,
    holdsBreaker: true,
    ...(clockAheadMs === 0 ? {} : { clockAheadMs }),
  })
let server: Server = await start()
await world.setUp()
await world.refuseCards()

/** As the design wants it: so long after its return a provider is used again. */
const BACK_WITHIN_MS = 15_000
const STEP_MS = 2_500

/** Lets time pass for the breaker of the server, which knows no other time. */
const pass = (ms: number) => server.tell({ passMs: ms })
const pauseOver = () => pass(PAUSE_MS)

/** Somebody who sells by Stripe too, with an account of their own. */
type Seller = { capture(): Promise<Reply>; is_sandbox: boolean }

async function sellerWith(keys: { public: string; secret: string }, secretKey: string): Promise<Seller> {
  const is_sandbox = secretKey !== LIVE_KEY
  const headers: Record<string, string> = is_sandbox ? {} : { 'x-forwarded-proto': 'https' }
  const config = { ...world.stripe.config, secret_key: secretKey }
  const set = (path: string, body: Body) =>
    world.succeed<{ id: string }>(201, 'POST', `/v1/${path}`, { body, key: keys.secret, headers })
  await set('gateways', { code: 'stripe', config })
  const { id } = await set('products', { name: 'Thing', price: 10, delivery: { physical: false } })
  return {
    is_sandbox,
    async capture() {
      const key = keys.public
      const path = `/v1/checkouts/${id}?type=product_id`
      const token = await world.succeed<{ id: string }>(201, 'GET', path, { key, headers })
      const body = world.body(world.stripe.payment())
      return world.ask('POST', `/v1/checkouts/${token.id}`, { body, key, headers })
    },
  }
}

const otherShop = await openMerchant(world.db, { name: 'Other', email: 'other@example.com' })
world.merchants.push(otherShop.id)
const others = {
  'another shop': await sellerWith(otherShop.keys.sandbox, OTHER_KEY),
  'the live mode': await sellerWith(world.live, LIVE_KEY),
}

/** The shop sells live, so that its catalogue is written with the live key. */
const BY_LIVE_KEY = { key: world.live.secret, headers: { 'x-forwarded-proto': 'https' } }

/** Whose requests are sent with the credentials of the shop in its sandbox. */
const isOurs = ({ headers }: DoubleRequest) =>
  [OTHER_KEY, LIVE_KEY].every((key) => !headers.authorization?.includes(key))
const askedOf = ({ double }: Provider) => double.requests.filter(isOurs).length

type Outage = {
  readonly name: string
  begin(provider: Provider): Promise<void>
  end(provider: Provider): Promise<void>
}
const failing = (name: string, fault: Fault): Outage => ({
  name,
  begin: async ({ double }) => double.trouble(fault, { on: isOurs, times: Number.POSITIVE_INFINITY }),
  end: async ({ double }) => double.calm(),
})
const OUTAGES: readonly Outage[] = [
  { name: 'refuses connections', begin: ({ double }) => double.goDown(), end: ({ double }) => double.comeBack() },
  failing('answers 500', 'broken_before'),
  failing('hangs', HANGING),
]

/** Somebody who buys one of what there is enough of. */
async function capture(provider: Provider, product: string): Promise<Reply> {
  const token = await world.token(product)
  return world.capture(token, world.body(provider.paidPayment?.(1_000) ?? provider.payment()))
}
const isServed = (provider: Provider, reply: Reply) => orderIn(reply) !== null || provider.goOn(reply) !== null

type Seen = { failures: number; refused: number; asked: number; slowestMs: number; backInMs: number }

const DECLINES = 24

/** Whether this is how nobody is sent to a provider that is down. */
const isRefusal = (reply: Reply) => reply.status === 503 && errorIn(reply).message === SENTENCE

async function survive(provider: Provider, outage: Outage): Promise<Seen> {
  const product = await world.product(1_000, {}, BY_LIVE_KEY)
  await outage.begin(provider)
  // A few fail. Several at once, as of shoppers who do not wait for one another.
  const first = await times(6, () => capture(provider, product))
  for (let round = 0; round < 5 && !first.some(isRefusal); round++) first.push(await capture(provider, product))
  const failures = first.filter((reply) => !isRefusal(reply))
  expect(failures.map(({ status }) => status).filter((status) => status !== 402 && status !== 504)).toEqual([])
  expect(failures.length).toBeLessThan(12)

  // Nobody is sent there, and nothing is held.
  const heldBefore = await world.count('capture_attempts')
  const tokens = await times(10, () => world.token(product))
  const refused = await times(tokens.length, async (index) => {
    const from = performance.now()
    const payment = provider.paidPayment?.(1_000) ?? provider.payment()
    return { reply: await world.capture(tokens[index] ?? '', world.body(payment)), ms: performance.now() - from }
  })
  expect(refused.map(({ reply }) => [reply.status, errorIn(reply).message])).toEqual(refused.map(() => [503, SENTENCE]))
  expect(refused.filter(({ reply }) => !(Number(reply.headers['retry-after']) > 0))).toEqual([])
  expect(await world.count('capture_attempts')).toBe(heldBefore)
  const slowestMs = Math.max(...refused.map(({ ms }) => ms))
  expect(slowestMs).toBeLessThan(AT_ONCE_MS)
  if (provider.code === 'stripe' && outage.name !== 'refuses connections')
    for (const [name, seller] of Object.entries(others))
      expect([name, (await seller.capture()).status]).toEqual([name, 200])

  // After each pause one tries: a shopper, or the completer for an attempt that was left open.
  const [askedBefore, tries] = [askedOf(provider), 2]
  for (let n = 0; n < tries; n++) {
    await pauseOver()
    const replies = await times(5, () => capture(provider, product))
    // One tries, and hears that it has failed; also those hear 503 who had reserved in the moment in which it began.
    const tried = replies.filter((reply) => !isRefusal(reply))
    expect(tried.filter(({ status }) => status !== 402 && status !== 504)).toEqual([])
    expect(tried.length).toBeLessThanOrEqual(1)
  }
  const asked = askedOf(provider) - askedBefore
  // One try is a charge and its look-up, of two requests each.
  expect(asked).toBeLessThanOrEqual(tries * 4)
  if (outage.name !== 'refuses connections') expect(asked).toBeGreaterThan(0)

  await outage.end(provider)
  // While it is still left alone for one, the others are served.
  if (provider.code === 'stripe')
    for (const [name, seller] of Object.entries(others))
      expect([name, (await seller.capture()).status]).toEqual([name, 200])
  let backInMs = 0
  while (!isServed(provider, await capture(provider, product)) && backInMs < 2 * BACK_WITHIN_MS) {
    await pass(STEP_MS)
    backInMs += STEP_MS
  }
  expect(backInMs).toBeLessThan(BACK_WITHIN_MS)
  const after = await times(5, () => capture(provider, product))
  expect(after.filter((reply) => !isServed(provider, reply)).map(({ status, body }) => [status, body])).toEqual([])
  return { failures: failures.length, refused: refused.length, asked, slowestMs, backInMs }
}

describe('a provider', { timeout }, () => {
  it.each(world.all)('is left alone while it is down, and used again when it is back: $name', async (provider) => {
    const { code, name } = provider
    const conclude = beginProof(
      `F6-${code}`,
      `${name} refuses connections, answers 500, hangs; each time it comes back. After some failures nobody is sent to it but one, every ${seconds(PAUSE_MS / 1_000)}`,
      `${OUTAGES.length} outages`,
    )
    const seen: string[] = []
    for (const outage of OUTAGES) {
      const { failures, refused, asked, slowestMs, backInMs } = await survive(provider, outage)
      seen.push(
        `${outage.name}: ${failures} failed, then ${refused} × 503 within ${slowestMs.toFixed(0)} ms, nothing held, ${asked} ${asked === 1 ? 'request' : 'requests'} by those who tried it after 2 pauses, used again ${seconds(backInMs / 1_000)} after its return`,
      )
    }
    const meanwhile = code === 'stripe' ? '; another shop and the live mode 200 meanwhile' : ''
    conclude(`${seen.join('; ')}${meanwhile}`)
  })

  it('that declines is not taken for one that is down', async () => {
    const conclude = beginProof(
      'F6-declines',
      'declined cards, many in a row, then one that pays',
      `${DECLINES} declines`,
    )
    const product = await world.product(1_000, {}, BY_LIVE_KEY)
    const declined = await inTurns(DECLINES, async () =>
      world.capture(await world.token(product), world.body(world.stripe.declinedPayment())),
    )
    expect(declined.map(({ status }) => status)).toEqual(declined.map(() => 402))
    expect(orderIn(await capture(world.stripe, product))).not.toBeNull()
    conclude(`${tally(declined)}, then 200`)
  })

  it('that hangs for one shop does not keep the completer from the attempts of another', async () => {
    const [ours, theirs] = [40, 5]
    const conclude = beginProof(
      'F6-completer',
      'Stripe hangs for one shop; a process that is killed leaves more attempts of that shop than the completer has places, and then some of another',
      `${ours} and ${theirs} attempts`,
    )
    const { double } = world.stripe
    const product = await world.product(ours, {}, BY_LIVE_KEY)
    const tokens = await times(ours, () => world.token(product))
    await server.tell({ park: { 'capture.charged': ours + theirs } })
    const lost = tokens.map((token) => world.capture(token, world.body(world.stripe.payment())))
    await server.untilParked(ours)
    lost.push(...Array.from({ length: theirs }, () => others['another shop'].capture()))
    await server.untilParked(ours + theirs)
    await world.kill(server)
    expect((await Promise.all(lost)).map(({ status }) => status)).toEqual(lost.map(() => 0))
    double.trouble(HANGING, { on: isOurs, times: Number.POSITIVE_INFINITY })
    const open = (where: string) => world.count(`capture_attempts where state = 'charging' and ${where}`)
    const ofOurs = `checkout_id in (${tokens.map((token) => `'${token}'`).join(', ')})`
    const whenDueMs = (SETTLE_SECONDS + 1) * 1_000
    server = await start(whenDueMs)
    const from = performance.now()
    // Those that one passing of the completer leaves out come again after 15 s.
    await expect.poll(() => open(`merchant_id = ${otherShop.id}`), { timeout: 13_000, interval: 50 }).toBe(0)
    const took = (performance.now() - from) / 1_000
    expect(await open(ofOurs)).toBe(ours)
    double.calm()
    // The next process runs most of a minute ahead and settles the rest, also that of the outages: Square's lists are behind.
    await world.kill(server)
    server = await start(whenDueMs + 50_000)
    const settledIn = await world.settled(performance.now())
    await world.expectOracles()
    conclude(
      `${theirs} settled ${seconds(took)} after the start of the next process, while ${ours} were waited for; those settled within ${seconds(settledIn)} of its return`,
    )
  })
})
