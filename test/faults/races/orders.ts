// L17 and L18: an order is shipped or cancelled and never both, and no more of it is refunded than was paid.

import { describe, expect, it } from 'vitest'
import { size } from '../../support/proof.ts'
import { bought, cancel, read } from '../orders.ts'
import { beginProof, timeout } from '../prove.ts'
import { type Body, buy, cardPayment, type Reply, tally, times, type World } from '../world.ts'

export function orderRaces(world: World) {
  describe('a cancel with a refund', { timeout }, () => {
    it('beside shipments, from two processes, ends shipped and paid or cancelled, refunded and not shipped', async () => {
      const [rounds, shipments] = [size(6, 60), 3]
      const conclude = beginProof(
        'L17',
        'cancels with a refund beside shipments of the same order, from two processes',
        `${rounds} orders, 2 cancels and ${shipments} shipments each`,
      )
      const { methods } = await world.create<{ methods: { id: string }[] }>('shipping_zones', {
        name: 'Home',
        countries: ['US'],
        methods: [{ description: 'Post', price: 0 }],
      })
      const product = await world.product(rounds * 5, { delivery: { physical: true } })
      const address: Body = { street: '1 Main Street', country: 'US', county_state: 'CA' }
      const more: Body = {
        shipping: { ...address, name: 'Ada', town_city: 'San Francisco', postal_zip_code: '94107' },
        fulfillment: { shipping_method: methods[0]?.id },
      }
      const replies: Reply[] = []
      let cancelled = 0
      for (let round = 0; round < rounds; round++) {
        const { order } = await buy(world, await world.token(product), world.body(cardPayment(), more))
        const items = [{ id: order.fulfillment.physical.items[0]?.id, quantity: 1 }]
        const ship = () =>
          world.ask('POST', `/v1/orders/${order.id}/fulfillments/physical/shipments`, {
            key: world.secret,
            body: { items },
          })
        // Each of the two is sent first in half of the rounds.
        const [sent, asked] =
          round % 2 === 0
            ? await Promise.all([times(shipments, ship), times(2, () => cancel(world, order))])
            : (await Promise.all([times(2, () => cancel(world, order)), times(shipments, ship)])).reverse()
        const after = await read(world, order)
        const shipped = after.fulfillment.physical.items[0]?.quantity_fulfilled
        const ok = (answers: Reply[] | undefined, status: number) =>
          (answers ?? []).filter((reply) => reply.status === status).length
        const end = [after.status, after.status_payment, shipped, ok(sent, 201), ok(asked, 200)]
        expect(
          [
            ['open', 'paid', 1, 1, 0],
            ['cancelled', 'refunded', 0, 0, 1],
          ].map((allowed) => allowed.join()),
        ).toContain(end.join())
        if (after.status === 'cancelled') cancelled++
        replies.push(...(asked ?? []))
      }
      expect(await world.available(product)).toBe(rounds * 5 - (rounds - cancelled))
      await world.expectOracles()
      conclude(
        `${cancelled} cancelled, refunded and restocked, ${rounds - cancelled} shipped and paid; cancels ${tally(replies)}`,
      )
    })
  })

  describe('partial refunds', { timeout }, () => {
    it('of one order, from two processes at once, never pass what was paid, and end at nothing left', async () => {
      const [rounds, requests] = [size(3, 40), 12]
      const conclude = beginProof(
        'L18',
        'partial refunds of one order in several amounts, from two processes',
        `${rounds} orders, ${requests} refunds each`,
      )
      const replies: Reply[] = []
      for (let round = 0; round < rounds; round++) {
        const { order } = await bought(world, 'card and gift card')
        let turn = 0
        const answers = await times(requests, () =>
          world.ask('POST', `/v1/orders/${order.id}/refund`, {
            key: world.secret,
            body: { amount: 1 + (turn++ % 3) * 1.5 },
          }),
        )
        const after = await read(world, order)
        const given = answers.filter(({ status }) => status === 200).length
        expect(given).toBeGreaterThan(0)
        expect(after.order.total_refunded.raw + after.order.total_refundable.raw).toBe(10)
        if (after.order.total_refundable.raw > 0)
          await world.succeed(200, 'POST', `/v1/orders/${order.id}/refund`, { key: world.secret, body: {} })
        expect(await read(world, order)).toMatchObject({
          status_payment: 'refunded',
          order: { total_refunded: { raw: 10 }, total_refundable: { raw: 0 } },
        })
        replies.push(...answers)
      }
      expect(replies.filter(({ status }) => ![200, 409, 422, 503].includes(status))).toEqual([])
      await world.expectOracles()
      conclude(`10.00 given back of each of ${rounds} orders; refunds ${tally(replies)}`)
    })
  })
}
