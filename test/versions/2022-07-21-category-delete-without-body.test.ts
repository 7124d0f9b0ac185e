// Deleting a category: 204 without a body, and 200 with `id` and `success` before 2022-07-21.

import { describe, expect, it } from 'vitest'
import { toldOf } from '../api/words.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const { keys } = await app.merchant()
const key = keys.sandbox.secret

async function removed(version: string) {
  const { body } = await app.call('POST', '/v1/categories', { key, body: { slug: 'gone', name: 'Gone' } })
  const { id } = body as { id: string }
  const answer = await app.call('DELETE', `/v1/categories/${id}`, { key, version })
  return { id, answer }
}

describe('deleting a category', () => {
  it.each(['2020-02-01', '2021-10-06'])('answers 200 with id and success at %s', async (version) => {
    const { id, answer } = await removed(version)
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ id, success: true })])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('answers 204 without a body at 2022-07-21', async () => {
    const { answer } = await removed('2022-07-21')
    expect([answer.status, answer.text]).toEqual([204, ''])
  })

  it('that does not exist stays a 404 at 2021-10-06', async () => {
    const answer = await app.call('DELETE', '/v1/categories/cat_none', { key, version: '2021-10-06' })
    expect([answer.status, answer.body]).toEqual([
      404,
      { error: toldOf({ type: 'not_found', message: 'There is no category with that id.' }), status_code: 404 },
    ])
  })
})
