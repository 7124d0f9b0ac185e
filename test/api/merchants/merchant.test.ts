// Opening a merchant: what it needs, what it gets, and the version it is served in.

import { describe, expect, it } from 'vitest'
import { createMerchant, setMerchantDisabled, setMerchantVersion } from '../../../src/api/merchants/merchant.ts'
import { listAllMerchants } from '../../../src/api/merchants/store.ts'
import { ApiError } from '../../../src/lib/errors.ts'
import { testApp } from '../../support/app.ts'
import { selectRow, selectRows } from '../../support/rows.ts'
import { publicFace } from './support.ts'

const app = await testApp()
const VERSIONS = `2022-07-21 2021-10-06 2021-09-29 2021-09-22 2021-07-28 2021-07-21 2021-07-14 2021-06-23 2021-06-09
  2021-06-02 2021-05-19 2021-05-05 2021-04-28 2021-04-13 2021-03-31 2021-03-17 2021-03-10 2021-03-03
  2020-11-18 2020-09-23 2020-08-26 2020-08-12 2020-07-29 2020-07-01 2020-06-17 2020-02-01`
  .split(/\s+/)
  .join(', ')

const rowOf = (merchant_id: number) =>
  selectRow(
    app.db,
    'name, description, currency, country, support_email, settings, api_version, is_disabled, created_at, updated_at from merchants',
    { merchant_id },
  )
/** 255 characters with a blank on either side. */
const LONGEST = `Кафе ☕ "O'Neil" <b>${'x'.repeat(234)}`
const countMerchants = async () => (await listAllMerchants(app.db)).length

describe('openMerchant', () => {
  it('stores every field that is given', async () => {
    const { id } = await app.merchant({
      name: ` ${LONGEST}\t`,
      email: 'A+b@example.com',
      currency: 'JPY',
      apiVersion: '2020-02-01',
      description: 'Tea.',
      country: 'JP',
      settings: { demo: true },
    })
    expect(await rowOf(id)).toEqual({
      name: LONGEST,
      description: 'Tea.',
      currency: 'JPY',
      country: 'JP',
      support_email: 'A+b@example.com',
      settings: { demo: true },
      api_version: '2020-02-01',
      is_disabled: false,
      created_at: app.clock.now(),
      updated_at: app.clock.now(),
    })
  })

  it('lower-cases the e-mail address of the dashboard, where people type it in any case', async () => {
    const { id, dashboard } = await app.merchant({ email: 'Owner@Example.COM' })
    expect(dashboard).toEqual({ email: 'owner@example.com', password: expect.stringMatching(/^[\w-]{20}$/) })
    expect(await selectRows<{ email: string }>(app.db, 'email from dashboard_accounts', { merchant_id: id })).toEqual([
      { email: 'owner@example.com' },
    ])
  })

  const VERSION_SENTENCE = `version must be one of ${VERSIONS}.`
  const EMAIL_SENTENCE = 'email must be an e-mail address such as shop@example.com.'
  const NAME_SENTENCE = 'name must be 1 to 255 characters long.'
  const CURRENCY_SENTENCE = 'currency must be an ISO 4217 code such as USD, EUR or JPY.'

  it.each([
    ['a name of blanks', { name: ' \t ' }, { name: [NAME_SENTENCE] }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, { name: [NAME_SENTENCE] }],
    ['an address with a line break', { email: 'a@example.com\nBcc: b@example.com' }, { email: [EMAIL_SENTENCE] }],
    ['an unknown currency', { currency: 'XXX' }, { currency: [CURRENCY_SENTENCE] }],
    ['a word that every object has, for a currency', { currency: 'constructor' }, { currency: [CURRENCY_SENTENCE] }],
    ['an unknown version', { apiVersion: '2022-07-22' }, { version: [VERSION_SENTENCE] }],
    [
      'four mistakes at once',
      { name: '', email: '', currency: '', apiVersion: '' },
      { name: [NAME_SENTENCE], email: [EMAIL_SENTENCE], currency: [CURRENCY_SENTENCE], version: [VERSION_SENTENCE] },
    ],
  ])('refuses %s, and stores nothing', async (_what, draft, errors) => {
    const before = await countMerchants()
    const attempt = app.db.transaction((tx) =>
      createMerchant(tx, app.clock, { name: 'Shop', email: 'shop@example.com', ...draft }),
    )
    const error = await attempt.catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 422, type: 'unprocessable_entity', errors })
    expect(await countMerchants()).toBe(before)
  })
})

describe('setMerchantDisabled', () => {
  it('sets and clears the mark of one merchant, who is still shown, as inactive, and dates the change', async () => {
    const [{ id, keys }, other] = [await app.merchant(), await app.merchant()]
    app.clock.advance(60)
    await setMerchantDisabled(app, id, true)
    expect(await rowOf(id)).toMatchObject({
      is_disabled: true,
      updated_at: app.clock.now(),
    })
    const inactive = await app.call('GET', '/v1/merchants', { key: keys.sandbox.public })
    expect([inactive.status, inactive.body]).toEqual([200, publicFace(id, { status: 'inactive' })])
    expect(await rowOf(other.id)).toMatchObject({ is_disabled: false })
    await setMerchantDisabled(app, id, false)
    expect(await rowOf(id)).toMatchObject({ is_disabled: false })
    const missing = { status: 404, message: 'There is no merchant with that id.' }
    await expect(setMerchantDisabled(app, 2_000_000_000, true)).rejects.toMatchObject(missing)
  })
})

describe('setMerchantVersion', () => {
  it('sets the version of requests that name none, dates the change, and tells the one before', async () => {
    const { id } = await app.merchant({ apiVersion: '2020-02-01' })
    const other = await app.merchant({ apiVersion: '2020-02-01' })
    app.clock.advance(60)
    expect(await setMerchantVersion(app, id, '2021-09-29')).toBe('2020-02-01')
    expect(await rowOf(id)).toMatchObject({
      api_version: '2021-09-29',
      updated_at: app.clock.now(),
    })
    expect(await rowOf(other.id)).toMatchObject({ api_version: '2020-02-01' })
  })

  it('refuses a version that does not exist, and a merchant that is not there', async () => {
    const { id } = await app.merchant()
    await expect(setMerchantVersion(app, id, '2021-09-30')).rejects.toMatchObject({ status: 422 })
    expect(await rowOf(id)).toMatchObject({ api_version: '2022-07-21' })
    await expect(setMerchantVersion(app, 2_000_000_000, '2021-09-29')).rejects.toMatchObject({
      status: 404,
    })
  })
})
