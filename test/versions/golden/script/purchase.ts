// Two purchases: one by card, which is refunded; one by transfer, which is paid in parts, shipped and downloaded. And captures that are refused
// (how they say so changed at 2020-08-26) or that the shopper has yet to finish.

import type { Order } from '../../../../src/api/orders/schema.ts'
import type { JsonObject } from '../../../../src/versions/change.ts'
import { ADDRESS, CARD } from '../../../api/checkouts/capture-support.ts'
import type { Scene } from '../scene.ts'
import type { Catalogue } from './catalogue.ts'
import { tokenOf } from './checkouts.ts'
import type { Terms } from './terms.ts'

const CUSTOMER = { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace' }

/** Gives the order that was paid by transfer. */
export async function purchase(scene: Scene, terms: Terms, sold: Catalogue): Promise<Order> {
  const { ask, prepare } = scene
  const form = { customer: CUSTOMER, shipping: ADDRESS, fulfillment: { shipping_method: terms.method }, payment: CARD }
  await refusedCaptures(scene, sold, form)
  await unfinishedCaptures(scene, sold, form)
  await filledInCapture(scene, sold, form)
  const token = await tokenOf(scene, sold)
  const { id } = await ask('checkouts.capture', {
    params: { id: token.id },
    body: { ...form, discount_code: 'TEN', meta: { source: 'advert' } },
  })
  await ask('checkouts.receipt', { params: { id: token.id } })
  const { id: transfer } = await prepare<Order>('checkouts.capture', {
    params: { id: (await tokenOf(scene, sold)).id },
    body: { ...form, billing: ADDRESS, discount_code: 'TEN', giftcard_code: 'CARD-3', payment: { gateway: 'manual' } },
  })
  await byTransfer(scene, transfer)
  await delivery(scene, transfer)
  await ask('orders.get', { params: { id: transfer } })
  await changes(scene, id)
  await shorterOrders(scene, sold)
  return prepare<Order>('orders.get', { params: { id: transfer } })
}

async function refusedCaptures(scene: Scene, sold: Catalogue, form: JsonObject) {
  const { ask } = scene
  const { id } = await tokenOf(scene, sold)
  const params = { id }
  const unfilled = { ...form, customer: {}, shipping: { ...ADDRESS, street: '' }, fulfillment: {} }
  await ask('checkouts.capture', { case: 'unfilled', status: 422, params, body: unfilled })
  await ask('checkouts.capture', { case: 'badly_formed', status: 422, params, body: { ...form, customer: 'Ada' } })
  await ask('checkouts.capture', { case: 'not_valid', status: 422, params, body: { ...form, discount_code: 'NONE' } })
  const declined = { ...CARD, card: { ...CARD.card, number: '4000 0000 0000 0002' } }
  await ask('checkouts.capture', { case: 'declined', status: 402, params, body: { ...form, payment: declined } })
  await ask('checkouts.receipt', { case: 'unpaid', status: 404, params })
  await ask('checkouts.capture', { case: 'no_such_key', status: 401, params, body: form, key: 'pk_test_none' })
  const { token, key } = scene.closed
  await ask('checkouts.capture', { case: 'shop_disabled', status: 402, params: { id: token }, body: form, key })
}

/** The shopper is needed: to confirm with the bank, or to go to another page. */
async function unfinishedCaptures(scene: Scene, sold: Catalogue, form: JsonObject) {
  const { ask, prepare } = scene
  const token = async () => ({ id: (await tokenOf(scene, sold)).id })
  const verified = { ...CARD, card: { ...CARD.card, number: '4000 0000 0000 3220' } }
  const toVerify = { ...form, payment: verified }
  await ask('checkouts.capture', { case: 'to_verify', status: 402, params: await token(), body: toVerify })
  const { id } = await prepare('gateways.create', { body: { code: 'test_redirect' } })
  const redirected = { ...form, payment: { gateway: 'test_redirect' } }
  await ask('checkouts.capture', { case: 'redirected', status: 200, params: await token(), body: redirected })
  await prepare('gateways.delete', { params: { id } })
}

/** What is chosen, and what was entered, comes with the capture. */
async function filledInCapture(scene: Scene, sold: Catalogue, form: JsonObject) {
  const { id, line_items: lines } = await tokenOf(scene, sold)
  const body = {
    ...form,
    line_items: { [lines[0]?.id ?? '']: { quantity: 3, options: { [sold.group]: sold.large } } },
    extrafields: { [sold.initials]: 'A. L.' },
  }
  await scene.ask('checkouts.capture', { case: 'filled_in', status: 200, params: { id }, body })
}

async function byTransfer({ ask, prepare }: Scene, id: string) {
  const { transactions } = await prepare<Order>('orders.get', { params: { id } })
  const params = { id, transaction_id: transactions[0]?.id ?? '' }
  await ask('orders.update_transaction', { params, body: { status: 'complete', amount: 5, notes: 'A first part' } })
}

async function delivery({ ask, prepare }: Scene, id: string) {
  const { fulfillment } = await prepare<Order>('orders.get', { params: { id } })
  const item = fulfillment.physical.items[0]?.id ?? ''
  const packed = fulfillment.digital.downloads[0]?.packages[0]?.id ?? ''
  const shipment = { items: [{ id: item, quantity: 1 }], carrier: 'Post', tracking_number: '1Z' }
  await ask('orders.create_shipment', { params: { id }, body: shipment })
  await ask('orders.update_item', { params: { id, item_id: item }, body: { status: 'fulfilled' } })
  await history({ ask }, id)
  await ask('orders.get_fulfillments', { params: { id } })
  await ask('orders.list_packages', { params: { id } })
  await ask('orders.get_package', { params: { id, package_id: packed } })
  // Before 2020-11-18 this is how it was called.
  const older = { id, package_id: packed.replace('dwnld_', 'ful_') }
  await ask('orders.get_package', { case: 'by_older_id', status: 404, params: older })
  await ask('orders.update_package', {
    case: 'by_older_id',
    status: 404,
    params: older,
    body: { remaining_downloads: 2 },
  })
  await ask('orders.update_package', { params: { id, package_id: packed }, body: { remaining_downloads: 3 } })
}

async function history({ ask }: Pick<Scene, 'ask'>, id: string) {
  const { id: note_id } = await ask<{ id: string }>('orders.add_note', { params: { id }, body: { text: 'Call back.' } })
  await ask('orders.get_timeline', { params: { id } })
  await ask('orders.delete_note', { params: { id, note_id } })
}

async function changes({ ask }: Scene, id: string) {
  await ask('orders.resend_receipt', { params: { id } })
  // Before 2020-07-01 it was called `metadata`.
  await ask('orders.update', { case: 'metadata', status: 200, params: { id }, body: { metadata: { source: 'fair' } } })
  await ask('orders.update', {
    params: { id },
    body: { shipping: { street_2: 'Back door' }, meta: { source: 'shop' } },
  })
  await ask('orders.preview_refund', { params: { id }, body: { amount: 1.5 } })
  // Before 2022-07-21 it stays paid.
  await ask('orders.refund', { case: 'part', status: 200, params: { id }, body: { amount: 1.5, reason: 'Scratched' } })
  const stale = { amount: 1.5, expected_left: 1.5 }
  await ask('orders.refund', { case: 'expected_left', status: 409, params: { id }, body: stale })
  await ask('orders.refund', { params: { id }, body: { reason: 'Too small' } })
}

/** Of one song each. */
async function shorterOrders({ ask, prepare }: Scene, { song }: Catalogue) {
  const made = await prepare('checkouts.create', { params: { id: song }, query: { type: 'product_id' } })
  const params = { id: made.id }
  const tooLittle = { customer: CUSTOMER, payment: CARD, pay_what_you_want: 0.5 }
  await ask('checkouts.capture', { case: 'too_little', status: 422, params, body: tooLittle })
  // Before 2020-07-01 it was called `metadata`.
  const body = { customer: CUSTOMER, payment: CARD, pay_what_you_want: 2, metadata: { a: 'b' } }
  const { id } = await ask('checkouts.capture', { case: 'metadata', status: 200, params, body })
  // Versions that read `metadata` and those that do not go on with the same order.
  await prepare('orders.update', { params: { id }, body: { meta: body.metadata } })
  await ask('orders.cancel', { params: { id }, body: { reason: 'By mistake', refund: true } })
  await ask('orders.list', { query: { limit: 1 } })
}
