// GET /v1/attributes/{id}: one attribute, whole.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { create, itFindsNoOther, itNeedsTheSecretKey, OPTION_ID, shopOf, shown } from './support.ts'

// Live keys need HTTPS; the tests say so through a proxy that is trusted.
const app = await testApp({ trustProxy: () => true })
const get = (id: string, key: string, headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/attributes/${id}`, { key, headers })

describe('GET /v1/attributes/{id}', () => {
  it('gives every field of an attribute that was created with the least', async () => {
    const { keys } = await shopOf(app)
    const { id } = await create(app, keys.sandbox.secret)
    const answer = await get(id, keys.sandbox.secret)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual(shown({ id }))
    expect(Object.keys(answer.body as object)).toEqual([
      'id',
      'name',
      'description',
      'type',
      'required',
      'is_public',
      'is_multiselect',
      'default_value',
      'meta',
      'created',
      'updated',
      'options',
    ])
  })

  it('gives an attribute with everything set exactly as its creation answered', async () => {
    const { keys } = await shopOf(app)
    const created = await app.call('POST', '/v1/attributes', {
      key: keys.sandbox.secret,
      body: {
        name: 'Material',
        description: '',
        type: 'options',
        required: true,
        is_public: false,
        is_multiselect: true,
        options: [{ value: 'oak', label: 'Oak' }, { value: 'steel' }],
        default_value: 'oak',
        meta: { z: 1, a: { y: [1, 'two', null], b: 1.5 } },
      },
    })
    const { id } = created.body as { id: string }
    const answer = await get(id, keys.sandbox.secret)
    expect(answer.text).toBe(created.text)
    expect(answer.body).toEqual(
      shown({
        id,
        description: '',
        type: 'options',
        required: true,
        is_public: false,
        is_multiselect: true,
        options: [
          { id: expect.stringMatching(OPTION_ID), value: 'oak', label: 'Oak' },
          { id: expect.stringMatching(OPTION_ID), value: 'steel', label: 'steel' },
        ],
        default_value: 'oak',
        meta: { z: 1, a: { y: [1, 'two', null], b: 1.5 } },
      }),
    )
  })

  it('gives the sandbox and the live key the same bytes', async () => {
    const { keys } = await shopOf(app)
    const { id } = await create(app, keys.sandbox.secret, { meta: { by: 'sandbox' } })
    const sandbox = await get(id, keys.sandbox.secret)
    const live = await get(id, keys.live.secret, { 'x-forwarded-proto': 'https' })
    expect(live.status).toBe(200)
    expect(live.text).toBe(sandbox.text)
  })

  it('ignores query parameters it does not know', async () => {
    const { keys } = await shopOf(app)
    const attribute = await create(app, keys.sandbox.secret)
    expect((await get(`${attribute.id}?depth=9&limit=x`, keys.sandbox.secret)).body).toEqual(attribute)
  })

  itNeedsTheSecretKey(app, (id) => ({ method: 'GET', url: `/v1/attributes/${id}` }))
  itFindsNoOther(app, (id) => ({ method: 'GET', url: `/v1/attributes/${id}` }))

  it('refuses an address whose escape is broken', async () => {
    const { keys } = await shopOf(app)
    const answer = await get('attr_%F0%9F', keys.sandbox.secret)
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error: {
          type: 'bad_request',
          message: 'The address holds a percent sign that does not begin a valid escape.',
        },
        status_code: 400,
      },
    ])
  })

  it('refuses a version that does not exist', async () => {
    const { keys } = await shopOf(app)
    const { id } = await create(app, keys.sandbox.secret)
    const answer = await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret, version: '2019-01-01' })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      error: {
        type: 'bad_request',
        message: expect.stringMatching(
          /^The Service-Version header must name one of these versions: 2022-07-21, .*, 2020-02-01\.$/,
        ),
      },
      status_code: 400,
    })
  })

  it('refuses other methods', async () => {
    const { keys } = await shopOf(app)
    const answer = await app.call('PATCH', '/v1/attributes/attr_1', { key: keys.sandbox.secret, body: {} })
    expect(answer.headers.allow).toBe('GET, HEAD, PUT, DELETE')
    expect([answer.status, answer.body]).toEqual([
      405,
      {
        error: { type: 'method_not_allowed', message: 'This address accepts GET, HEAD, PUT, DELETE.' },
        status_code: 405,
      },
    ])
  })
})
