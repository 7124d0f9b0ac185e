// @sampled: the proof tries the race more often.
// Which orders a customer who is logged in is shown: those made under an address that was the customer's own and proven. The clock moves
// with every look at it, and addresses are proven by the links that are mailed to them.

import { describe, expect, it } from 'vitest'
import { updateCustomer } from '../../../src/api/customers/customer.ts'
import { makeOrder } from '../../../src/api/orders/make.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { takeOrderNumber } from '../../../src/api/orders/store.ts'
import { databaseOf, type Tx } from '../../../src/db/db.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { newId } from '../../../src/lib/ids.ts'
import { testApp } from '../../support/app.ts'
import { size } from '../../support/proof.ts'
import { type DraftFields, draftOf, orderDraft } from '../orders/support.ts'
import { untilLockIsAwaited } from '../waiting-locks.ts'
import { BASE_URL, runLoginJobs, tokenIn } from './login-support.ts'
import { openCustomers } from './shop.ts'

const app = await testApp({ trustProxy: () => true })
const still = app.clock.now.bind(app.clock)
app.clock.now = () => {
  app.clock.advance(0.001)
  return still()
}
const shop = await openCustomers(app)
const key = shop.keys.sandbox.secret
const by = (email: string, more: object = {}) => ({ customer: { ...draftOf().customer, email, ...more } })

/** Asks for a link, opens the mail, and gives the header of the session. */
async function logInByMail(email: string): Promise<string> {
  app.clock.advance(61)
  const post = (path: string, body: object) => app.call('POST', `/v1/customers/${path}`, { key, body })
  expect((await post('email-token', { email, base_url: BASE_URL })).status).toBe(200)
  const { mails } = await runLoginJobs(app)
  expect(mails.map(({ to }) => to)).toEqual([email])
  const { status, body } = await post('exchange-token', { token: tokenIn(mails[0]) })
  expect(status).toBe(200)
  return `Bearer ${(body as { jwt: string }).jwt}`
}

/** The last step of a capture, by a clock or in a transaction of the test's own. */
const make = (draft: Partial<DraftFields>, clock: Clock = app.clock, watched = (tx: Tx) => tx): Promise<Order> =>
  app.db.transactionAfter(
    (db) => takeOrderNumber(db, shop.owner),
    (tx, number) =>
      makeOrder(watched(tx), clock, shop.owner, orderDraft(draftOf(draft)), null, {
        attemptId: newId('paymentAttempt', still()),
        bodyDigest: Buffer.alloc(32),
        number,
      }),
  )

let number = 0

/** A customer with one order, logged in. */
async function begin() {
  const round = ++number
  const at = (name: string) => `${name}${round}@example.com`
  const own = await shop.order(by(at('own')))
  const { id } = own.customer
  const shown = async (who: string) => {
    const { data, meta } = (await shop.succeed(200, 'GET', `/${id}/orders`, undefined, who)) as {
      data: Order[]
      meta: { pagination: { total: number } }
    }
    expect(meta.pagination.total).toBe(data.length)
    for (const order of data)
      expect((await shop.call('GET', `/${id}/orders/${order.id}`, undefined, who)).status).toBe(200)
    return data.map((order) => order.id)
  }
  const hides = async (order: Order, who: string) => {
    expect(order.customer.id).toBe(id)
    expect(await shown(key)).toContain(order.id)
    expect(await shown(who)).not.toContain(order.id)
    expect((await shop.call('GET', `/${id}/orders/${order.id}`, undefined, who)).status).toBe(404)
  }
  return { at, own, id, session: await shop.logIn(id), shown, hides }
}

describe('an address that a customer has taken', () => {
  it('shows no order that comes in under it until the link mailed to it is used, and then all of them', async () => {
    const { at, own, id, session, shown, hides } = await begin()
    await shop.update(id, { email: at('victim') }, session)
    const orders = [await shop.order(by(at('victim'))), await shop.order(by(at('VICTIM')))]
    for (const order of orders) await hides(order, session)
    expect(await shown(session)).toEqual([own.id])
    const proven = await logInByMail(at('victim'))
    expect(await shown(proven)).toEqual([...orders.map((order) => order.id).reverse(), own.id])
    expect((await shop.call('GET', `/${id}/orders`, undefined, session)).status).toBe(401)
    // From now on it is the customer's, as any that was never changed.
    const later = await shop.order(by(at('victim')))
    expect((await shown(proven))[0]).toBe(later.id)
  })

  it('takes nothing from what was shown before, whichever addresses follow, be they proven or not', async () => {
    const { at, own, id, session, shown, hides } = await begin()
    const second = await shop.order(by(at('own')))
    const before = [second.id, own.id]
    for (const email of [at('typo'), at('own'), at('new')]) {
      await shop.update(id, { email }, session)
      expect([email, await shown(session)]).toEqual([email, before])
    }
    const third = await shop.order(by(at('new')))
    await hides(third, session)
    expect(await shown(await logInByMail(at('new')))).toEqual([third.id, ...before])
  })

  it('stays closed once another is set and proven, and when the merchant edits the order', async () => {
    const { at, own, id, session, shown, hides } = await begin()
    await shop.update(id, { email: at('victim') }, session)
    const theirs = await shop.order(by(at('victim')))
    await shop.update(id, { email: at('own') }, session)
    await hides(theirs, session)
    const proven = await logInByMail(at('own'))
    await hides(theirs, proven)
    for (const email of [at('elsewhere'), at('own')]) {
      expect((await shop.call('GET', `/${id}`)).body).toMatchObject({ email: at('own') })
      const edited = await app.call('PUT', `/v1/orders/${theirs.id}`, { key, body: { customer: { email } } })
      expect(edited.status).toBe(200)
      await hides(theirs, proven)
    }
    await app.call('PUT', `/v1/orders/${own.id}`, { key, body: { customer: { email: at('victim') } } })
    expect(await shown(proven)).toEqual([own.id])
    // Taken again it is still not proven.
    await shop.update(id, { email: at('victim') }, proven)
    await hides(theirs, proven)
    expect(await shown(await logInByMail(at('victim')))).toEqual([theirs.id, own.id])
  })

  it('shows no order whose making had begun before it was taken', async () => {
    const { at, id, session, hides } = await begin()
    const earlier = app.clock.now()
    await shop.update(id, { email: at('victim') }, session)
    await hides(await make(by(at('victim')), { now: () => earlier }), session)
  })

  it('shows no order that has waited for it to be taken', async () => {
    const { at, id, session, hides } = await begin()
    const caller = { merchant_id: shop.id, is_sandbox: true, session: { begunAt: app.clock.now() } }
    let making: Promise<Order> | undefined
    await app.db.transaction(async (tx) => {
      await updateCustomer({ db: databaseOf(tx), clock: app.clock, caller }, id, { email: at('victim') })
      making = make(by(at('victim')))
      await untilLockIsAwaited(app.db)
    })
    await hides(await (making as Promise<Order>), session)
  })

  it('shows no order that is made at the moment in which it is taken', async () => {
    for (let round = 0; round < size(6, 30); round++) {
      const { at, own, id, session, shown } = await begin()
      const later = () => new Promise((resolve) => setTimeout(resolve, (round % 6) * 2))
      const [order, taken] = await Promise.all([
        make(by(at('victim'))),
        later().then(() => shop.call('PUT', `/${id}`, { email: at('victim') }, session)),
      ])
      expect([round, taken.status]).toEqual([round, order.customer.id === id ? 200 : 422])
      expect(await shown(session)).toEqual([own.id])
    }
  })

  it('shows an order that was being made while it was proven from the next login on', async () => {
    const { at, own, id, session, shown, hides } = await begin()
    await shop.update(id, { email: at('victim') }, session)
    let proven = ''
    const order = await make(by(at('victim')), app.clock, (tx) => ({
      ...tx,
      // The customer has been read; the order itself is written with the commit.
      together: async (asks) => {
        const answers = await tx.together(asks)
        proven = await logInByMail(at('victim'))
        return answers
      },
    }))
    await hides(order, proven)
    expect(await shown(await logInByMail(at('victim')))).toEqual([order.id, own.id])
    // An address that was proven already ends nobody's session.
    expect((await shop.call('GET', `/${id}`, undefined, proven)).status).toBe(200)
  })
})

describe('the secret key', () => {
  it('vouches for the address that it changes to, for no other, and not for one that it sends again', async () => {
    const { at, own, id, session, shown, hides } = await begin()
    await shop.update(id, { email: at('victim') }, session)
    const theirs = await shop.order(by(at('victim')))
    await shop.update(id, { email: at('VICTIM'), firstname: 'Same' })
    await hides(theirs, session)
    await shop.update(id, { email: at('new') })
    const later = await shop.order(by(at('new')))
    const again = await shop.logIn(id)
    await hides(theirs, again)
    expect(await shown(again)).toEqual([later.id, own.id])
    // What belongs to another customer stays closed as well.
    const other = await begin()
    await shop.update(other.id, { email: other.at('victim') }, other.session)
    const hidden = await shop.order(by(other.at('victim')))
    await shop.update(id, { email: at('victim') })
    expect(await shown(await shop.logIn(id))).toEqual([later.id, theirs.id, own.id])
    await other.hides(hidden, other.session)
  })

  it('that changes it, and letters that alone are changed, hide nothing', async () => {
    const { at, own, id, session, shown } = await begin()
    await shop.update(id, { email: at('OWN') }, session)
    const second = await shop.order(by(at('own')))
    expect(await shown(session)).toEqual([second.id, own.id])
    await shop.update(id, { email: at('new') })
    const third = await shop.order(by(at('new')))
    expect(await shown(await shop.logIn(id))).toEqual([third.id, second.id, own.id])
  })
})

it('an order of which the capture names the customer is shown where its address is the customer’s own and proven', async () => {
  const { at, own, id, session, shown, hides } = await begin()
  const named = await shop.order(by(at('Own'), { id }))
  // Any public key can name any id; and this may be somebody who buys in a browser in which the customer is still logged in.
  const stranger = await shop.order(by(at('stranger'), { id }))
  await hides(stranger, session)
  expect(await shown(session)).toEqual([named.id, own.id])
  await shop.update(id, { email: at('new') }, session)
  const unproven = await shop.order(by(at('new'), { id }))
  await hides(unproven, session)
  const proven = await logInByMail(at('new'))
  await hides(stranger, proven)
  expect(await shown(proven)).toEqual([unproven.id, named.id, own.id])
})
