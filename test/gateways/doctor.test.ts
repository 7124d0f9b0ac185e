// What `cartwright doctor` hears from providers about the credentials of gateways.

import { afterAll, describe, expect, it } from 'vitest'
import { MAX_CHECKED_PROVIDERS, providerFindings } from '../../src/cli/credentials/providers.ts'
import type { Config } from '../../src/config.ts'
import { testApp } from '../support/app.ts'
import { openShopAt } from '../support/shop.ts'
import { openStripe, SECRET_KEY } from './doubles/stripe.ts'

const app = await testApp()
const config = { dataDir: app.dataDir, databaseUrl: null, credentialsKeys: null } as Config
const double = await openStripe(() => new Date())
afterAll(() => double.close())

async function shopWith(secret_key: string) {
  const shop = await openShopAt(app, 'gateways')
  const body = { code: 'stripe', sandbox: true, config: { publishable_key: 'pk_test_1', secret_key } }
  const { id } = await shop.succeed<{ id: string }>(201, 'POST', '', body)
  return { id: shop.id, name: `gateway: stripe ${id} of merchant ${shop.id}, sandbox: ` }
}

const ask = (merchant_id: number | null) => providerFindings(app.db, config, merchant_id, () => double.url)

describe('the providers of gateways', () => {
  it('say in one sentence each whether they know the credentials; those of another shop, and simulated ones, are not asked', async () => {
    const one = await shopWith(SECRET_KEY)
    const other = await shopWith(`sk_${'test'}_unknown`)
    const simulated = await openShopAt(app, 'gateways')
    await simulated.succeed(201, 'POST', '', { code: 'stripe', simulated: true })
    const known = { ok: true, text: `${one.name}Stripe accepts the secret key, of its test mode.` }
    const unknown = {
      ok: false,
      text: `${other.name}Stripe does not accept the secret key. Copy it once more from the dashboard of Stripe.`,
    }
    expect(await ask(null)).toEqual([known, unknown])
    double.requests.splice(0)
    expect(await ask(one.id)).toEqual([known])
    expect(double.requests.length).toBe(1)
    expect(await ask(simulated.id)).toEqual([])
  })

  it('that do not answer are told as that', async () => {
    const shop = await shopWith(SECRET_KEY)
    const [finding] = await providerFindings(app.db, config, shop.id, () => 'http://127.0.0.1:1')
    expect(finding).toMatchObject({
      ok: false,
      text: expect.stringContaining(`${shop.name}The credentials of Stripe could not be checked: `),
    })
    expect(finding?.text).not.toContain(SECRET_KEY)
  })

  it('are asked up to a number, and the rest is counted', async () => {
    for (let shops = 0; shops < MAX_CHECKED_PROVIDERS; shops++) await shopWith(SECRET_KEY)
    const findings = await ask(null)
    expect(findings.length).toBe(MAX_CHECKED_PROVIDERS + 1)
    // The shops of the tests before this one were among the first.
    expect(findings.at(-1)).toEqual({
      ok: true,
      isWarning: true,
      text: 'gateway: 3 more were not checked with their providers; cartwright doctor --merchant ID checks those of one shop',
    })
  })
})
