// Whose order it is: the customer of its e-mail address, or a new one. Orders are made as the last step of a capture makes them.

import { expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { rowTexts } from '../../support/rows.ts'
import { atOnce } from '../../support/shop.ts'
import { draftOf, openShop } from '../orders/support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const buyer = (email: string, more: object = {}) => ({ customer: { ...draftOf().customer, email, ...more } })

const rows = () => rowTexts(app.db, shop.id, 'customers')
const created = async () => (await shop.events()).filter(({ name }) => name === 'customers.create')

it('a known address is matched in any case, and its customer stays as it is', async () => {
  const first = await shop.order(buyer('known@example.com'))
  const before = [await rows(), (await created()).length]
  expect((await shop.order(buyer(' KNOWN@example.COM', { firstname: 'Mallory', phone: '666' }))).customer).toEqual({
    id: first.customer.id,
    email: ' KNOWN@example.COM',
    firstname: 'Mallory',
    phone: '666',
  })
  expect([await rows(), (await created()).length]).toEqual(before)
})

it('a customer that is named and gone meanwhile is matched by address, or made anew', async () => {
  const { customer } = await shop.order(buyer('still@example.com'))
  const gone = `cstmr_${'0'.repeat(26)}`
  expect((await shop.order(buyer('still@example.com', { id: gone }))).customer.id).toBe(customer.id)
  const anew = await shop.order(buyer('anew@example.com', { id: gone }))
  expect([gone, customer.id]).not.toContain(anew.customer.id)
})

it('twenty first orders of one address at once make one customer', async () => {
  const orders = await atOnce(20, () => shop.order(buyer('crowd@example.com')))
  expect(new Set(orders.map(({ customer }) => customer.id)).size).toBe(1)
  const told = (await created()).filter(({ payload }) => (payload as { email: string }).email === 'crowd@example.com')
  expect(told.length).toBe(1)
})

it('the same address is another customer in the other mode and in another shop', async () => {
  const sandbox = await shop.order(buyer('both@example.com'))
  const live = await shop.order(buyer('both@example.com'), 'manual', { is_sandbox: false })
  const other = await (await openShop(app)).order(buyer('both@example.com'))
  expect(new Set([sandbox, live, other].map(({ customer }) => customer.id)).size).toBe(3)
})

it('a capture that fails afterwards leaves no customer', async () => {
  await shop.order({ checkout_id: 'chkt_taken' })
  const before = await rows()
  await expect(shop.order({ ...buyer('never@example.com'), checkout_id: 'chkt_taken' })).rejects.toThrow()
  expect(await rows()).toEqual(before)
})
