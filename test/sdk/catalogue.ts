// The SDK's products, categories, merchants and services, and its plain `request`: what it gives is what the API answers at that version.

import { describe, expect, it } from 'vitest'
import type { Pass } from './shop.ts'

type Named = { data: { name: string }[] }

export function catalogue(pass: () => Pass) {
  describe('products', () => {
    it('products.list gives a page, and takes every filter and order that storefronts send', async () => {
      const { sdk, raw, shop } = pass()
      expect(await sdk.call('products.list')).toEqual(await raw('products'))
      const categories = { category_slug: ['mugs'], category_id: [shop.category.id] }
      const params = { ...categories, limit: 5, page: 1, query: 'mug', active: 1 }
      const { data } = await sdk.call<Named>('products.list', params)
      expect(data.map(({ name }) => name)).toEqual(['Mug'])
      const sorted = await sdk.call<Named>('products.list', { sortBy: 'price', sortDirection: 'desc', limit: 2 })
      expect(sorted.data.map(({ name }) => name)).toEqual(['Shirt', 'Mug'])
    })

    it('products.retrieve finds by id, by permalink, also with a blank behind the type, and by sku', async () => {
      const { sdk, raw, shop } = pass()
      const product = await raw(`products/${shop.mug.id}`)
      for (const [id, options] of [
        [shop.mug.id, undefined],
        [shop.mug.id, { type: 'id' }],
        ['mug', { type: 'permalink' }],
        ['mug', { type: 'permalink ' }],
        ['MUG-1', { type: 'sku' }],
      ] as const)
        expect(await sdk.call('products.retrieve', id, options)).toEqual(product)
    })

    it('products.getVariants and products.getVariant give the variants', async () => {
      const { sdk, raw, shop } = pass()
      const path = `products/${shop.shirt.id}/variants`
      const first = { limit: 1, page: 1 }
      const page = await sdk.call<{ data: { id: string }[] }>('products.getVariants', shop.shirt.id, first)
      expect(page).toEqual(await raw(`${path}?limit=1&page=1`))
      expect(page.data.map(({ id }) => id)).toEqual([shop.variant.id])
      expect(await sdk.call('products.getVariant', shop.shirt.id, shop.variant.id)).toEqual(
        await raw(`${path}/${shop.variant.id}`),
      )
    })
  })

  it('categories.list and categories.retrieve give the categories, by id and by slug', async () => {
    const { sdk, raw, shop } = pass()
    expect(await sdk.call('categories.list')).toEqual(await raw('categories'))
    expect(await sdk.call('categories.list', { depth: 1, limit: 1 })).toEqual(await raw('categories?depth=1&limit=1'))
    const category = await raw(`categories/${shop.category.id}`)
    expect(await sdk.call('categories.retrieve', shop.category.id)).toEqual(category)
    expect(await sdk.call('categories.retrieve', 'mugs', { type: 'slug' })).toEqual(category)
  })

  it('merchants.about gives the one merchant to the public key', async () => {
    const { sdk, raw } = pass()
    expect(await sdk.call('merchants.about')).toEqual(await raw('merchants'))
  })

  it('services list countries and subdivisions, all and those that a checkout can be sent to', async () => {
    const { sdk, raw, shop } = pass()
    expect(await sdk.call('services.localeListCountries')).toEqual(await raw('services/locale/countries'))
    expect(await sdk.call('services.localeListSubdivisions', 'CA')).toEqual(
      await raw('services/locale/CA/subdivisions'),
    )
    const { id } = await shop.token({ id: shop.mug.id })
    const path = `services/locale/${id}/countries`
    expect(await sdk.call('services.localeListShippingCountries', id)).toEqual(await raw(path))
    expect(await sdk.call('services.localeListShippingSubdivisions', id, 'CA')).toEqual(
      await raw(`${path}/CA/subdivisions`),
    )
  })

  describe('request', () => {
    it('asks for any path, and gives the whole answer where that is wanted', async () => {
      const { sdk, raw, shop } = pass()
      const path = `products/${shop.mug.id}`
      expect(await sdk.call('request', path)).toEqual(await raw(path))
      expect(await sdk.call('request', path, 'get', null, {}, true)).toEqual({ status: 200, data: await raw(path) })
    })

    it('fails with the status and the body of the error, also across origins and in debug mode', async () => {
      const { sdk, app, shop, version } = pass()
      const { body } = await app.call('GET', '/v1/products/none', { key: shop.keys.sandbox.public, version })
      const expected = { message: 'Unsuccessful response (404: Not Found) received', statusCode: 404, data: body }
      expect(await sdk.failure('products.retrieve', 'none')).toEqual(expected)
      await sdk.restart({ isDebug: true })
      expect(await sdk.failure('products.retrieve', 'none')).toEqual(expected)
      const refused = await sdk.failure('products.list', { active: 'perhaps' })
      expect(refused).toMatchObject({ statusCode: 422, data: { error: { errors: { active: [expect.any(String)] } } } })
      // It writes to the console only what it can find in the body of an error; `error` alone gives nothing.
      const response = { status: 404, statusText: 'Not Found', data: body }
      expect(await sdk.call('error', { response })).toBeUndefined()
      await sdk.restart()
    })
  })
}
