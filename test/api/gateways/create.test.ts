// POST /v1/gateways: what each gateway needs, which may be there once, and that a secret is told to nobody.

import { describe, expect, it } from 'vitest'
import { findGateway, gateways } from '../../../src/gateways/index.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { malformedFields, notValidFields } from '../../support/shop.ts'
import { CONFIGS, configOf, openShop, rowsOf, SECRET } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const create = (body: unknown, key?: string) => shop.refused('POST', '', body, key)

describe('POST /v1/gateways', () => {
  it.each(Object.keys(CONFIGS))('sets up %s with the least it needs, and shows no secret', async (code) => {
    const gateway = await shop.create(code)
    const now = Math.floor(app.clock.now().getTime() / 1_000)
    expect(gateway).toEqual({
      id: expect.stringMatching(/^gway_[0-9A-Za-z]{26}$/),
      code,
      name: findGateway(code)?.name,
      enabled: true,
      sandbox: true,
      simulated: false,
      config: CONFIGS[code]?.shown,
      webhook_path: ['test_gateway', 'manual'].includes(code) ? null : `/gateway-webhooks/${shop.id}/${gateway.id}`,
      created: now,
      updated: now,
    })
    expect(await shop.get(gateway.id)).toEqual(gateway)
  })

  it('keeps what is optional, and leaves out what the gateway does not name', async () => {
    const config = { name: 'Cash', details: 'At the door.', secret: 'x', number: 7 }
    const gateway = await shop.create('manual', { config, enabled: false })
    expect([gateway.config, gateway.enabled]).toEqual([{ name: 'Cash', details: 'At the door.' }, false])
    const rows = await rowsOf(app.db, shop.id)
    expect(rows.filter((row) => row.includes('At the door.') && !row.includes('number'))).toHaveLength(1)
  })

  it('is for the mode of the key, or the one that the body names', async () => {
    const own = await openShop(app)
    const live = own.keys.live.secret
    const modes = [
      await own.create('stripe', {}, live),
      await own.create('stripe'),
      await own.create('square', { sandbox: false }, live),
      await own.create('manual', {}, live),
      await own.create('test_gateway', {}, live),
    ].map(({ code, sandbox }) => [code, sandbox])
    expect(modes).toEqual([
      ['stripe', false],
      ['stripe', true],
      ['square', false],
      ['manual', false],
      ['test_gateway', true],
    ])
  })

  it('for live payments needs the live key, from the first to the last', async () => {
    const own = await openShop(app)
    const { id } = await own.create('stripe', {}, own.keys.live.secret)
    const { id: transfer } = await own.create('manual', {}, own.keys.live.secret)
    const message =
      'This gateway takes live payments. Use a live secret key (sk_…) to set it up, change it or delete it.'
    const refusal = [403, expect.objectContaining({ error: expect.objectContaining({ message }) })]
    for (const code of ['square', 'manual'])
      expect(await own.refused('POST', '', { code, config: configOf(code), sandbox: false })).toEqual(refusal)
    for (const changes of [{ config: { secret_key: 'sk_live_other' } }, { enabled: false }, { sandbox: true }])
      expect(await own.refused('PUT', `/${id}`, changes)).toEqual(refusal)
    for (const changes of [{ config: { details: 'DE00 9999' } }, { enabled: false }, { sandbox: true }])
      expect(await own.refused('PUT', `/${transfer}`, changes)).toEqual(refusal)
    for (const gateway of [id, transfer]) expect(await own.refused('DELETE', `/${gateway}`)).toEqual(refusal)
    const { id: manual } = await own.create('manual')
    expect(await own.refused('PUT', `/${manual}`, { sandbox: false })).toEqual(refusal)
    await own.remove(manual)
  })

  it('refuses a mode that the gateway cannot have', async () => {
    expect(await create({ code: 'test_gateway', sandbox: false })).toEqual(
      notValidFields({ sandbox: 'must be true for test_gateway, which works in the sandbox only.' }),
    )
  })

  it('names the codes there are when it refuses one', async () => {
    const rule = `must be one of ${gateways.map(({ code }) => code).join(', ')}.`
    expect(await create({ code: 'bitcoin' })).toEqual(malformedFields({ code: rule }))
    expect(await create({})).toEqual(malformedFields({ code: 'is required.' }))
  })

  it.each(Object.keys(CONFIGS).filter((code) => code !== 'test_gateway'))(
    'names every field of %s that is missing',
    async (code) => {
      const names = Object.keys(configOf(code))
      const expected = malformedFields(Object.fromEntries(names.map((name) => [`config.${name}`, 'is required.'])))
      expect(await create({ code })).toEqual(expected)
      expect(await create({ code, config: {} })).toEqual(expected)
    },
  )

  const MASKED = 'is masked: send the whole secret, or leave it out to keep the stored one.'
  const DOTTED = 'must be the secret itself: it contains a character that no secret has, such as "…".'
  it.each<[string, string, unknown, Record<string, string>]>([
    ['no object', 'manual', 'xyz', { config: 'must be a JSON object.' }],
    ['a number', 'manual', { name: 7_654 }, { 'config.name': 'must be a string.' }],
    ['an empty text', 'manual', { name: ' ' }, { 'config.name': 'must not be empty.' }],
    ['null where it is required', 'manual', { name: null }, { 'config.name': 'is required.' }],
    [
      'too long a text',
      'manual',
      { name: 'x'.repeat(10_001) },
      { 'config.name': 'must be at most 10000 characters long.' },
    ],
    ['a mask for a secret', 'stripe', { secret_key: '********wxyz' }, { 'config.secret_key': MASKED }],
    ['a secret with dots', 'stripe', { secret_key: 'sk_test_…' }, { 'config.secret_key': DOTTED }],
    [
      'a secret that shoppers see',
      'stripe',
      { publishable_key: SECRET },
      { 'config.publishable_key': 'must begin with pk_.' },
    ],
    [
      'a public key for a secret',
      'stripe',
      { secret_key: 'pk_live_1' },
      { 'config.secret_key': 'must begin with sk_ or rk_.' },
    ],
  ])('refuses %s, without repeating it', async (_, code, mistaken, errors) => {
    const config = typeof mistaken === 'object' ? { ...configOf(code), ...mistaken } : mistaken
    const before = app.logged.length
    const answer = await create({ code, config })
    expect(answer).toEqual(malformedFields(errors))
    for (const value of Object.values(Object(mistaken)).filter((each) => String(each).trim().length > 4))
      expect([JSON.stringify(answer), ...app.logged.slice(before)].join()).not.toContain(value)
  })

  it.each(['stripe', 'square', 'razorpay', 'paypal'])(
    'takes capture of %s for automatic or manual alone',
    async (code) => {
      for (const capture of ['manually', 'Manual', 'manual ', 'auto'])
        expect(await create({ code, config: { ...configOf(code), capture } })).toEqual(
          malformedFields({ 'config.capture': 'must be automatic or manual.' }),
        )
    },
  )

  it('judges each of two secrets, of which one replaces the other, and takes no third', async () => {
    const errors = async (webhook_secret: string) =>
      await create({ code: 'stripe', config: { ...configOf('stripe'), webhook_secret } })
    for (const mistaken of ['whsec_1,2', 'whsec_1 2'])
      expect(await errors(mistaken)).toEqual(malformedFields({ 'config.webhook_secret': 'must begin with whsec_.' }))
    for (const mistaken of ['whsec_1 whsec_2, whsec_3', ' , '])
      expect(await errors(mistaken)).toEqual(
        malformedFields({
          'config.webhook_secret':
            'must be one value or, while you replace it, the old and the new value separated by a comma or space.',
        }),
      )
    const own = await openShop(app)
    const config = { ...configOf('stripe'), webhook_secret: 'whsec_1, whsec_2' }
    expect((await own.create('stripe', { config })).config.webhook_secret).toMatch(/^\*{8}/)
  })

  it('accepts a restricted key for a secret, and leaves a key alone that is not sent again', async () => {
    const own = await openShop(app)
    const { id, config } = await own.create('stripe', { config: { publishable_key: 'pk_2', secret_key: 'rk_2' } })
    expect((await own.update(id, { enabled: false, config })).config).toEqual(config)
  })

  it('allows one of each, but several manual ones', async () => {
    const own = await openShop(app)
    for (const code of Object.keys(CONFIGS)) {
      await own.create(code)
      const again = await own.call('POST', '', { code, config: configOf(code) })
      if (code === 'manual') expect(again.status).toBe(201)
      else
        expect([again.status, again.body]).toEqual(
          notValidFields({ code: `must be new: a sandbox ${code} is already set up. Change that gateway instead.` }),
        )
    }
    expect(await rowsOf(app.db, own.id)).toHaveLength(Object.keys(CONFIGS).length + 1)
  })

  it('sets up one of two that come at the same moment', async () => {
    for (let round = 0; round < 3; round++) {
      const own = await openShop(app)
      const body = { code: 'stripe', config: configOf('stripe') }
      const answers = await Promise.all([own.call('POST', '', body), own.call('POST', '', body)])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
      expect(await rowsOf(app.db, own.id)).toHaveLength(1)
    }
  })
})

describe('a secret', () => {
  it('stays out of the log when the database refuses the row', async () => {
    const refuse = sql`alter table payment_methods add constraint full_up check (false) not valid`
    const allow = sql`alter table payment_methods drop constraint full_up`
    const own = await openShop(app)
    await app.db.run(refuse, {})
    const answer = await own.call('POST', '', { code: 'stripe', config: configOf('stripe') })
    await app.db.run(allow, {})
    expect(answer.status).toBe(500)
    expect(app.logged.some((line) => line.includes('full_up'))).toBe(true)
    expect([answer.text, ...app.logged].filter((text) => text.includes('hidden'))).toEqual([])
  })
})
