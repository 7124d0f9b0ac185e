// Text and meta come back exactly as they were sent, or are refused; and events hold the bytes of the newest version.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { malformedField } from '../../support/shop.ts'
import { draft, eventsOf, openAttributes, option, shown } from './support.ts'

const app = await sharedApp()
const shop = await openAttributes(app)

const kept = async (meta: string) => {
  const payload = `{"name":"n","description":"d","type":"date","meta":${meta}}`
  const headers = { 'x-authorization': shop.key, 'content-type': 'application/json' }
  const made = await app.server.inject({ method: 'POST', url: '/v1/attributes', headers, payload })
  expect(made.statusCode).toBe(201)
  expect((await shop.call('GET', `/${made.json<{ id: string }>().id}`)).text).toBe(made.body)
  return made.body
}

describe('meta', () => {
  it.each([
    '{}',
    '{"zebra":1,"apple":{"y":[],"b":1.5,"a":null},"mango":[{"k":true}],"Apple":-0.25}',
    '{"type":"x","id":7,"length":0,"toString":"s","valueOf":null,"toJSON":1,"hasOwnProperty":[]}',
    '{"":"","a.b":1,"a\\"b":"\\\\ \\n \\u0001","😀":"😀"}',
    '{"big":9007199254740991,"small":1e-7,"huge":1e+21}',
    // The deepest a body may have.
    `${'{"a":'.repeat(18)}{}${'}'.repeat(18)}`,
  ])('comes back with its keys in the order they were sent: %s', async (meta) => {
    expect(await kept(meta)).toContain(`,"meta":${meta},`)
  })

  it('is replaced as a whole, in the order it is sent', async () => {
    const { id } = await shop.create({ meta: { kept: false, nested: { a: 1 } } })
    await shop.put(id, { meta: { z: 1, nested: { b: 2 } } })
    expect((await shop.call('GET', `/${id}`)).text).toContain('"meta":{"z":1,"nested":{"b":2}}')
  })
})

describe('text', () => {
  it.each([
    '👩‍👩‍👧‍👦 🏳️‍🌈 𝕏',
    '\u202Eright to left\u202C שלום عالم',
    'é',
    'e\u0301',
    `<script>alert(1)</script>'; drop table attributes; --`,
    '"\\"\\\\n\\u0000{}[]$1 $$ %s %00 ',
    '\uFEFF\u200B\u2028\u2029\u0001\u001F\u007F\uFFFF\r\n\t',
    ' leading and trailing ',
    '😀'.repeat(255),
  ])('is stored exactly: %j', async (text) => {
    const fields = { name: text, description: text, type: 'radio', default_value: text, meta: { [text]: text } }
    const created = await shop.create({ ...fields, options: [{ value: text, label: text }] })
    expect(created).toEqual(shown({ ...fields, options: [option(text)] }))
    expect(await shop.get(created.id)).toEqual(created)
  })

  it.each([
    ['U+0000', 'a\u0000b'],
    ['half of a surrogate pair', 'a\uD83D'],
  ])('refuses %s wherever it stands', async (_what, text) => {
    for (const [path, fields] of [
      ['name', { name: text }],
      ['meta.a.0', { meta: { a: [text] } }],
      ['options.0.value', { type: 'radio', options: [{ value: text }] }],
    ] as const)
      expect(await shop.post(fields)).toEqual(
        malformedField(path, 'must not contain the character U+0000 or half of a surrogate pair.'),
      )
  })
})

describe('an event', () => {
  it('holds the bytes of the answer at the newest version, whatever version was asked for', async () => {
    const other = await openAttributes(app)
    const body = draft({ meta: { z: 1, a: 2 } })
    await app.call('POST', '/v1/attributes', { key: other.key, version: '2020-02-01', body })
    const [created] = await eventsOf(app.db, other.merchant_id)
    expect(created?.text).toBe((await other.call('GET', `/${created?.payload.id}`)).text)
    expect(await eventsOf(app.db, (await openAttributes(app)).merchant_id)).toEqual([])
  })
})
