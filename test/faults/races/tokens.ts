// L4 to L7: one token is one order and one charge, and a cart is what some order of its requests makes of it.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { ENVELOPES, expectExplained, SHIRT, type Shirt } from '../../api/carts/histories.ts'
import { isProof, size } from '../../support/proof.ts'
import { beginProof, timeout } from '../prove.ts'
import { buy, cardPayment, inTurns, orderIn, type Reply, tally, times, type World } from '../world.ts'

export const tokenRaces = (world: World) =>
  describe('one token', { timeout }, () => {
    it('captured many times at once is one order and one charge, with the same body and with others', async () => {
      const [count, rounds] = [size(30, 200), size(1, 3)]
      const conclude = beginProof(
        'L4',
        'one token captured at once from two processes, with the same body; with bodies that all differ; with one Idempotency-Key',
        `3 × ${count} × ${rounds}`,
      )
      const [same, other, keyed]: [Reply[], Reply[], Reply[]] = [[], [], []]
      for (let round = 0; round < rounds; round++) {
        const product = await world.product(3)
        const [first = '', second = '', third = ''] = await times(3, () => world.token(product))
        const before = await world.paid()
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
        expect(await world.paid()).toBe(before + 3)
        same.push(...equal)
        other.push(...different)
        keyed.push(...repeated)
      }
      await world.expectOracles()
      conclude(
        `1 order and 1 charge of each token; same body ${tally(same)}; others ${tally(other)}; one key ${tally(keyed)}, another body under it 422`,
      )
    })

    it.runIf(isProof)(
      'that the browser and the completers of two processes finish at the same moment is one order with one event',
      async () => {
        const count = 64
        const conclude = beginProof(
          'L5',
          'the shopper approves elsewhere: the browser comes back, three times at once, while both completers are told',
          `${count} payments`,
        )
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
        conclude(`${count} orders, ${count} events`)
      },
    )
  })

export const cartRaces = (world: World) =>
  describe('a cart', { timeout }, () => {
    it('is what some order of all that its clients did to it makes of it, and shows the prices of the moment', async () => {
      const histories = size(10, 200)
      const conclude = beginProof(
        'L6',
        'adds, changes and removals of lines of one cart at the same moment, from two processes, whose answers some order of them must explain; then a price is changed by one process and the cart read from the other',
        `${histories} histories, ${PRICES} prices`,
      )
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
      conclude(`all ${histories} explained; ${PRICES} of ${PRICES} prices seen by the other process at once`)
    })

    it.runIf(isProof)('that grows while its checkout is captured is charged for the lines of the order', async () => {
      const count = 64
      const conclude = beginProof('L7', 'adding to a cart while its token is captured', `${count} carts`)
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
      conclude(`${count} orders, each with the lines of its token, each charged for them`)
    })
  })

const PRICES = size(5, 20)
type Priced = { subtotal: { raw: number } }
type Token = { id: string; line_items: { id: string; product_id: string; quantity: number }[] }

const findCharge = statement<{ amount: number }>(
  'test.find_charge',
  `select c.amount from orders o
   join test_charges c on c.merchant_id = o.merchant_id and c.key = o.attempt_id
   where o.merchant_id = :merchant_id and o.id = :id`,
)
