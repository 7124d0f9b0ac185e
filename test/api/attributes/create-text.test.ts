// POST /v1/attributes: text and meta come back exactly as they were sent, or are refused.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import { draft, eventsOf, OPTION_ID, rowsOf, shopOf, shown } from './support.ts'

const app = await testApp()

/** Sends a body; when it is refused, checks that nothing was stored and no event written. */
async function post(body: unknown) {
  const { id, keys } = await shopOf(app)
  const before = [(await rowsOf(app.db, id)).length, (await eventsOf(app.db, id)).length]
  const answer = await app.call('POST', '/v1/attributes', { key: keys.sandbox.secret, body })
  const after = [(await rowsOf(app.db, id)).length, (await eventsOf(app.db, id)).length]
  expect(after).toEqual(answer.status === 201 ? before.map((count) => count + 1) : before)
  return [answer.status, answer.body]
}

describe('meta of a new attribute', () => {
  const kept = async (meta: string) => {
    const { keys } = await shopOf(app)
    const payload = `{"name":"n","description":"d","type":"date","meta":${meta}}`
    const headers = { 'x-authorization': keys.sandbox.secret, 'content-type': 'application/json' }
    const made = await app.server.inject({ method: 'POST', url: '/v1/attributes', headers, payload })
    expect(made.statusCode).toBe(201)
    const { id } = made.json<{ id: string }>()
    const read = await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })
    expect(read.text).toBe(made.body)
    return made.body
  }

  it.each([
    '{}',
    '{"zebra":1,"apple":{"y":[],"b":1.5,"a":null},"mango":[{"k":true}],"Apple":-0.25}',
    '{"type":"x","id":7,"length":0,"toString":"s","valueOf":null,"toJSON":1,"hasOwnProperty":[]}',
    '{"":"","a.b":1,"a\\"b":"\\\\ \\n \\u0001","😀":"😀"}',
    '{"big":9007199254740991,"small":1e-7,"huge":1e+21}',
  ])('comes back with its keys in the order they were sent: %s', async (meta) => {
    expect(await kept(meta)).toContain(`,"meta":${meta},`)
  })

  it('keeps an object of twenty levels, the deepest a body may have', async () => {
    const deep = `${'{"a":'.repeat(18)}{}${'}'.repeat(18)}`
    expect(await kept(deep)).toContain(`,"meta":${deep},`)
  })
})

describe('hostile text in a new attribute', () => {
  const TEXTS = [
    '👩‍👩‍👧‍👦 🏳️‍🌈 𝕏',
    '\u202Eright to left\u202C שלום عالم',
    'é', // composed
    'e\u0301', // the same to the eye, decomposed
    '<script>alert(1)</script>',
    `'; drop table attributes; --`,
    '"\\"\\\\n\\u0000{}[]$1 $$ %s %00 ',
    '\uFEFF\u200B\u2028\u2029\u0001\u001F\u007F\uFFFF\r\n\t',
    ' leading and trailing ',
  ]
  const hexOf = statement<{ name: string; description: string }>(
    'test.attribute_bytes',
    `select encode(convert_to(name, 'UTF8'), 'hex') as name,
       encode(convert_to(description, 'UTF8'), 'hex') as description
     from attributes where merchant_id = :merchant_id and id = :id`,
  )

  it.each(TEXTS)('stores %j exactly', async (text) => {
    const { id: merchantId, keys } = await shopOf(app)
    const options = [{ value: text, label: text }]
    const body = {
      name: text,
      description: text,
      type: 'radio',
      options,
      default_value: text,
      meta: { [text]: text },
    }
    const [status, made] = await post(body)
    const stored = { ...body, options: [{ ...options[0], id: expect.stringMatching(OPTION_ID) }] }
    expect([status, made]).toEqual([201, shown(stored)])
    const { id } = made as { id: string }
    expect((await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })).body).toEqual(made)
    const hex = Buffer.from(text).toString('hex')
    expect(await app.db.one(hexOf, { merchant_id: merchantId, id })).toEqual({ name: hex, description: hex })
  })

  it.each([
    ['U+0000', 'a\u0000b'],
    ['half of a surrogate pair', 'a\uD83D'],
  ])('refuses %s wherever it stands', async (_what, text) => {
    const sentence = (path: string) => ({
      [path]: [`${path} must not contain the character U+0000 or half of a surrogate pair.`],
    })
    expect(await post(draft({ name: text }))).toEqual([422, malformed(sentence('name'))])
    expect(await post(draft({ meta: { a: [text] } }))).toEqual([422, malformed(sentence('meta.a.0'))])
    expect(await post(draft({ type: 'radio', options: [{ value: text }] }))).toEqual([
      422,
      malformed(sentence('options.0.value')),
    ])
  })
})
