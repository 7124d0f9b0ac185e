// The request log in the service: which requests it keeps, that nobody waits for it, and that a stop leaves nothing behind.

import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { loggingApp } from '../api/developer/logs-support.ts'
import { administer, cloneDatabase, patient } from '../support/database.ts'

const connection = await cloneDatabase()
const { app, openShop } = await loggingApp({ connection })
const shop = await openShop()
const holder = new pg.Client(connection)
await holder.connect()
afterAll(() => holder.end())

const others = {
  all: await loggingApp({ connection, requestLog: 'all' }),
  writes: await loggingApp({ connection, requestLog: 'writes' }),
  errors: await loggingApp({ connection, requestLog: 'errors' }),
  off: await loggingApp({ connection, requestLog: 'off' }),
}

const kept = async (ids: readonly string[]): Promise<string[]> => {
  const { rows } = await administer(
    connection,
    `select id from request_log where id in (${ids.map((id) => `'${id}'`)})`,
  )
  return rows.map(({ id }) => id)
}

describe('the request log', () => {
  it('is on nobody’s way: requests are answered while its table is locked, and are found afterwards', async () => {
    await shop.get((await shop.send('GET', '/v1/products')).requestId)
    await holder.query('begin; lock table request_log in access exclusive mode')
    const ids: string[] = []
    for (let n = 0; n < 20; n++) {
      const { requestId, status } = await shop.send('POST', '/v1/categories', {
        body: { slug: `colour-${n}`, name: 'Colours' },
      })
      expect(status).toBe(201)
      ids.push(requestId)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await holder.query('rollback')
    await expect.poll(async () => (await kept(ids)).length, { timeout: patient(5_000) }).toBe(20)
    expect((await app.call('GET', '/metrics')).text).toContain('cartwright_request_log_dropped_total 0\n')
  })

  it.each([
    ['all', [200, 201, 404, 201]],
    ['writes', [201, 404, 201]],
    ['errors', [404]],
    ['off', []],
  ] as const)(
    '%s: of a read, a change, a refusal and a GET that makes a cart keeps the right ones; a stop writes them',
    async (requestLog, statuses) => {
      const { app: other } = others[requestLog]
      const send = async (method: 'GET' | 'POST', path: string, body?: unknown) =>
        other.call(method, path, { key: shop.keys.sandbox.secret, ...(body === undefined ? {} : { body }) })
      const answers = [
        await send('GET', '/v1/products'),
        await send('POST', '/v1/categories', { slug: `size-${requestLog}`, name: 'Sizes' }),
        await send('GET', '/v1/products/prod_unknown'),
        await send('GET', '/v1/carts'),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 404, 201])
      await other.close()
      const ids = answers.map(({ headers }) => String(headers['x-request-id']))
      const found = await kept(ids)
      const statusOf = new Map(answers.map(({ status }, index) => [ids[index], status]))
      expect(ids.filter((id) => found.includes(id)).map((id) => statusOf.get(id))).toEqual(statuses)
    },
  )
})
