// Errors of capture over HTTP: which of them had another form before 2020-08-26, and which never had.

import { describe, expect, it } from 'vitest'
import { CARD, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { NOT_FOUND, UNKNOWN_ID } from '../api/checkouts/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await openCaptureShop(app)
const { id } = await shop.token({ id: (await shop.product()).id })

const BEFORE = ['2020-02-01', '2020-08-12']

const capture = async (version: string, body: unknown, token = id) => {
  const answer = await app.call('POST', `/v1/checkouts/${token}`, { key: shop.keys.sandbox.public, version, body })
  return [answer.status, answer.body]
}

type Refusal = { error: { errors: Record<string, string[]> } }

/** What the schema refuses, and what is missing of a body that the schema lets pass. */
const WRONG = [
  { customer: { email: 3 }, shipping: { name: [] } },
  { customer: { email: '' }, shipping: {}, payment: { gateway: 'test_gateway', card: {} } },
]

const formName = (path: string) => path.replace(/\.(\w+)/g, '[$1]')

describe('validation errors of capture', () => {
  it.each(BEFORE)('have the type `validation` and list the fields as forms name them, at %s', async (version) => {
    for (const body of WRONG) {
      const [, refusal] = await capture('2020-08-26', body)
      const { errors } = (refusal as Refusal).error
      const message = Object.entries(errors).flatMap(([path, sentences]) =>
        sentences.map((error) => ({ param: formName(path), error })),
      )
      expect(message.length).toBeGreaterThan(1)
      expect(await capture(version, body)).toEqual([422, { error: { type: 'validation', message }, status_code: 422 }])
    }
  })

  it('name their fields as in customer[email] and shipping[name] then', async () => {
    expect(await capture('2020-08-12', WRONG[0])).toMatchObject([
      422,
      { error: { message: [{ param: 'customer[email]' }, { param: 'shipping[name]' }] } },
    ])
  })

  it('have the type `unprocessable_entity` and `errors` by field at 2020-08-26', async () => {
    expect(await capture('2020-08-26', WRONG[0])).toEqual(await capture('2022-07-21', WRONG[0]))
    expect(await capture('2020-08-26', WRONG[0])).toMatchObject([
      422,
      { error: { type: 'unprocessable_entity', errors: { 'customer.email': [expect.any(String)] } } },
    ])
  })

  it.each(BEFORE)(
    'are the only ones that differ: a rule that refuses, a decline and what is missing do not, at %s',
    async (version) => {
      const same = async (body: unknown, token?: string) => {
        const answer = await capture(version, body, token)
        expect(answer).toEqual(await capture('2022-07-21', body, token))
        return answer
      }
      const declined = { ...CARD, card: { ...CARD.card, number: '4000 0000 0000 0002' } }
      expect(await same(shop.body({ discount_code: 'none' }))).toMatchObject([422, { error: { type: 'not_valid' } }])
      expect(await same(shop.body({ payment: declined }))).toMatchObject([402, { error: { type: 'gateway_error' } }])
      expect(await same(shop.body(), UNKNOWN_ID)).toEqual([404, NOT_FOUND])
    },
  )
})
