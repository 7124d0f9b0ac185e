// Every POST sent twice with the same Idempotency-Key has one effect and one response. A different body under the same key is rejected.

import { describe, expect, it } from 'vitest'
import { stateReader } from '../access/state.ts'
import { openProperties, operations, titled } from './support.ts'

const shop = await openProperties()
const readState = await stateReader(shop.app.db)

const posts = operations.filter(({ endpoint }) => endpoint.method === 'POST')

const SECRET = 'The answer holds a secret, which is not stored.'

/** Requests that run again under the same key, each with the reason. */
const RUN_AGAIN: Readonly<Record<string, string>> = {
  'developer.test_mail': 'There is no mail server here: a 409 is not final.',
  'keys.create': SECRET,
  'customers.exchange_token': `${SECRET} A used link is refused.`,
  'customers.issue_token': SECRET,
  'customers.issue_session': SECRET,
  'webhooks.create': SECRET,
  'webhooks.rotate': SECRET,
}

const USED = 'This Idempotency-Key was sent with another request to this address. Use a new key for each request.'

describe.each(titled(posts.filter(({ name }) => !(name in RUN_AGAIN))))('%s', (name, operation) => {
  it('runs once for one Idempotency-Key', async () => {
    const ids = await shop.newIds(operation)
    const body = shop.bodyOf(operation, ids)
    const sent = { ids, body, headers: { 'idempotency-key': `once ${name}` } }
    const first = await shop.send(operation, sent)
    expect([first.status, first.text]).toEqual([operation.row.served, first.text])
    expect(first.headers).not.toHaveProperty('idempotency-replayed')

    const before = await readState()
    shop.app.clock.advance(1)
    const again = await shop.send(operation, sent)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers['idempotency-replayed']).toBe('true')
    const other = await shop.send(operation, { ...sent, body: { ...body, 'another body': true } })
    expect([other.status, (other.body as { error: object }).error]).toEqual([
      422,
      expect.objectContaining({ type: 'not_valid', errors: { 'Idempotency-Key': [USED] } }),
    ])
    expect(await readState()).toEqual(before)
  })
})

describe('a request that runs again', () => {
  it.each(titled(posts.filter(({ name }) => name in RUN_AGAIN)))('%s', async (_, operation) => {
    const ids = await shop.newIds(operation)
    const sent = { ids, body: shop.bodyOf(operation, ids), headers: { 'idempotency-key': 'again' } }
    for (let time = 0; time < 2; time++)
      expect((await shop.send(operation, sent)).headers).not.toHaveProperty('idempotency-replayed')
  })
})
