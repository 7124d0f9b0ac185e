// The links of a product to the hosted checkout: those of sandbox keys lead to the sandbox, all others to the live shop.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { ORIGIN } from '../../support/shop.ts'
import { eventsOf, openShop } from './support.ts'

const app = await testApp({ trustProxy: ['127.0.0.1'] })

describe('checkout_url of a product', () => {
  it('names the sandbox to sandbox keys and to no others, whoever has asked before', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create({ permalink: 'thing' })
    const { live, sandbox } = shop.keys
    const page = `//localhost:80/checkout/${shop.id}/thing`
    const ofSandbox = {
      checkout: `http:${page}?checkout=true&sandbox=true`,
      display: `http:${page}?sandbox=true`,
    }
    const ofLive = { checkout: `https:${page}?checkout=true`, display: `https:${page}` }
    // Twice: what was written for one of them is kept, and shown to those alone whom it is for.
    for (const _ of [1, 2])
      for (const [key, links] of [
        [sandbox.public, ofSandbox],
        [live.public, ofLive],
        [sandbox.secret, ofSandbox],
        [live.secret, ofLive],
      ] as const)
        for (const path of [`/${id}`, '/thing?type=permalink', '']) {
          const body = await shop.succeed<Product | { data: Product[] }>(200, 'GET', path, undefined, key)
          expect(('data' in body ? body.data[0] : body)?.checkout_url).toEqual(links)
        }
  })

  it('is the live one in every event, as webhooks of both modes hear of it', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create({ permalink: 'thing' })
    app.clock.advance(1)
    await shop.update(id, { name: 'Renamed' })
    app.clock.advance(1)
    await shop.update(id, { name: 'Renamed again' }, shop.keys.live.secret)
    app.clock.advance(1)
    await shop.succeed(204, 'DELETE', `/${id}`)
    const told = (await eventsOf(app, shop)).map(({ name, payload }) => [
      name,
      (payload as Product).checkout_url.display,
    ])
    const at = (origin: string) => `${origin}/checkout/${shop.id}/thing`
    expect(told).toEqual([
      ['products.create', at(ORIGIN)],
      ['products.update', at(ORIGIN)],
      ['products.update', at(ORIGIN.replace('http', 'https'))],
      ['products.delete', at(ORIGIN)],
    ])
  })
})
