// What a person does through a session of the dashboard, as the API knows it: by name in an order's timeline, with keys, and at a checkout.

import { describe, expect, it } from 'vitest'
import type { TimelineEntry } from '../../src/api/orders/timeline/schema.ts'
import { digital, digitalBody, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { openShop, physical } from '../api/orders/support.ts'
import { backIn } from '../pages/checkout/support.ts'
import { testApp } from '../support/app.ts'
import { patient } from '../support/database.ts'
import { selectRows } from '../support/rows.ts'
import { Browser, join, openHouse, type SessionView } from './support.ts'

const app = await testApp({ trustProxy: () => true })

const logIn = async ({ dashboard }: { dashboard: { email: string; password: string } }) => {
  const browser = new Browser(app)
  expect((await browser.logIn(dashboard.email, dashboard.password)).status).toBe(200)
  return browser
}

const nameOf = async (browser: Browser) => (await browser.succeed<SessionView>(200, 'GET', 'session')).account.name

describe('the timeline of an order', () => {
  it('names who shipped, refunded, noted and asked for a receipt at the dashboard, and nobody for a key', async () => {
    const shop = await openShop(app)
    const owner = await logIn(shop)
    const [packer, manager] = [await join(app, owner, 'packer'), await join(app, owner, 'manager')]
    const [packerName, managerName] = [await nameOf(packer), await nameOf(manager)]
    expect(packerName).not.toBe(managerName)
    const order = await shop.order({ lines: [physical({ quantity: 2, line_total: 2_000 })] })
    const at = `/dashboard/api/v1/orders/${order.id}`
    const [item] = order.fulfillment.physical.items
    const body = { items: [{ id: item?.id, quantity: 1 }] }
    const later = () => app.clock.advance(10)
    later()
    await packer.succeed(201, 'POST', `${at}/fulfillments/physical/shipments`, { body })
    later()
    await shop.succeed(201, 'POST', `/${order.id}/fulfillments/physical/shipments`, body)
    later()
    await manager.succeed(200, 'POST', `${at}/refund`, { body: { amount: 5 } })
    later()
    await packer.succeed(201, 'POST', `${at}/notes`, { body: { text: 'Wrapped.' } })
    later()
    await packer.succeed(200, 'POST', `${at}/receipt`)
    const { data } = await packer.succeed<{ data: TimelineEntry[] }>(200, 'GET', `${at}/timeline`)
    expect(data.map(({ type, by }) => [type, by])).toEqual([
      ['receipt_asked', packerName],
      ['note', packerName],
      ['refunded', managerName],
      ['shipped', null],
      ['shipped', packerName],
      ['paid', null],
      ['placed', null],
    ])
  })
})

type Key = { id: string; type: string; sandbox: boolean; key: string | null; last_four: string }

describe('keys', () => {
  const KEYS = '/dashboard/api/v1/keys'
  const worksAs = async (key: string | null) =>
    (await app.call('GET', '/v1/merchants', { key: key ?? '', headers: { 'x-forwarded-proto': 'https' } })).status

  it('are made, shown once, and revoked by an owner, of both modes', async () => {
    const owner = await (await openHouse(app)).owner()
    for (const sandbox of [true, false]) {
      const made = await owner.succeed<Key>(201, 'POST', KEYS, { body: { type: 'secret', sandbox } })
      expect(await worksAs(made.key)).toBe(200)
      const { data } = await owner.succeed<{ data: Key[] }>(200, 'GET', KEYS)
      const shown = { key: null, last_four: made.key?.slice(-4), sandbox }
      expect(data.find(({ id }) => id === made.id)).toMatchObject(shown)
      await owner.succeed(204, 'DELETE', `${KEYS}/${made.id}`)
      // Within a second: until then it may be known from before.
      await expect.poll(() => worksAs(made.key), { timeout: patient(15_000) }).toBe(401)
      expect((await owner.send('DELETE', `${KEYS}/${made.id}`)).status).toBe(404)
    }
  })

  it('of the live shop are none of a developer’s, in either mode; those of the sandbox are', async () => {
    const owner = await (await openHouse(app)).owner()
    const developer = await join(app, owner, 'developer')
    const { data } = await developer.succeed<{ data: Key[] }>(200, 'GET', KEYS)
    const live = data.find(({ sandbox, type }) => !sandbox && type === 'public')
    for (const mode of ['sandbox', 'live'] as const) {
      const made = await developer.succeed<Key>(201, 'POST', KEYS, { mode, body: { type: 'secret', sandbox: true } })
      expect(await worksAs(made.key)).toBe(200)
      await developer.succeed(204, 'DELETE', `${KEYS}/${made.id}`, { mode })
      const refused = [
        await developer.send('POST', KEYS, { mode, body: { type: 'public', sandbox: false } }),
        await developer.send('DELETE', `${KEYS}/${live?.id}`, { mode }),
      ]
      expect(
        refused.map(({ status, body }) => [status, (body as { error: { message: string } }).error.message]),
      ).toEqual(['make', 'revoke'].map((verb) => [403, `Only an owner of the shop may ${verb} live keys.`]))
    }
    expect(await worksAs(live?.key ?? null)).toBe(200)
    expect((await owner.succeed<{ data: Key[] }>(200, 'GET', KEYS)).data).toHaveLength(data.length)
  })
})

describe('a capture by a session', () => {
  it('is not taken for one on the page of the checkout: the shopper does not come back to it', async () => {
    const shop = await openCaptureShop(app)
    await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect' }, shop.keys.sandbox.secret)
    const file = await shop.product({ name: 'File', ...digital })
    const owner = await logIn(shop)
    const token = await shop.token({ id: file.id })
    const { paykey } = await owner.succeed<{ paykey: string }>(200, 'POST', `v1/checkouts/${token.id}`, {
      body: digitalBody({ payment: { gateway: 'test_redirect' } }),
    })
    const where = { merchant_id: shop.id, checkout_id: token.id }
    expect(await selectRows(app.db, "draft ->> 'is_on_page' as is_on_page from capture_attempts", where)).toEqual([
      { is_on_page: null },
    ])
    await app.call('POST', `/test-gateway/${shop.id}/${paykey}/approve`)
    const { text: html } = await app.call('GET', `/test-gateway/${shop.id}/${paykey}`)
    expect(backIn({ html })).toBe(`/checkout/${shop.id}/pay/${token.id}/back?payment=${paykey}`)
  })
})
