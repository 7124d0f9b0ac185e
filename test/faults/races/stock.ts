// L1 to L3: stock is sold once, however many want it at the same moment.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { isProof, size } from '../../support/proof.ts'
import { beginProof, quantile, seconds, timeout } from '../prove.ts'
import {
  buy,
  CARDS,
  cardPayment,
  errorIn,
  insist,
  inTurns,
  orderIn,
  type Reply,
  tally,
  times,
  type World,
} from '../world.ts'

export const stockRaces = (world: World) =>
  describe('stock', { timeout }, () => {
    it('of one unit is sold once, however many capture it at the same moment', async () => {
      const [buyers, rounds] = [size(30, 200), size(1, 3)]
      const conclude = beginProof('L1', 'the last unit, captured from two processes', `${buyers} tokens × ${rounds}`)
      const replies: Reply[] = []
      const took: number[] = []
      for (let round = 0; round < rounds; round++) {
        const product = await world.product(1)
        const tokens = await inTurns(buyers, () => world.token(product))
        const before = await world.paid()
        const startedAt = performance.now()
        const answers = await times(buyers, (index) => insist(world, tokens[index] ?? '', world.body(cardPayment())))
        took.push((performance.now() - startedAt) / 1_000)
        const refused = answers.filter((reply) => orderIn(reply) === null)
        expect(refused.map((reply) => [reply.status, errorIn(reply).type])).toEqual(
          Array(buyers - 1).fill([422, 'not_valid']),
        )
        expect([await world.available(product), await world.paid()]).toEqual([0, before + 1])
        await world.expectOracles()
        replies.push(...answers)
      }
      conclude(`${tally(replies)}, 1 charge each time; ${seconds(quantile(took, 0.5))} (median)`)
    })

    it.runIf(isProof)('that two lines share is enough for both or sold to neither', async () => {
      const rounds = 16
      const conclude = beginProof(
        'L2',
        'stock 5, a cart with 3 + 3 of it on two lines: capture; then 3 + 2',
        `${rounds} carts`,
      )
      const refusals = await inTurns(rounds, async () => {
        const product = await world.product(5, {
          variant_groups: [{ name: 'Colour', options: [{ name: 'red' }, { name: 'blue' }] }],
        })
        const { variant_groups: groups } = await world.succeed<Grouped>(200, 'GET', `/v1/products/${product}`)
        const [
          {
            id: group,
            options: [red, blue],
          } = { id: '', options: [] },
        ] = groups
        const { id: cart } = await world.succeed<{ id: string }>(201, 'GET', '/v1/carts')
        const add = (option: { id: string } | undefined, quantity: number) =>
          world.ask('POST', `/v1/carts/${cart}`, {
            body: { id: product, quantity, options: { [group]: option?.id ?? '' } },
          })
        expect([(await add(red, 3)).status, (await add(blue, 2)).status]).toEqual([200, 200])
        // More than there is cannot be added, but a token can be told to buy it.
        expect((await add(blue, 1)).status).toBe(422)
        const token = await world.succeed<Token>(201, 'GET', `/v1/checkouts/${cart}?type=cart`)
        const line = token.line_items.find(({ quantity }) => quantity === 2)?.id ?? ''
        const body = world.body(cardPayment())
        const refused = await world.capture(token.id, { ...body, line_items: { [line]: { quantity: 3 } } })
        expect([refused.status, errorIn(refused).type]).toEqual([422, 'not_valid'])
        expect(await world.available(product)).toBe(5)
        expect((await world.ask('GET', `/v1/carts/${cart}`)).body).toMatchObject({ total_items: 5 })
        await buy(world, token.id, body)
        expect(await world.available(product)).toBe(0)
        return refused
      })
      await world.expectOracles()
      conclude(`${tally(refusals)} for 3 + 3, cart and stock unchanged; 3 + 2 sold each time`)
    })

    it.runIf(isProof)(
      'is sold to the last unit and not beyond, with cards that are declined and shoppers who never come back',
      async () => {
        const [units, buyers] = [100, 300]
        const conclude = beginProof(
          'L3',
          '1 to 5 each, 10 % of the cards declined, 10 % of the shoppers never confirm; then these expire, and the rest is sold',
          `${units} units, ${buyers} buyers`,
        )
        const product = await world.product(units)
        const line = (token: Token) => token.line_items[0]?.id ?? ''
        const newToken = () => world.succeed<Token>(201, 'GET', `/v1/checkouts/${product}?type=product_id`)
        const tokens = await inTurns(buyers, newToken)
        const cards = [CARDS.declined, CARDS.verify, ...Array(8).fill(CARDS.good)]
        const captureOf = (token: Token, card: string, quantity: number) =>
          insist(world, token.id, { ...world.body(cardPayment(card)), line_items: { [line(token)]: { quantity } } })
        // Two of them before the rush: in it, those who never confirm may all come too late.
        const early = await inTurns(2, async () => captureOf(await newToken(), CARDS.verify, 3))
        expect(early.map((reply) => errorIn(reply).type)).toEqual(['requires_verification', 'requires_verification'])
        const answers = await times(buyers, (index) =>
          captureOf(tokens[index] as Token, cards[index % cards.length] ?? CARDS.good, 1 + (index % 5)),
        )
        expect(answers.filter(({ status }) => ![200, 402, 422].includes(status))).toEqual([])
        await world.expectOracles()
        // The shoppers' fifteen minutes are over. Only who died while paying is settled sooner.
        const abandoned = await world.db.run(expireWaiting, { merchant_id: world.id })
        await world.settled(performance.now())
        await expect.poll(() => world.count(WAITING)).toBe(0)
        const left = await world.available(product)
        expect(left).toBeGreaterThanOrEqual(6)
        const last = await times(left + 1, async () => {
          const token = await newToken().catch(() => null)
          return token === null ? { status: 422 } : captureOf(token, CARDS.good, 1)
        })
        expect(last.filter(({ status }) => status === 200).length).toBe(left)
        expect(await world.available(product)).toBe(0)
        await world.expectOracles()
        conclude(
          `${tally(answers)}; ${abandoned} abandoned and given back; the ${left} units left sold to the next ${left}; sold + left = ${units}`,
        )
      },
    )
  })

type Grouped = { variant_groups: { id: string; options: { id: string }[] }[] }
type Token = { id: string; line_items: { id: string; product_id: string; quantity: number }[] }

const WAITING = `capture_attempts where state = 'waiting'`
const expireWaiting = statement(
  'test.expire_waiting',
  `update capture_attempts
   set gives_up_at = now(), settle_after = now()
   where merchant_id = :merchant_id and state = 'waiting'`,
)
