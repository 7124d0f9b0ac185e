// A refund that a message of Square's names while the payment does not name it yet (`refund_ids`): it is looked at by its own id, and recorded.

import { expect, it } from 'vitest'
import { openShopOf, paymentOf } from './shop.ts'
import { openSquareProvider } from './square.ts'

const { provider, shop } = await openShopOf(openSquareProvider)
const { square } = provider

/** Refunded in Square's dashboard; the payment does not say so yet. */
function refundUnnamed(id: string, amount: number): string {
  const before = square.payments.get(id)
  const refund = provider.refundByHand(id, amount)
  square.payments.set(id, { ...before } as never)
  return refund
}

it('is in the order at once, also if messages about the order itself wait, and once when the payment names it', async () => {
  const order = await shop.buy()
  const id = paymentOf(order)
  const refund = refundUnnamed(id, 400)
  // Of one moment: the second must not be lost in the job of the first.
  expect((await shop.send(shop.message('moved', { key: null, id }))).statusCode).toBe(200)
  await shop.tell('refunded', { key: null, id, refund })
  const told = await shop.read(order)
  expect(told).toMatchObject({ status_payment: 'partially_refunded', refunds: [{ amount: { raw: 4 } }] })
  square.payments.set(id, { ...square.payments.get(id), refund_ids: [refund] } as never)
  await shop.tell('refunded', { key: null, id, refund })
  expect(await shop.read(order)).toEqual(told)
})

it('of another payment is not recorded in this order', async () => {
  const [order, other] = [await shop.buy(), await shop.buy()]
  const refund = refundUnnamed(paymentOf(other), 400)
  await shop.tell('refunded', { key: null, id: paymentOf(order), refund })
  expect((await shop.read(order)).refunds).toEqual([])
})
