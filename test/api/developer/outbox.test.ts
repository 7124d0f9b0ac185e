// GET /v1/developer/outbox: the mails of a service without a mail server, for who builds a shop.

import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { findNewestMail, storeUnsentMail } from '../../../src/mail/outbox-store.ts'
import { testApp } from '../../support/app.ts'
import { selectRows } from '../../support/rows.ts'
import { replyOf } from '../../support/shop.ts'

const app = await testApp({ trustProxy: () => true })

async function openShop() {
  const { id, keys } = await app.merchant()
  return {
    id,
    keys,
    async keep(to: string, more: { is_sandbox?: boolean; id?: string; kind?: string } = {}) {
      app.clock.advance(1)
      const mail = {
        merchant_id: id,
        is_sandbox: true,
        kind: 'login',
        id: newId('mail', app.clock.now()),
        to,
        from: { name: 'Shop', replyTo: 'shop@example.com' },
        subject: `To ${to}`,
        text: 'Text',
        html: '<p>HTML</p>',
        ...more,
      }
      await storeUnsentMail(app.db, mail, app.clock.now())
      return {
        id: mail.id,
        kind: mail.kind,
        to,
        from: 'Shop <shop@example.com>',
        subject: mail.subject,
        text: 'Text',
        html: '<p>HTML</p>',
        created: Math.floor(app.clock.now().getTime() / 1_000),
      }
    },
    get: (path = '', key = keys.sandbox.secret) =>
      app.call('GET', `/v1/developer/outbox${path}`, { key, headers: { 'x-forwarded-proto': 'https' } }),
  }
}

const pagination = (total: number) => ({
  pagination: { total, count: total, per_page: 20, current_page: 1, total_pages: 1, links: {} },
})

describe('the outbox', () => {
  it('lists the mails of the sandbox, newest first, and by recipient', async () => {
    const shop = await openShop()
    expect((await shop.get()).body).toEqual({ data: [], meta: pagination(0) })
    const first = await shop.keep('jane@example.com')
    const second = await shop.keep('John@example.com')
    const third = await shop.keep('jane@example.com')
    // The same mail, kept again after its job died half-way.
    await shop.keep('jane@example.com', { id: third.id })
    await shop.keep('jane@example.com', { is_sandbox: false })
    expect(await replyOf(shop.get())).toEqual([200, { data: [third, second, first], meta: pagination(3) }])
    expect((await shop.get('?to=john@EXAMPLE.com')).body).toEqual({ data: [second], meta: pagination(1) })
    expect(await replyOf(shop.get(`/${second.id}`))).toEqual([200, second])
  })

  it('shows in a terminal the newest to a customer, and that of a new order to the merchant where there is no other', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    expect(await findNewestMail(app.db, { merchant_id: shop.id })).toBeNull()
    const told = await shop.keep('merchant@example.com', { kind: 'new_order' })
    await shop.keep('live@example.com', { is_sandbox: false })
    await other.keep('other@example.com')
    expect(await findNewestMail(app.db, { merchant_id: shop.id })).toMatchObject({ id: told.id })
    await shop.keep('jane@example.com')
    const receipt = await shop.keep('jane@example.com', { kind: 'receipt' })
    await shop.keep('merchant@example.com', { kind: 'new_order' })
    expect(await findNewestMail(app.db, { merchant_id: shop.id })).toMatchObject({ id: receipt.id })
  })

  it('forgets mails after seven days', async () => {
    const shop = await openShop()
    await shop.keep('old@example.com')
    await shop.keep('old@example.com', { is_sandbox: false })
    app.clock.advance(7 * 86_400 - 2)
    await shop.keep('new@example.com')
    app.clock.advance(2)
    const worker = app.startJobs()
    await expect
      .poll(() => selectRows(app.db, 'recipient from mails', { merchant_id: shop.id }, 'order by created_at'), {
        timeout: 60_000,
      })
      .toEqual([{ recipient: 'new@example.com' }])
    await worker.stop()
    const kept = 'is_sandbox, sum(total)::bigint as total from kept_counts'
    const ofMails = { merchant_id: shop.id, list: 'mails' }
    expect(await selectRows(app.db, kept, ofMails, 'group by 1 order by 1')).toEqual([
      { is_sandbox: false, total: 0 },
      { is_sandbox: true, total: 1 },
    ])
  })
})
