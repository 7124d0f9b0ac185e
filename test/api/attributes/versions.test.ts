// Attributes have the same form in every version: each version's replies are the newest version's, byte for byte.

import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { create, draft, shopOf, UNKNOWN_ID } from './support.ts'

const HEAD = '2022-07-21'
// The specification's list, and the initial version.
const VERSIONS = `2022-07-21 2021-10-06 2021-09-29 2021-09-22 2021-07-28 2021-07-21 2021-07-14 2021-06-23 2021-06-09
  2021-06-02 2021-05-19 2021-05-05 2021-04-28 2021-04-13 2021-03-31 2021-03-17 2021-03-10 2021-03-03 2020-11-18
  2020-09-23 2020-08-26 2020-08-12 2020-07-29 2020-07-01 2020-06-17 2020-02-01`.split(/\s+/)

const app = await testApp()

const FULL = {
  type: 'options',
  required: true,
  is_public: false,
  is_multiselect: true,
  options: [{ value: 'oak', label: 'Oak' }, { value: 'steel' }],
  default_value: 'oak',
  meta: { z: 1, a: { metadata: 'kept', last_updated: 1, media: null } },
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The whole life of an attribute, and its errors, in one version. Ids are written alike, so that replies compare. */
async function life(version: string) {
  const { keys } = await shopOf(app)
  const replies: unknown[] = []
  const send = async (method: Method, url: string, body?: unknown, key = keys.sandbox.secret) => {
    const answer = await app.call(method, url, { key, version, ...(body === undefined ? {} : { body }) })
    expect([answer.headers['service-version'], answer.headers['chec-version']]).toEqual([version, version])
    replies.push([
      method,
      answer.status,
      answer.headers['content-type'],
      answer.text.replace(/\b(attr|atop)_[0-9A-Za-z]{26}/g, '$1_…'),
    ])
    return answer.body
  }
  const { id } = (await send('POST', '/v1/attributes', draft(FULL))) as { id: string }
  await send('GET', `/v1/attributes/${id}`)
  await send('PUT', `/v1/attributes/${id}`, { name: 'Renamed', options: [{ label: 'oak' }], meta: null })
  await send('GET', '/v1/attributes?limit=1&page=2')
  await send('POST', '/v1/attributes', {})
  await send('PUT', `/v1/attributes/${id}`, { type: 'date' })
  await send('DELETE', `/v1/attributes/${id}`)
  await send('GET', `/v1/attributes/${UNKNOWN_ID}`)
  await send('GET', '/v1/attributes', undefined, keys.sandbox.public)
  await send('GET', '/v1/attributes', undefined, 'sk_test_wrong')
  return replies
}

describe('attributes in every version', () => {
  let newest: unknown[] = []
  beforeAll(async () => {
    await create(app, (await shopOf(app)).keys.sandbox.secret)
    // Attributes of one millisecond stand in no particular order.
    app.clock.advance(1)
    newest = await life(HEAD)
  })

  it('are 26 versions, each of which succeeds and fails as documented', () => {
    expect(new Set(VERSIONS).size).toBe(26)
    expect(newest.map((reply) => (reply as unknown[])[1])).toEqual([201, 200, 200, 200, 422, 422, 204, 404, 403, 401])
  })

  it.each(VERSIONS)('%s gives the bytes of the newest', async (version) => {
    expect(await life(version)).toEqual(newest)
  })

  it.each(VERSIONS)('%s reads the very attribute and the very list that the newest reads', async (version) => {
    const { keys } = await shopOf(app)
    const key = keys.sandbox.secret
    const list = await app.call('GET', '/v1/attributes', { key })
    expect((await app.call('GET', '/v1/attributes', { key, version })).text).toBe(list.text)
    const [first] = (list.body as { data: { id: string }[] }).data
    const url = `/v1/attributes/${first?.id}`
    const one = await app.call('GET', url, { key })
    expect(one.status).toBe(200)
    expect((await app.call('GET', url, { key, version })).text).toBe(one.text)
    expect((await app.call('GET', url, { key, headers: { 'chec-version': version } })).text).toBe(one.text)
  })
})
