// @proof @alone: it starts servers.
// F3 to F8: gateways that decline, disconnect, hang, are down, or answer twice or late. Each charge becomes an order, and nobody pays twice.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lengthened, patient } from '../support/database.ts'
import type { Server } from './processes.ts'
import { beginProof, quantile, seconds, timeout } from './prove.ts'
import { type Bought, buy, CARDS, cardPayment, errorIn, inTurns, openWorld, orderIn, tally, times } from './world.ts'

const WITHIN_SECONDS = patient(60)
const world = await openWorld()
// The gateway gets two thirds of this: enough on a machine that is busy or pauses.
const server = await world.start({ settleSeconds: 30 })
await world.openGateways()

/** Creates a product with this stock, and as many tokens for it. */
async function tokensOf(count: number, on = world): Promise<{ product: string; tokens: string[] }> {
  const product = await on.product(count)
  return { product, tokens: await inTurns(count, () => on.token(product)) }
}

const charges = (states: string) => world.count(`test_charges where state in (${states})`)
const PAID = `'charged', 'authorized', 'refunded'`

const tallyOf = (bought: readonly Bought[]) =>
  tally(bought.flatMap(({ statuses }) => statuses.map((status) => ({ status }))))

/** Starts a server that soon leaves unfinished work to the others. It only gets requests addressed to it. */
async function startHasty(settleSeconds = 4): Promise<Server> {
  const hasty = await world.start({ withJobs: false, settleSeconds })
  world.servers.pop()
  return hasty
}

/** Sends a capture to this server only. */
const captureOn = (on: Server, token: string, body: Record<string, unknown>) =>
  world.ask('POST', `${on.url}/v1/checkouts/${token}`, { body })

describe('a gateway', { timeout }, () => {
  it('that declines after stock was reserved gives it back at once, and the token can be paid by another card', async () => {
    const count = 64
    const conclude = beginProof(
      'F3',
      'cards declined after the stock was reserved, then another card',
      `${count} captures`,
    )
    const { product, tokens } = await tokensOf(count)
    const paid = await charges(PAID)
    const declined = await inTurns(count, (index) =>
      world.capture(tokens[index] ?? '', world.body(cardPayment(CARDS.declined))),
    )
    expect(await world.available(product)).toBe(count)
    expect(declined.map((reply) => [reply.status, errorIn(reply).type])).toEqual(
      declined.map(() => [402, 'gateway_error']),
    )
    expect([await world.count('orders'), await charges(PAID)]).toEqual([0, paid])
    await world.expectOracles()
    const bought = await inTurns(count, (index) => buy(world, tokens[index] ?? '', world.body(cardPayment())))
    expect(bought.map(({ statuses }) => statuses)).toEqual(bought.map(() => [200]))
    expect(await world.available(product)).toBe(0)
    await world.expectOracles()
    conclude(`${tally(declined)}, 0 orders, all of the stock back with the answers; then ${count} × 200`)
  })

  it('that charges and answers 500, or charges and breaks off, has made an order for what it charged', async () => {
    const count = 40
    const conclude = beginProof(
      'F4',
      'the gateway charges and then answers 500; charges and then resets the connection',
      `${count} captures each`,
    )
    const { tokens } = await tokensOf(count * 2)
    const paid = await charges(PAID)
    const failed = await inTurns(count, (index) =>
      buy(world, tokens[index] ?? '', world.body(cardPayment(CARDS.failingCharged))),
    )

    const hasty = await startHasty()
    await hasty.tell({ fault: 'reset' })
    const bodies = tokens.slice(count).map(() => world.body(cardPayment()))
    const startedAt = performance.now()
    const reset = await inTurns(count, (index) => captureOn(hasty, tokens[count + index] ?? '', bodies[index] ?? {}))
    await hasty.kill('SIGTERM')
    expect(reset.map((reply) => [reply.status, errorIn(reply).type])).toEqual(reset.map(() => [504, 'gateway_timeout']))
    // No client retries: only the completer settles.
    const settledIn = await world.settled(startedAt)
    expect(settledIn).toBeLessThan(WITHIN_SECONDS)
    for (const token of tokens) expect((await world.orders(token)).length).toBe(1)
    expect(await charges(PAID)).toBe(paid + count * 2)
    const again = await inTurns(count, (index) => world.capture(tokens[count + index] ?? '', bodies[index] ?? {}))
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 200))
    await world.expectOracles()
    conclude(
      `500: ${tallyOf(failed)}; reset: ${tally(reset)}, ${count} orders by the completer within ${seconds(settledIn)}; 1 charge each`,
    )
  })

  it('that hangs is given up in time, and holds up nobody else', async () => {
    const count = 40
    // In production 30 s. A gateway gets two thirds of it.
    const settleSeconds = lengthened(6)
    const conclude = beginProof(
      'F5',
      `the gateway hangs, having charged or not; it has ${seconds((settleSeconds * 2) / 3)}`,
      `${count} captures at once`,
    )
    const slow = await world.start({ settleSeconds })
    world.servers.pop()
    const { tokens } = await tokensOf(count)
    const paid = await charges(PAID)
    const look = async () => {
      const from = performance.now()
      const { status } = await world.ask('GET', `${slow.url}/v1/products?limit=1`)
      return { status, ms: performance.now() - from }
    }
    const before = await inTurns(50, look, 1)
    const startedAt = performance.now()
    const cards = [CARDS.hanging, CARDS.hangingCharged]
    let isOver = false
    const hanging = times(count, async (index) => {
      const reply = await captureOn(slow, tokens[index] ?? '', world.body(cardPayment(cards[index % 2])))
      return { reply, took: (performance.now() - startedAt) / 1_000 }
    }).finally(() => {
      isOver = true
    })
    const during: Awaited<ReturnType<typeof look>>[] = []
    while (!isOver) {
      during.push(await look())
      await pause(20)
    }
    const answers = await hanging
    for (const [index, { reply }] of answers.entries()) {
      // A charged capture may still be found at the last moment.
      const isFound = index % 2 === 1 && orderIn(reply) !== null
      if (!isFound) expect([reply.status, errorIn(reply).type]).toEqual([504, 'gateway_timeout'])
    }
    const slowest = Math.max(...answers.map(({ took }) => took))
    expect(slowest).toBeLessThan(patient(25))
    expect(during.filter(({ status }) => status !== 200)).toEqual([])
    expect(during.length).toBeGreaterThan(0)
    const settledIn = await world.settled(startedAt, patient(90_000))
    expect(await charges(PAID)).toBe(paid + count / 2)
    for (const [index, token] of tokens.entries()) expect((await world.orders(token)).length).toBe(index % 2)
    await world.expectOracles()
    await slow.kill('SIGTERM')
    const p99 = (looks: { ms: number }[]) =>
      quantile(
        looks.map(({ ms }) => ms),
        0.99,
      )
    conclude(
      `${tally(answers.map(({ reply }) => reply))} after at most ${seconds(slowest)}; ${during.length} reads meanwhile all 200, p99 ${p99(during).toFixed(0)} ms (before: ${p99(before).toFixed(0)} ms); settled after ${seconds(settledIn)}: ${count / 2} orders, ${count / 2} undone`,
    )
  })

  it('that is down loses no payment, and needs no restart when it is back', async () => {
    const count = 40
    const downMs = 2_000
    const conclude = beginProof(
      'F6',
      `the gateway is down for ${seconds(downMs / 1_000)} and comes back. The test gateway has no breaker, being no provider: see F6-stripe`,
      `${count} captures`,
    )
    const { product, tokens } = await tokensOf(count)
    const paid = await charges(PAID)
    const bodies = tokens.map(() => world.body(cardPayment()))
    const hasty = await startHasty()
    // Also for the server that settles the rest.
    for (const one of [server, hasty]) await one.tell({ fault: 'down' })
    const refused = await inTurns(count, (index) => captureOn(hasty, tokens[index] ?? '', bodies[index] ?? {}))
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 504))
    await pause(downMs)
    for (const one of [server, hasty]) await one.tell({ fault: 'none' })
    const settledIn = await world.settled(performance.now())
    expect(settledIn).toBeLessThan(WITHIN_SECONDS)
    expect([await world.available(product), await charges(PAID)]).toEqual([count, paid])
    await world.expectOracles()
    await inTurns(count, (index) => buy(world, tokens[index] ?? '', bodies[index] ?? {}))
    expect(await charges(PAID)).toBe(paid + count)
    await world.expectOracles()
    await hasty.kill('SIGTERM')
    conclude(`${tally(refused)}, 0 charges; undone within ${seconds(settledIn)} of its return, then ${count} × 200`)
  })

  it('that answers twice, or announces a payment fifty times, has made one order', async () => {
    const count = 40
    const [announcements, shoppers] = [50, 10]
    const conclude = beginProof(
      'F7',
      `a card whose outcome is announced before and after its answer; a redirect that is approved ${announcements} times while the shopper comes back. What providers send is F7-providers`,
      `${count} cards, ${shoppers} redirects`,
    )
    const { tokens } = await tokensOf(count)
    const bought = await inTurns(count, (index) =>
      buy(world, tokens[index] ?? '', world.body(cardPayment(CARDS.twice))),
    )
    const redirects = await inTurns(shoppers, async () => {
      const token = await world.token(await world.product(1))
      const body = world.body({ gateway: 'test_redirect' })
      const { paykey } = (await world.capture(token, body)).body as { paykey: string }
      const back = { ...body, payment: { gateway: 'test_redirect', test_redirect: { paykey } } }
      const [orders] = await Promise.all([
        times(3, () => buy(world, token, back)),
        times(announcements, () => world.onPage(paykey, 'approve')),
      ])
      return { token, orders: new Set(orders.map(({ order }) => order.id)) }
    })
    expect(redirects.map(({ orders }) => orders.size)).toEqual(redirects.map(() => 1))
    await pause(1_000)
    for (const token of [...tokens, ...redirects.map((redirect) => redirect.token)])
      expect((await world.orders(token)).length).toBe(1)
    await world.expectOracles()
    conclude(`${bought.length + redirects.length} orders, 1 event each`)
  })

  it('that answers when its payment was given up long ago touches nothing of the order that was paid since', async () => {
    const count = 20
    const conclude = beginProof(
      'F8',
      'two attempts on one token: the first is charged late, after it was called off and the second has paid',
      `${count} tokens`,
    )
    const late = await startHasty(1)
    const { product, tokens } = await tokensOf(count)
    const paid = await charges(PAID)
    await late.tell({ fault: 'late' })
    const sentAt = performance.now()
    const first = await times(count, (index) => captureOn(late, tokens[index] ?? '', world.body(cardPayment())))
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 504))
    await world.settled(sentAt)
    const second = await times(count, (index) => buy(world, tokens[index] ?? '', world.body(cardPayment())))
    // Resolves when all first charges have been tried.
    await late.tell({ fault: 'none' })
    expect(await charges(PAID)).toBe(paid + count)
    expect(await charges(`'refunded'`)).toBe(0)
    const now = await times(count, async (index) => (await world.orders(tokens[index] ?? ''))[0])
    expect(now).toEqual(second.map(({ order }) => order.id))
    expect(await world.available(product)).toBe(0)
    await world.expectOracles()
    await late.kill('SIGTERM')
    conclude(`first ${tally(first)}, second ${tallyOf(second)}; 1 charge each, 0 refunds`)
  })
})
