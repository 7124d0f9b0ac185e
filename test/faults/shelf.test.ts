// @proof @alone: it starts servers.
// L3b: a merchant counts the stock again and again, while captures of the same goods succeed, are declined, wait and are cancelled.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { beginProof, timeout } from './prove.ts'
import { logShelf, soldUnits, type Written, writtenStock } from './shelf-log.ts'
import { CARDS, cardPayment, errorIn, insist, inTurns, openWorld, type Reply, tally, times } from './world.ts'

const world = await openWorld()
await world.start({ settleSeconds: 30 })
await world.start({ settleSeconds: 30 })
await world.openGateways()
await logShelf(world.db)

type Stock = { available: number; held: number; on_hand: number }
type Token = { id: string; line_items: { id: string }[] }

describe('what a merchant has counted', () => {
  it('is on hand, less what was sold since, whatever captures do meanwhile', { timeout }, async () => {
    const [buyers, rounds] = [150, 2]
    const conclude = beginProof(
      'L3b',
      'the shelf counted (`on_hand`) and what can be sold set (`available`), time and again, while captures of 1 to 3 succeed, are declined, wait and are called off; from two processes',
      `${buyers} buyers × ${rounds}`,
    )
    const replies: Reply[] = []
    let [writes, sold] = [0, 0]
    for (let round = 0; round < rounds; round++) {
      const product = await world.product(40)
      const tokens = await inTurns(buyers, () => newToken(product), 6)
      const buying = times(buyers, (index) => shop(tokens[index] as Token, index))
      const [answers, sent] = await Promise.all([buying, countUntil(buying, product)])
      expect(answers.filter(({ status }) => ![200, 402, 422].includes(status))).toEqual([])
      await world.settled(performance.now())

      const written = await writtenStock(world.db, world.id, product)
      const all = await soldUnits(world.db, world.id, product)
      const now = await stockOf(product)
      const last = written.at(-1)
      const count = sent.get(last?.mark ?? '')?.on_hand
      if (last === undefined || count === undefined) throw new Error('The last write was no count.')
      expect(wrongCounts(written, sent)).toEqual([])
      // Every capture has become an order or has released its stock.
      const left = count - (all - last.sold)
      expect(now).toEqual({ managed: true, available: left, held: 0, on_hand: left })
      // O1 continues from the last count: the stock then, plus everything sold before.
      world.stock[product] = count + last.sold
      await world.expectOracles()
      replies.push(...answers)
      writes += written.length - 1
      sold += all
    }
    conclude(
      `${tally(replies)}; ${writes} writes, ${sold} units sold meanwhile; after each count: on hand = counted − sold since`,
    )
  })
})

type Inventory = { on_hand?: number; available?: number }

/** Returns the counts that the next count contradicts: on hand minus sales between the two. */
const wrongCounts = (written: readonly Written[], sent: ReadonlyMap<string, Inventory>) =>
  written.flatMap(({ mark, before, available, sold }, index) => {
    const earlier = written[index - 1]
    const counted = sent.get(earlier?.mark ?? '')?.on_hand
    const onHand = sent.get(mark)?.on_hand
    if (earlier === undefined || counted === undefined || onHand === undefined) return []
    const held = onHand - available
    const [found, expected] = [(before ?? 0) + held, counted - (sold - earlier.sold)]
    return found === expected ? [] : [{ counted, held, before, found, expected }]
  })

/** Sets and counts stock while captures run, each once the previous request is answered; the last is a count. Returns everything sent. */
async function countUntil(buying: Promise<unknown>, product: string): Promise<Map<string, Inventory>> {
  const sent = new Map<string, Inventory>()
  let isOver = false
  const end = buying.finally(() => {
    isOver = true
  })
  for (let hasCounted = false; !isOver || !hasCounted; ) {
    const figure = 30 + (sent.size % 11)
    const inventory: Inventory = sent.size % 5 === 0 && !isOver ? { available: figure } : { on_hand: figure }
    const mark = `Thing ${sent.size}`
    sent.set(mark, inventory)
    const reply = await world.ask('PUT', `/v1/products/${product}`, {
      key: world.secret,
      body: { name: mark, inventory },
    })
    hasCounted = reply.status === 200 && inventory.on_hand !== undefined
    if (reply.status === 200) expectTrue((reply.body as { inventory: Stock }).inventory, inventory)
    // More is held than was counted, or the machine is overloaded.
    else expect([reply.status, Object.keys(errorIn(reply).errors ?? {})]).toEqual(refusalOf(reply))
  }
  await end
  return sent
}

const refusalOf = ({ status }: Reply) => (status === 422 ? [422, ['inventory.on_hand']] : [503, []])

/** The response to a write may lack only the sales since that write. */
function expectTrue({ available, held, on_hand }: Stock, sent: Inventory) {
  expect(on_hand).toBe(available + held)
  if (sent.available !== undefined) expect(available).toBe(sent.available)
  else expect(on_hand).toBeLessThanOrEqual(sent.on_hand ?? 0)
}

/**
 * Plays a shopper who pays, is declined, or has to verify the payment. A verified payment is then cancelled by a declined card, or paid by
 * another.
 */
async function shop(token: Token, index: number): Promise<Reply> {
  const [line] = token.line_items
  const line_items = { [line?.id ?? '']: { quantity: 1 + (index % 3) } }
  const pay = (card: string) => insist(world, token.id, { ...world.body(cardPayment(card)), line_items })
  const ways = [[CARDS.good], [CARDS.declined], [CARDS.verify, CARDS.declined], [CARDS.verify, CARDS.good]]
  const [first = CARDS.good, second] = ways[index % ways.length] ?? []
  const reply = await pay(first)
  return reply.status === 402 && second !== undefined ? pay(second) : reply
}

async function newToken(product: string): Promise<Token> {
  for (;;) {
    const { status, body } = await world.ask('GET', `/v1/checkouts/${product}?type=product_id`)
    if (status === 201) return body as Token
    expect(status).toBe(503)
    await pause(200)
  }
}

const stockOf = async (product: string) =>
  (await world.succeed<{ inventory: Stock }>(200, 'GET', `/v1/products/${product}`, { key: world.secret })).inventory
