// The life of a cart in the SDK: kept by a cookie, changed, emptied, gone and made anew; and what must not make the SDK throw it away.

import { describe, expect, it } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import type { Pass } from './shop.ts'

const COOKIE = 'commercejs_cart_id'
const NO_LINE = `item_${'0'.repeat(26)}`
const MORE_THAN_A_CART_LIVES = 31 * 86_400

export function cart(pass: () => Pass) {
  /** The cart as the API shows it, and that everything that keeps its id agrees. */
  const current = async (): Promise<Cart> => {
    const { sdk, raw } = pass()
    const id = await sdk.call<string>('cart.id')
    const cookies = await sdk.cookies()
    if (cookies !== null) expect(cookies[COOKIE]).toBe(id)
    return (await raw(`carts/${id}`)) as Cart
  }

  /** What a change answers: the envelope with the cart in it and, at the newest version, the fields of the cart beside. */
  const changed = (shown: Cart, around: object) => ({
    ...(pass().isOld ? {} : shown),
    success: true,
    ...around,
    cart: shown,
  })

  /** In a page, and where a version names the event. */
  const expectEvents = async (...names: string[]) => {
    const { sdk, isOld } = pass()
    const expected = sdk.isBrowser ? (isOld ? names.map((name) => `Commercejs.${name}`) : []) : null
    expect(await sdk.events()).toEqual(expected)
  }

  /** A second after what was before it: lines stand in the order in which they were made. */
  const add = async (...args: unknown[]) => {
    const { app, sdk } = pass()
    app.clock.advance(1)
    return sdk.call('cart.add', ...args)
  }

  const fresh = async () => {
    const { sdk } = pass()
    await sdk.call('cart.refresh')
    await sdk.events()
  }

  describe('a cart', () => {
    it('is made when it is first asked for, and kept', async () => {
      const { sdk } = pass()
      await sdk.call('storage.remove', COOKIE)
      await sdk.restart()
      expect(await sdk.call('cart.id')).toBeNull()
      const made = await sdk.call<Cart>('cart.retrieve')
      expect(made).toEqual(await current())
      expect(await sdk.call('cart.retrieve')).toEqual(made)
      expect(await sdk.call('cart.retrieve', made.id)).toEqual(made)
      // A page that is loaded again has the cookie alone. Node has nothing.
      await sdk.restart()
      expect(await sdk.call('cart.id')).toBe(sdk.isBrowser ? made.id : null)
    })

    it('cart.refresh makes another one, and storage keeps its id', async () => {
      const { sdk } = pass()
      const before = await sdk.call('cart.retrieve')
      const after = await sdk.call<Cart>('cart.refresh')
      expect(after).toEqual(await current())
      expect(after).not.toEqual(before)
      expect(await sdk.call('storage.get', COOKIE)).toBe(sdk.isBrowser ? after.id : null)
      await sdk.call('storage.set', 'another', 'one', 1)
      expect(await sdk.call('storage.get', 'another')).toBe(sdk.isBrowser ? 'one' : null)
    })

    it('cart.add takes a product, options or a variant, and answers the cart as `.cart`', async () => {
      const { shop } = pass()
      await fresh()
      const added = await add(shop.mug.id)
      const shown = await current()
      const [line] = shown.line_items
      expect(added).toEqual(
        changed(shown, {
          event: 'Cart.Item.Added',
          line_item_id: line?.id,
          product_id: shop.mug.id,
          product_name: 'Mug',
          quantity: 1,
          line_total: line?.line_total,
        }),
      )
      await add({ id: shop.mug.id }, 2, {})
      await add(shop.shirt.id, 1, { [shop.size]: shop.small })
      await add(shop.shirt.id, 1, shop.variant.id)
      await expectEvents(...Array<string>(4).fill('Cart.Item.Added'))
      const { line_items: lines, total_items, total_unique_items, subtotal } = await current()
      const [mugs, small, large] = lines
      expect([total_items, total_unique_items, subtotal.formatted_with_symbol]).toEqual([5, 3, '$81.00'])
      expect(mugs).toMatchObject({ quantity: 3, selected_options: [], line_total: { formatted_with_symbol: '$36.00' } })
      expect(small?.selected_options).toMatchObject([{ group_name: 'Size', option_name: 'S', option_id: shop.small }])
      expect(large?.variant).toMatchObject({ id: shop.variant.id, sku: 'SHIRT-L' })
      if (pass().version === '2021-03-10') expect(mugs).toMatchObject({ media: { source: shop.asset.url } })
      else expect(mugs).toMatchObject({ image: { url: shop.asset.url } })
    })

    it('cart.update, cart.contents, cart.remove and cart.empty work on its lines', async () => {
      const { sdk, shop } = pass()
      await fresh()
      await add(shop.mug.id)
      await add(shop.shirt.id, 1, shop.variant.id)
      await sdk.events()
      const [mugs, shirts] = (await current()).line_items
      const updated = await sdk.call('cart.update', mugs?.id, { quantity: 4 })
      const shown = await current()
      expect(updated).toEqual(
        changed(shown, {
          event: 'Cart.Item.Updated',
          line_item_id: mugs?.id,
          product_id: shop.mug.id,
          product_name: 'Mug',
          quantity: 4,
          line_total: shown.line_items[0]?.line_total,
        }),
      )
      const contents = await sdk.call('cart.contents')
      expect(contents).toEqual(shown.line_items)
      expect(await sdk.call('cart.request', 'items')).toEqual(contents)
      const removed = await sdk.call('cart.remove', mugs?.id)
      const rest = await current()
      expect(rest.line_items.map(({ id }) => id)).toEqual([shirts?.id])
      expect(removed).toEqual(changed(rest, { event: 'Cart.Item.Removed', line_item_id: mugs?.id }))
      const emptied = await sdk.call('cart.empty')
      const empty = await current()
      expect(empty).toMatchObject({ id: shown.id, line_items: [], total_items: 0 })
      expect(emptied).toEqual(changed(empty, { event: 'Cart.Emptied' }))
      await expectEvents('Cart.Item.Updated', 'Cart.Item.Removed', 'Cart.Emptied')
    })

    it('cart.checkQuantity compares with the stock of the product', async () => {
      const { sdk, shop } = pass()
      expect(await sdk.call('cart.checkQuantity', shop.mug.id, 1)).toBe(true)
      expect(await sdk.call('cart.checkQuantity', shop.mug.id, 51)).toBe(false)
    })
  })

  describe('a cart that is there', () => {
    it('is not thrown away for a line, a product, an option or stock that is missing', async () => {
      const { sdk, shop } = pass()
      await fresh()
      await add(shop.mug.id)
      const before = await current()
      for (const [method, ...args] of [
        ['cart.update', NO_LINE, { quantity: 2 }],
        ['cart.remove', NO_LINE],
        ['cart.add', `prod_${'0'.repeat(26)}`],
        ['cart.add', shop.shirt.id, 1, { [shop.size]: `optn_${'0'.repeat(26)}` }],
        ['cart.add', shop.shirt.id, 1, `vrnt_${'0'.repeat(26)}`],
        ['cart.add', shop.mug.id, 1_000],
      ] as const) {
        const { statusCode, data } = await sdk.failure(method, ...args)
        expect([method, statusCode, data]).toEqual([
          method,
          422,
          expect.objectContaining({ error: expect.objectContaining({ message: expect.any(String) }) }),
        ])
        expect(await current()).toEqual(before)
      }
    })
  })

  describe('a cart that is gone', () => {
    const expectRecovered = async (gone: string) => {
      const { sdk, shop } = pass()
      const added = await sdk.call<{ cart: Cart }>('cart.add', shop.mug.id, 2)
      const shown = await current()
      expect(shown.id).not.toBe(gone)
      expect(shown.line_items).toMatchObject([{ product_id: shop.mug.id, quantity: 2 }])
      expect(added.cart).toEqual(shown)
    }

    it('by cart.delete is replaced at the next call, which is then repeated', async () => {
      const { sdk, isOld } = pass()
      await fresh()
      const { id } = await current()
      expect(await sdk.call('cart.delete')).toEqual(isOld ? { success: true, event: 'Cart.Deleted', cart_id: id } : '')
      await expectEvents('Cart.Deleted')
      await expectRecovered(id)
    })

    it('because it has expired is replaced at the next call, also where only the cookie still knows it', async () => {
      const { app, sdk } = pass()
      await fresh()
      const { id } = await current()
      app.clock.advance(MORE_THAN_A_CART_LIVES)
      await expectRecovered(id)
      app.clock.advance(MORE_THAN_A_CART_LIVES)
      await sdk.restart()
      const shown = await sdk.call<Cart>('cart.retrieve')
      expect(shown).toEqual(await current())
      expect([shown.id === id, shown.line_items]).toEqual([false, []])
    })
  })
}
