// GET /v1/gateways/types: what can be set up, such that a form can be drawn from it which the API then accepts.

import { describe, expect, it } from 'vitest'
import type { GatewayType } from '../../../src/api/payment-methods/schema.ts'
import { gateways } from '../../../src/gateways/index.ts'
import { sharedApp } from '../../support/app.ts'
import { openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const types = async (key?: string) =>
  (await shop.succeed<{ data: GatewayType[] }>(200, 'GET', '/types', undefined, key)).data

describe('the types of gateways', () => {
  it('are all that there are; one works unset (their bodies: versions/golden/bodies/gateways)', async () => {
    const found = await types()
    expect(found.map(({ code }) => code)).toEqual(gateways.map(({ code }) => code))
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
})
