// What holds for every gateway of the list, whichever they are; and that nothing else in src knows one by name.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasCredentials } from '../../src/gateways/config-fields.ts'
import { canCharge, type GatewayPorts, type PaymentInput } from '../../src/gateways/gateway.ts'
import { findGateway, gateways } from '../../src/gateways/index.ts'
import { readSource } from '../architecture/source.ts'

const SOURCE = readSource(join(import.meta.dirname, '../../src'))

/** Where the word means something else. */
const OTHER_MEANINGS: Record<string, readonly string[]> = {
  // The shape of a logo.
  square: ['api/merchants/settings.ts', 'mail/layout.ts', 'mail/shop.ts', 'demo/terms.ts', 'pages/checkout/model.ts'],
  // What the demo shop sets up.
  manual: ['demo/terms.ts'],
  // What `cartwright trigger` pays with.
  test_gateway: ['cli/triggers/orders.ts'],
  stripe: ['demo/terms.ts'],
  razorpay: ['demo/terms.ts'],
  paypal: ['demo/terms.ts'],
}

it('lists the test gateways, manual payment and those with a provider, each by its code', () => {
  const codes = ['test_gateway', 'test_redirect', 'manual', 'stripe', 'square', 'razorpay', 'paypal', 'mollie']
  expect(gateways.map(({ code }) => code)).toEqual(codes)
  for (const gateway of gateways) expect(findGateway(gateway.code)).toBe(gateway)
  expect(findGateway('constructor')).toBeUndefined()
})

it('says of each what it needs of the page on which shoppers pay', () => {
  for (const { code, page, createSimulation: simulation } of gateways) {
    expect([code, page?.kind]).toEqual([code, expect.stringMatching(/^(card|details|redirect|script)$/)])
    if (page.kind !== 'script') continue
    for (const is_sandbox of [true, false])
      for (const [what, sources] of Object.entries(page.hosts(is_sandbox)))
        for (const source of sources)
          expect([code, what, source]).toEqual([code, what, expect.stringMatching(/^https:(\/\/(\*\.)?[\w.-]+)?$/)])
    // What is tried before there is an account is what the simulation takes, and begins with what pays.
    expect([code, page.means[0]?.id]).toEqual([code, 'pays'])
    expect(new Set(page.means.map(({ id }) => id)).size).toBe(page.means.length)
    const adapter = simulation?.({} as GatewayPorts)
    for (const { id, fields } of page.means)
      expect([code, id, adapter?.problemsOf(paymentOf(code, fields), { amount: 1_000, currency: 'USD' })]).toEqual([
        code,
        id,
        {},
      ])
  }
})

/** As a form sends it: all of it stands below the code of the gateway. */
function paymentOf(code: string, fields: Readonly<Record<string, string>>): PaymentInput {
  const sent = Object.entries(fields).map(([name, value]) => {
    const [, field = ''] = new RegExp(`^payment\\[${code}\\]\\[(\\w+)\\]$`).exec(name) ?? []
    expect(findGateway(code)?.paymentFields).toContain(field)
    return [field, value]
  })
  return { gateway: code, card: null, details: { [code]: Object.fromEntries(sent) } }
}

it('can simulate those that have credentials, and no others; takes money by each of them', () => {
  for (const gateway of gateways)
    expect([gateway.code, canCharge(gateway, true), canCharge(gateway, false)]).toEqual([
      gateway.code,
      hasCredentials(gateway),
      true,
    ])
})

describe.each(gateways.map((gateway) => [gateway.code, gateway] as const))('%s', (_, gateway) => {
  const config = Object.fromEntries(Object.keys(gateway.config).map((name) => [name, `the ${name}`]))
  const secrets = Object.entries(gateway.config).filter(([, { isSecret }]) => isSecret)

  it('shows shoppers nothing that is secret', () => {
    const shown = Object.values(gateway.publicSettings(config))
    for (const [name] of secrets) expect(shown).not.toContain(config[name])
  })

  it('shows the same settings, with nulls, when an optional field is not set', () => {
    const required = Object.entries(gateway.config).filter(([, { isRequired }]) => isRequired)
    const least = Object.fromEntries(required.map(([name]) => [name, `the ${name}`]))
    expect(Object.keys(gateway.publicSettings(least))).toEqual(Object.keys(gateway.publicSettings(config)))
    expect(
      Object.values(gateway.publicSettings(least)).every((value) => value === null || typeof value === 'string'),
    ).toBe(true)
  })

  it('requires the secrets that it is paid by, and nothing at all where it is for trying out', () => {
    // What messages are signed with may come later: until then the provider is asked.
    for (const [name, field] of secrets) expect([name, field.isRequired]).toEqual([name, !name.startsWith('webhook_')])
    if (gateway.isSandboxOnly) expect(gateway.config).toEqual({})
  })

  it('is named in no other folder', () => {
    const { code, name } = gateway
    // `manual` and `square` are words too: what counts is text between quotes, and the names of brands.
    const quoted = new RegExp(`['"\`]${code}['"\`]|\\b${name}\\b`)
    const naming = SOURCE.filter((file) => quoted.test(file.code)).map(({ path }) => path)
    const named = naming.filter((path) => !path.startsWith('gateways/'))
    expect(naming.length).toBeGreaterThan(named.length)
    expect(named.filter((path) => !(OTHER_MEANINGS[code] ?? []).includes(path))).toEqual([])
  })
})
