// @alone
// L1 to L7: many clients want the same at the same moment, from two processes. What there is, is sold once; one token is one order
// and one charge.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { ENVELOPES, expectExplained, SHIRT, type Shirt } from '../api/carts/histories.ts'
import { patient } from '../support/database.ts'
import { prove, quantile, seconds, size } from './prove.ts'
import {
  buy,
  CARDS,
  cardPayment,
  errorIn,
  insist,
  inTurns,
  openWorld,
  orderIn,
  type Reply,
  tally,
  times,
} from './world.ts'

const timeout = patient(size(60_000, 600_000))
const world = await openWorld()
await world.start({ settleSeconds: 30 })
await world.start({ settleSeconds: 30 })
await world.openGateways()

const paid = () => world.count(`test_charges where state in ('charged', 'authorized', 'refunded')`)

describe('stock', () => {
  it('of one unit is sold once, however many capture it at the same moment', { timeout }, () => {
    const [buyers, rounds] = [200, size(1, 10)]
    return prove(
      { id: 'L1', done: 'the last unit, captured from two processes', size: `${buyers} tokens × ${rounds}` },
      async () => {
        const replies: Reply[] = []
        const took: number[] = []
        for (let round = 0; round < rounds; round++) {
          const product = await world.product(1)
          const tokens = await inTurns(buyers, () => world.token(product))
          const before = await paid()
          const startedAt = performance.now()
          const answers = await times(buyers, (index) => insist(world, tokens[index] ?? '', world.body(cardPayment())))
          took.push((performance.now() - startedAt) / 1_000)
          const refused = answers.filter((reply) => orderIn(reply) === null)
          expect(refused.map((reply) => [reply.status, errorIn(reply).type])).toEqual(
            Array(buyers - 1).fill([422, 'not_valid']),
          )
          expect([await world.available(product), await paid()]).toEqual([0, before + 1])
          await world.expectOracles()
          replies.push(...answers)
        }
        return `${tally(replies)}, 1 charge each time; ${seconds(quantile(took, 0.5))} (median)`
      },
    )
  })

  it('that two lines share is enough for both or sold to neither', { timeout }, () => {
    const rounds = size(5, 50)
    return prove(
      { id: 'L2', done: 'stock 5, a cart with 3 + 3 of it on two lines: capture; then 3 + 2', size: `${rounds} carts` },
      async () => {
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
        return `${tally(refusals)} for 3 + 3, cart and stock unchanged; 3 + 2 sold each time`
      },
    )
  })

  it('is sold to the last unit and not beyond, with cards that are declined and shoppers who never come back', {
    timeout,
  }, () => {
    const [units, buyers] = [size(30, 100), size(150, 1_000)]
    return prove(
      {
        id: 'L3',
        done: '1 to 5 each, 10 % of the cards declined, 10 % of the shoppers never confirm; then these expire, and the rest is sold',
        size: `${units} units, ${buyers} buyers`,
      },
      async () => {
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
        return `${tally(answers)}; ${abandoned} abandoned and given back; the ${left} units left sold to the next ${left}; sold + left = ${units}`
      },
    )
  })
})

describe('one token', () => {
  it('captured two hundred times is one order and one charge, with the same body and with others', { timeout }, () => {
    const [count, rounds] = [200, size(1, 10)]
    return prove(
      {
        id: 'L4',
        done: 'one token captured at once from two processes, with the same body; with bodies that all differ; with one Idempotency-Key',
        size: `3 × ${count} × ${rounds}`,
      },
      async () => {
        const [same, other, keyed]: [Reply[], Reply[], Reply[]] = [[], [], []]
        for (let round = 0; round < rounds; round++) {
          const product = await world.product(3)
          const [first = '', second = '', third = ''] = await times(3, () => world.token(product))
          const before = await paid()
          const body = world.body(cardPayment())
          const equal = await times(count, () => world.capture(first, body))
          const ids = new Set(equal.filter(({ status }) => status === 200).map((reply) => orderIn(reply)?.id))
          expect(equal.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
          expect([ids.size, await world.orders(first)]).toEqual([1, [...ids]])
          expect(orderIn(await world.capture(first, body))?.id).toBe([...ids][0])

          const different = await times(count, (index) => world.capture(second, { ...body, meta: { index } }))
          expect(different.filter(({ status }) => status === 200).length).toBe(1)
          expect(different.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
          expect((await world.orders(second)).length).toBe(1)

          const key = { 'idempotency-key': `round-${round}` }
          const repeated = await times(count, () => world.capture(third, body, key))
          expect(repeated.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
          const changed = await world.capture(third, { ...body, meta: { changed: true } }, key)
          expect(changed.status).toBe(422)
          expect((await world.orders(third)).length).toBe(1)
          expect(await paid()).toBe(before + 3)
          same.push(...equal)
          other.push(...different)
          keyed.push(...repeated)
        }
        await world.expectOracles()
        return `1 order and 1 charge of each token; same body ${tally(same)}; others ${tally(other)}; one key ${tally(keyed)}, another body under it 422`
      },
    )
  })

  it('that the browser and the completers of two processes finish at the same moment is one order with one event', {
    timeout,
  }, () => {
    const count = size(20, 200)
    return prove(
      {
        id: 'L5',
        done: 'the shopper approves elsewhere: the browser comes back, three times at once, while both completers are told',
        size: `${count} payments`,
      },
      async () => {
        const product = await world.product(count)
        const bought = await inTurns(count, async () => {
          const token = await world.token(product)
          const body = world.body({ gateway: 'test_redirect' })
          const { paykey } = (await world.capture(token, body)).body as { paykey: string }
          const back = { ...body, payment: { gateway: 'test_redirect', test_redirect: { paykey } } }
          await world.onPage(paykey, 'approve')
          // Some of the browsers come when the completers are at it.
          await pause(Math.random() * 1_500)
          const orders = await times(3, () => buy(world, token, back))
          return { token, ids: new Set(orders.map(({ order }) => order.id)) }
        })
        for (const { token, ids } of bought) expect([ids.size, await world.orders(token)]).toEqual([1, [...ids]])
        // O4 among them: one event each.
        await world.expectOracles()
        return `${count} orders, ${count} events`
      },
    )
  })
})

describe('a cart', () => {
  it('is what some order of all that its clients did to it makes of it, and shows the prices of the moment', {
    timeout,
  }, () => {
    const histories = size(20, 1_000)
    return prove(
      {
        id: 'L6',
        done: 'adds, changes and removals of lines of one cart at the same moment, from two processes, whose answers some order of them must explain; then a price is changed by one process and the cart read from the other',
        size: `${histories} histories, ${PRICES} prices`,
      },
      async () => {
        const shirt = await world.create<Shirt>('products', { ...SHIRT, price: 10 })
        const mug = await world.product(null)
        const [one, other] = world.servers
        const headers = { 'service-version': ENVELOPES }
        await expectExplained(
          {
            id: world.id,
            db: world.db,
            shirt,
            mug: { id: mug },
            call: (client, method, url, body) =>
              world.ask(method, `${(client % 2 === 0 ? one : other)?.url}${url}`, {
                headers,
                ...(body && { body: { ...body } }),
              }),
          },
          histories,
        )
        const { id: cart } = await world.succeed<{ id: string }>(201, 'GET', '/v1/carts')
        await world.succeed(200, 'POST', `/v1/carts/${cart}`, { body: { id: mug } })
        for (let price = 1; price <= PRICES; price++) {
          const [changing, reading] = price % 2 === 0 ? [one, other] : [other, one]
          // Both keep what they have read of the product; the one that reads has it as it was before.
          await world.succeed(200, 'PUT', `${changing?.url}/v1/products/${mug}`, { key: world.secret, body: { price } })
          const { subtotal } = await world.succeed<Priced>(200, 'GET', `${reading?.url}/v1/carts/${cart}`)
          expect(subtotal.raw).toBe(price)
        }
        return `all ${histories} explained; ${PRICES} of ${PRICES} prices seen by the other process at once`
      },
    )
  })

  it('that grows while its checkout is captured is charged for the lines of the order', { timeout }, () => {
    const count = size(20, 200)
    return prove(
      { id: 'L7', done: 'adding to a cart while its token is captured', size: `${count} carts` },
      async () => {
        const [first, late] = [await world.product(null), await world.product(null, { name: 'Late', price: 7 })]
        await inTurns(count, async (index) => {
          const { id: cart } = await world.succeed<{ id: string }>(201, 'GET', '/v1/carts')
          await world.succeed(200, 'POST', `/v1/carts/${cart}`, { body: { id: first, quantity: 1 } })
          const making = world.succeed<Token>(201, 'GET', `/v1/checkouts/${cart}?type=cart`)
          // Half of them while the token is made, half while it is captured.
          const isEarly = index % 2 === 0
          const adding = isEarly ? add(cart) : null
          const token = await making
          const [{ order }] = await Promise.all([buy(world, token.id, world.body(cardPayment())), adding ?? add(cart)])
          const lines = order.order.line_items.map(({ product_id }) => product_id).sort()
          expect(lines).toEqual(token.line_items.map(({ product_id }) => product_id).sort())
          expect(isEarly || lines.length === 1).toBe(true)
          const [{ amount } = { amount: 0 }] = await world.db.many(findCharge, { merchant_id: world.id, id: order.id })
          expect(amount).toBe(lines.length === 1 ? 1_000 : 1_700)
          expect(order.order_value.raw).toBe(amount / 100)
        })
        async function add(cart: string) {
          await world.succeed(200, 'POST', `/v1/carts/${cart}`, { body: { id: late, quantity: 1 } })
        }
        await world.expectOracles()
        return `${count} orders, each with the lines of its token, each charged for them`
      },
    )
  })
})

const PRICES = 50
type Priced = { subtotal: { raw: number } }
type Grouped = { variant_groups: { id: string; options: { id: string }[] }[] }
type Token = { id: string; line_items: { id: string; product_id: string; quantity: number }[] }

const WAITING = `capture_attempts where state = 'waiting'`
const expireWaiting = statement(
  'test.expire_waiting',
  `update capture_attempts
   set gives_up_at = now(), settle_after = now()
   where merchant_id = :merchant_id and state = 'waiting'`,
)
const findCharge = statement<{ amount: number }>(
  'test.find_charge',
  `select c.amount from orders o
   join test_charges c on c.merchant_id = o.merchant_id and c.key = o.attempt_id
   where o.merchant_id = :merchant_id and o.id = :id`,
)
