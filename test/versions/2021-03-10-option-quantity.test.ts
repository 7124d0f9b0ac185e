import { describe, expect, it } from 'vitest'
import { openShop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await openShop(app)
const { public: open, secret } = shop.keys.sandbox
const groups = [
  { name: 'Size', options: [{ name: 'Small' }, { name: 'Large', price: 2 }] },
  { name: 'Colour', options: [{ name: 'Red' }] },
]

type Option = { id: string; quantity?: number; is?: unknown }
type Shown = Record<'variants' | 'variant_groups', { options: Option[] }[] | undefined>

const shown = async (id: string, headers: Record<string, string>) =>
  (await app.call('GET', `/v1/products/${id}`, { key: open, headers })).body as Shown

const counts = (groups: { options: Option[] }[] | undefined) =>
  groups?.flatMap(({ options }) => options.map(({ quantity, is }) => ({ quantity, is })))

const limited = (quantity: number, quantity_limited: boolean) =>
  Array.from({ length: 3 }, () => ({ quantity, is: { quantity_limited } }))

describe('an option of a product at 2021-03-03', () => {
  it('shows how many of the product are left', async () => {
    const { id } = await shop.create({ variant_groups: groups, inventory: { managed: true, available: 7 } })
    for (const version of ['2021-03-03', '2020-02-01']) {
      const { variants } = await shown(id, { 'service-version': version })
      expect(counts(variants)).toEqual(limited(7, true))
    }
  })

  it('is not limited where the stock of the product is not counted', async () => {
    const { id } = await shop.create({ variant_groups: groups })
    expect(counts((await shown(id, { 'service-version': '2021-03-03' })).variants)).toEqual(limited(0, false))
  })

  it('is not limited where variants have stock of their own, until all of them are sold out', async () => {
    const { id, variant_groups } = await shop.create({
      variant_groups: groups,
      inventory: { managed: true, available: 0 },
    })
    const [size, colour] = variant_groups
    const variants = []
    for (const option of size?.options ?? []) {
      const options = { [size?.id ?? '']: option.id, [colour?.id ?? '']: colour?.options[0]?.id }
      const body = { options, inventory: 3 }
      variants.push((await app.call('POST', `/v1/products/${id}/variants`, { key: secret, body })).body as Option)
    }
    expect(counts((await shown(id, { 'service-version': '2021-03-03' })).variants)).toEqual(limited(0, false))
    for (const variant of variants)
      await app.call('PUT', `/v1/products/${id}/variants/${variant.id}`, { key: secret, body: { inventory: 0 } })
    expect(counts((await shown(id, { 'service-version': '2021-03-03' })).variants)).toEqual(limited(0, true))
  })

  it('is shown so to the SDK that names no version, beside the groups of today', async () => {
    const { id } = await shop.create({ variant_groups: groups, inventory: { managed: true, available: 7 } })
    const { variants, variant_groups } = await shown(id, { 'x-chec-agent': 'commerce.js/v2' })
    expect(counts(variants)).toEqual(limited(7, true))
    expect(counts(variant_groups)).toEqual(Array.from({ length: 3 }, () => ({ quantity: undefined, is: undefined })))
  })
})

describe('an option of a product at 2021-03-10', () => {
  it('has no count', async () => {
    const { id } = await shop.create({ variant_groups: groups, inventory: { managed: true, available: 7 } })
    const { variant_groups } = await shown(id, { 'service-version': '2021-03-10' })
    expect(variant_groups?.flatMap(({ options }) => options.filter((option) => 'quantity' in option))).toEqual([])
  })
})
