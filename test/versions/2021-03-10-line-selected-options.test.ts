import { describe, expect, it } from 'vitest'
import { type OldCart, type OldLine, openCarts } from './carts.ts'

const { image, shirt, mug, group, red, ask, fill } = await openCarts()

const price = (raw: number) => expect.objectContaining({ raw })
const choice = { option_id: red.id, option_name: 'Red', price: price(1) }
const NO_MEDIA = { type: null, source: null, asset_id: null }

/** The lines that `fill` makes, with exactly the fields that a line had. */
const linesBefore = (lines: readonly OldLine[]) => [
  {
    id: lines[0]?.id,
    product_id: shirt.id,
    name: 'Shirt',
    quantity: 1,
    price: price(10),
    line_total: price(11),
    variants: [{ variant_id: group.id, variant_name: 'Colour', ...choice }],
    media: { type: 'image', source: image.url, asset_id: image.id },
  },
  {
    id: lines[1]?.id,
    product_id: mug.id,
    name: 'Mug',
    quantity: 2,
    price: price(4),
    line_total: price(8),
    variants: [],
    media: NO_MEDIA,
  },
]

describe('the lines of a cart', () => {
  it('list what was chosen as `variants`, and have none of the newer fields, at 2021-03-03', async () => {
    const { id } = await fill()
    const cart = await ask<OldCart>('GET', `/${id}`, '2021-03-03')
    expect(cart.line_items).toEqual(linesBefore(cart.line_items))
    expect(await ask('GET', `/${id}/items`, '2021-03-03')).toEqual(cart.line_items)
    const put = await ask<OldCart>('PUT', `/${id}`, '2021-03-03', { meta: { a: 1 } })
    expect(put.line_items).toEqual(cart.line_items)
  })

  it('are so in the envelopes of changes too, at 2021-03-03', async () => {
    const { id, line_items } = await fill()
    const line = `/${id}/items/${line_items[1]?.id}`
    const { cart } = await ask<{ cart: OldCart }>('PUT', line, '2021-03-03', { quantity: 2 })
    expect(cart.line_items).toEqual(linesBefore(cart.line_items))
  })

  it('have `selected_options` and the newer fields at 2021-03-10', async () => {
    const { id, line_items } = await fill()
    const cart = await ask<OldCart>('GET', `/${id}`, '2021-03-10')
    const aged = line_items.map(({ image: shown, ...rest }) => ({
      ...rest,
      media: shown === null ? NO_MEDIA : { type: 'image', source: image.url, asset_id: image.id },
    }))
    expect(cart.line_items).toEqual(aged)
    expect(cart.line_items[0]).toMatchObject({
      product_name: 'Shirt',
      sku: 'SHIRT',
      permalink: 'shirt',
      is_valid: true,
      product_meta: { fabric: 'linen' },
      variant: null,
      selected_options: [{ group_id: group.id, group_name: 'Colour', ...choice }],
    })
  })
})
