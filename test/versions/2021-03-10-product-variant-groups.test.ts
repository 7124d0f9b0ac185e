import { describe, expect, it } from 'vitest'
import type { Product } from '../../src/api/products/schema.ts'
import { openShop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.secret
const groups = [{ name: 'Colour', options: [{ name: 'Red' }] }]

const sent = async (version: string, fields: Record<string, unknown>) => {
  const created = await app.call('POST', '/v1/products', { key, version, body: { name: 'Thing', price: 1, ...fields } })
  return created.body as Product & { variants?: Product['variant_groups'] }
}

const names = (list: { name: string }[] | undefined) => list?.map(({ name }) => name)

describe('the choices of a product', () => {
  it('are shown as `variants` at 2021-03-03', async () => {
    const product = await shop.create({ variant_groups: groups })
    const answer = await app.call('GET', `/v1/products/${product.id}`, { key, version: '2021-03-03' })
    const { variant_groups, image, ...rest } = product
    expect(answer.body).toEqual({
      ...rest,
      media: { type: null, source: image, asset_id: null },
      variants: variant_groups.map((group) => ({
        ...group,
        options: group.options.map((option) => ({ ...option, quantity: 0, is: { quantity_limited: false } })),
      })),
    })
  })

  it('are shown as `variant_groups` at 2021-03-10', async () => {
    const product = await shop.create({ variant_groups: groups })
    const answer = await app.call('GET', `/v1/products/${product.id}`, { key, version: '2021-03-10' })
    const { image, ...rest } = product
    expect(answer.body).toEqual({ ...rest, media: { type: null, source: image, asset_id: null } })
  })

  it('are taken as `variants` at 2021-03-03, and the newer name counts where both are sent', async () => {
    const created = await sent('2021-03-03', { variants: groups })
    const [group] = created.variants ?? []
    const renamed = await app.call('PUT', `/v1/products/${created.id}`, {
      key,
      version: '2021-03-03',
      body: { variants: [{ id: group?.id, name: 'Shade' }] },
    })
    expect([names(created.variants), names((renamed.body as { variants: { name: string }[] }).variants)]).toEqual([
      ['Colour'],
      ['Shade'],
    ])
    const both = await sent('2021-03-03', { variants: groups, variant_groups: [{ name: 'Newer' }] })
    expect(names(both.variants)).toEqual(['Newer'])
  })

  it('are not taken as `variants` at 2021-03-10', async () => {
    expect((await sent('2021-03-10', { variants: groups })).variant_groups).toEqual([])
  })
})
