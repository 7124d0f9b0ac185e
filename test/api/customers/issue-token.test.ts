// POST /v1/customers/issue-token and /v1/customers/{id}/issue-token: a merchant logs customers in by his own means.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { toldOf } from '../words.ts'
import { openShop, type Session } from './login-support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const other = await openShop(app)
const { sandbox, live } = shop.keys
const id = await shop.customer('Jane@example.com')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const NO_CUSTOMER = [
  404,
  { error: toldOf({ type: 'not_found', message: 'There is no customer with that e-mail address.' }), status_code: 404 },
]

describe('a token', () => {
  it('is issued for an address, for one exchange within 15 minutes, and only its hash is kept', async () => {
    const answer = await shop.call(
      'POST',
      'customers/issue-token',
      { email: 'JANE@example.com ' },
      { key: sandbox.secret },
    )
    const { token } = answer.body as { token: string }
    expect([answer.status, answer.headers['cache-control'], answer.body]).toEqual([200, 'no-store', { token }])
    expect(token).toMatch(/^[0-9A-Za-z]{40}$/)
    const expires_at = new Date(app.clock.now().getTime() + 900_000)
    const email_key = 'jane@example.com'
    expect(await shop.tokens()).toEqual([{ hash: sha256(token), customer_id: id, email_key, expires_at }])
    expect((await shop.exchange(token)).body).toMatchObject({ customer_id: id })
  })

  it('is issued anew for a repeated Idempotency-Key', async () => {
    const asked = { key: sandbox.secret, headers: { 'idempotency-key': 'issue' } }
    const issue = async () =>
      (await shop.call('POST', 'customers/issue-token', { email: 'jane@example.com' }, asked)).text
    expect(await issue()).not.toBe(await issue())
  })

  it('is not issued for an address that is unknown, or known in another shop or mode', async () => {
    await other.customer('theirs@example.com')
    await shop.customer('live@example.com', live.secret)
    for (const email of ['unknown@example.com', 'theirs@example.com', 'live@example.com']) {
      const { status, body } = await shop.call('POST', 'customers/issue-token', { email }, { key: sandbox.secret })
      expect([status, body]).toEqual(NO_CUSTOMER)
    }
  })
})

describe('a session', () => {
  it('is issued for a customer', async () => {
    const answer = await shop.call('POST', `customers/${id}/issue-token`, undefined, { key: sandbox.secret })
    const { jwt } = answer.body as Session
    expect([answer.status, answer.headers['cache-control'], answer.body]).toEqual([
      200,
      'no-store',
      { customer_id: id, jwt },
    ])
    const { status, body } = await app.call('GET', `/v1/customers/${id}`, {
      headers: { authorization: `Bearer ${jwt}` },
    })
    expect([status, body]).toMatchObject([200, { id, email: 'Jane@example.com' }])
  })
})
