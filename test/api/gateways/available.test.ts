// What a checkout offers of the gateways that are set up: for its mode, and nothing that is secret.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { NONE_AVAILABLE as NONE, PROVIDERS } from '../../support/gateways.ts'
import { openShop } from './support.ts'

const app = await sharedApp()

const CARDS = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay']
const TEST_GATEWAY = { type: 'card', settings: {}, cards_accepted: CARDS }

describe('the gateways of a checkout', () => {
  it('are the test gateway alone in the sandbox of a new merchant, and none in live', async () => {
    const shop = await openShop(app)
    expect(await shop.offered(true)).toEqual({
      available: { ...NONE, test_gateway: true },
      available_count: 1,
      test_gateway: TEST_GATEWAY,
    })
    expect(await shop.offered(false)).toEqual({ available: NONE, available_count: 0 })
  })

  it('are those of the mode, each with its type, its public settings and the cards it takes', async () => {
    const shop = await openShop(app)
    const manual = await shop.create('manual')
    for (const code of PROVIDERS) await shop.create(code)
    const liveManual = await shop.create('manual', {}, shop.keys.live.secret)
    await shop.create(
      'stripe',
      { config: { publishable_key: 'pk_live', secret_key: 'sk_hidden' } },
      shop.keys.live.secret,
    )
    const transfer = (id: string) => ({
      type: 'third_party',
      settings: [{ id, name: 'Bank transfer', details: null }],
    })
    const stripe = (publishable_key: string) => ({ type: 'card', settings: { publishable_key }, cards_accepted: CARDS })
    const sandbox = await shop.offered(true)
    expect(sandbox).toMatchObject({ test_gateway: TEST_GATEWAY, manual: transfer(manual.id), stripe: stripe('pk_1') })
    const processors = Object.fromEntries(PROVIDERS.map((code) => [code, true]))
    expect(sandbox.available).toEqual({ ...processors, test_gateway: true, manual: true })
    expect(Object.keys(sandbox).sort()).toEqual(
      ['available', 'available_count', ...Object.keys(NONE).filter((code) => sandbox.available[code])].sort(),
    )
    const live = await shop.offered(false)
    expect(live).toEqual({
      available: { ...NONE, manual: true, stripe: true },
      available_count: 2,
      manual: transfer(liveManual.id),
      stripe: stripe('pk_live'),
    })
    expect(JSON.stringify([sandbox, live])).not.toContain('hidden')
  })

  it('have the test gateway that redirects only where it was set up', async () => {
    const shop = await openShop(app)
    await shop.create('test_redirect')
    const offered = await shop.offered(true)
    expect(offered.available).toEqual({ ...NONE, test_gateway: true, test_redirect: true })
    expect(offered.test_redirect).toEqual({ type: 'third_party', settings: {} })
  })

  it('lend a live manual one to the sandbox, until the sandbox has one of its own', async () => {
    const shop = await openShop(app)
    const idsOf = async (is_sandbox: boolean) => {
      const offers = (await shop.offered(is_sandbox)) as { manual?: { settings: { id: string }[] } }
      return (offers.manual?.settings ?? []).map(({ id }) => id)
    }
    const live = await shop.create('manual', {}, shop.keys.live.secret)
    expect([await idsOf(true), await idsOf(false)]).toEqual([[live.id], [live.id]])
    const own = await shop.create('manual', { enabled: false })
    expect([await idsOf(true), await idsOf(false)]).toEqual([[], [live.id]])
    await shop.succeed(200, 'PUT', `/${own.id}`, { enabled: true })
    expect([await idsOf(true), await idsOf(false)]).toEqual([[own.id], [live.id]])
  })

  it('list every manual one that is on, oldest first', async () => {
    const shop = await openShop(app)
    const first = await shop.create('manual', { config: { name: 'Cash', details: 'At the door.' } })
    const second = await shop.create('manual')
    const off = await shop.create('manual', { enabled: false })
    const offered = await shop.offered(true)
    expect(offered.manual).toEqual({
      type: 'third_party',
      settings: [
        { id: first.id, name: 'Cash', details: 'At the door.' },
        { id: second.id, name: 'Bank transfer', details: null },
      ],
    })
    for (const { id } of [first, second, off]) await shop.update(id, { enabled: false })
    expect((await shop.offered(true)).available).toEqual({ ...NONE, test_gateway: true })
  })

  it('leave out what is switched off, the test gateway too', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create('test_gateway', { enabled: false })
    await shop.create('manual', { enabled: false })
    expect(await shop.offered(true)).toEqual({ available: NONE, available_count: 0 })
    await shop.update(id, { enabled: true })
    expect((await shop.offered(true)).available_count).toBe(1)
    expect(await shop.offered(false)).toEqual({ available: NONE, available_count: 0 })
  })
})
