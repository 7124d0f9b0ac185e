// GET /v1/gateways/types: what can be set up, such that a form can be drawn from it which the API then accepts.

import { describe, expect, it } from 'vitest'
import type { GatewayType } from '../../../src/api/payment-methods/schema.ts'
import { gateways } from '../../../src/gateways/index.ts'
import { sharedApp } from '../../support/app.ts'
import { CONFIGS, openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const types = async (key?: string) =>
  (await shop.succeed<{ data: GatewayType[] }>(200, 'GET', '/types', undefined, key)).data

describe('the types of gateways', () => {
  it('are all that there are, with the fields that each needs', async () => {
    const found = await types()
    expect(found.map(({ code }) => code)).toEqual(gateways.map(({ code }) => code))
    expect(found.find(({ code }) => code === 'stripe')).toEqual({
      code: 'stripe',
      name: 'Stripe',
      description: 'Cards and wallets, within the page of the checkout.',
      modes: ['sandbox', 'live'],
      has_credentials: true,
      can_be_simulated: true,
      is_repeatable: false,
      works_unset: false,
      works_without_scripting: false,
      hosts: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com', 'https://api.stripe.com'],
      fields: [
        field('publishable_key', 'Publishable key', 'The publishable key: pk_…', { is_required: true }),
        field('secret_key', 'Secret key', 'The secret key: sk_… or rk_…', { is_required: true, is_secret: true }),
        field(
          'webhook_secret',
          'Webhook secret',
          'The signing secret of the webhook, whsec_…. While one replaces the other both, with a comma or a blank between them.',
          { is_secret: true },
        ),
        field(
          'capture',
          'When money is taken',
          'automatic (without it), or manual: payments are set aside, and taken from the order.',
          { options: ['automatic', 'manual'] },
        ),
      ],
    })
    expect(found.find(({ code }) => code === 'manual')).toMatchObject({
      modes: ['sandbox', 'live'],
      has_credentials: false,
      is_repeatable: true,
      works_without_scripting: true,
      hosts: [],
      fields: [{ label: 'Name' }, { label: 'How to pay', is_long: true }],
    })
    expect(found.filter(({ works_unset }) => works_unset).map(({ code, modes }) => [code, modes])).toEqual([
      ['test_gateway', ['sandbox']],
    ])
  })

  it('name the hosts of the mode of the key', async () => {
    const hostsOf = (found: GatewayType[]) => found.find(({ code }) => code === 'square')?.hosts
    const [sandbox, live] = [hostsOf(await types()), hostsOf(await types(shop.keys.live.secret))]
    expect(sandbox).toContain('https://sandbox.web.squarecdn.com')
    expect(live).toContain('https://web.squarecdn.com')
    expect(live).not.toContain('https://sandbox.web.squarecdn.com')
  })

  it.each(Object.keys(CONFIGS))('of %s asks for what setting it up requires', async (code) => {
    const type = (await types()).find((each) => each.code === code)
    const required = type?.fields.filter(({ is_required }) => is_required).map(({ name }) => name)
    expect(required).toEqual(Object.keys(CONFIGS[code]?.sent ?? {}))
    const { config } = await shop.create(code)
    expect(Object.keys(config)).toEqual(type?.fields.map(({ name }) => name))
  })
})

function field(name: string, label: string, help: string, more: Partial<GatewayType['fields'][number]>) {
  return { name, label, help, is_required: false, is_secret: false, is_long: false, options: null, ...more }
}
