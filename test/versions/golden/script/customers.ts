// Those who buy: their record, their addresses, how they log in, and their own orders, as the merchant reads them and as they do.

import type { Order } from '../../../../src/api/orders/schema.ts'
import { ADDRESS } from '../../../api/checkouts/capture-support.ts'
import type { Scene } from '../scene.ts'

export async function customersOf(scene: Scene, order: Order) {
  const { ask } = scene
  const { id } = order.customer
  await addresses(scene, id)
  await ask('customers.get', { params: { customer_id: id } })
  await ask('customers.list')
  await newCustomer(scene)
  await ownOrders(scene, order)
}

async function addresses({ ask, prepare }: Scene, id: string) {
  const customer = { customer_id: id }
  const { id: home } = await ask('customers.create_address', {
    params: customer,
    body: { ...ADDRESS, default_shipping: true },
  })
  const address = { ...customer, address_id: home }
  await ask('customers.get_address', { params: address })
  await ask('customers.list_addresses', { params: customer })
  await ask('customers.update_address', { params: address, body: { street_2: 'Second floor' } })
  const { id: old } = await prepare('customers.create_address', { params: customer, body: { name: 'Ada' } })
  await ask('customers.delete_address', { params: { ...customer, address_id: old } })
}

/** Of the one who logs in by a mail, too. */
async function newCustomer(scene: Scene) {
  const { ask } = scene
  const email = 'grace@example.com'
  const body = { email, firstname: 'Grace', external_id: 'G-1', meta: { tier: 'gold' } }
  const params = { customer_id: (await ask('customers.create', { body })).id }
  await ask('customers.update', { params, body: { lastname: 'Hopper' } })
  await ask('customers.email_token', { body: { email, base_url: 'https://shop.example/login' } })
  await ask('customers.email_token', { case: 'badly_formed', status: 422, body: { email, base_url: 'here' } })
  const token = await mailedToken(scene, email)
  await ask('customers.exchange_token', { body: { token } })
  await ask('customers.exchange_token', { case: 'used', status: 401, body: { token } })
  await ask('customers.issue_token', { body: { email } })
  await ask('customers.delete', { params })
}

type Mails = { data?: { id: string; text: string }[] }

async function mailedToken({ ask, prepare, afterJobs }: Scene, to: string): Promise<string> {
  const { id, text } = await afterJobs(async () => {
    const { data } = await prepare<Mails>('developer.list_mails', { query: { to } })
    return data?.[0]
  })
  await ask('developer.list_mails', { query: { to } })
  await ask('developer.get_mail', { params: { id } })
  await ask('developer.mail_setup')
  await ask('developer.preview_mail', { params: { kind: 'login' } })
  await ask('developer.test_mail', { status: 409, body: { to } })
  return /login\/([0-9A-Za-z]{40})/.exec(text)?.[1] ?? ''
}

async function ownOrders({ ask, prepare }: Scene, { id, customer }: Order) {
  const params = { customer_id: customer.id }
  const { jwt: session } = await ask<{ jwt: string }>('customers.issue_session', { params })
  await ask('customers.get', { case: 'session', status: 200, params, session })
  await ask('customers.list_orders', { params, query: { limit: 1 }, session })
  await ask('customers.get_order', { params: { ...params, order_id: id }, session })
  // Of somebody without orders: what there is to count, a sweep counts when it likes.
  const fresh = await prepare<{ id: string }>('customers.create', { body: { email: 'fresh@example.com' } })
  await ask('customers.get_spending', { params: { customer_id: fresh.id } })
  const other = { customer_id: `cstmr_${'0'.repeat(26)}` }
  await ask('customers.get', { case: 'of_another', status: 403, params: other, session })
}
