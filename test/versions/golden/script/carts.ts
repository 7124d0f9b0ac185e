// A cart's life: filled in today's words and in those of older storefronts, changed, emptied and deleted.

import type { Scene } from '../scene.ts'
import type { Catalogue } from './catalogue.ts'

type Cart = { id: string; line_items: { id: string }[] }

/** A cart of its own with a shirt and a book in it, made in the newest version. */
export async function filledCart({ prepare }: Scene, { shirt, book, group, small }: Catalogue): Promise<Cart> {
  const { id } = await prepare('carts.create')
  const params = { cart_id: id }
  await prepare('carts.add', { params, body: { id: shirt, quantity: 2, options: { [group]: small } } })
  return prepare<Cart>('carts.add', { params, body: { id: book } })
}

export async function liveOfCarts(scene: Scene, sold: Catalogue) {
  const { ask, prepare } = scene
  const { shirt, book, group, small, large, variant } = sold
  const { id } = await ask('carts.create')
  const params = { cart_id: id }
  await ask('carts.add', { params, body: { id: shirt, quantity: 2, options: { [group]: small } } })
  await ask('carts.add', { case: 'variant_id', status: 200, params, body: { id: shirt, variant_id: variant } })
  await ask('carts.add', { case: 'unavailable', status: 422, params, body: { id: shirt, quantity: 900 } })
  await prepare('carts.add', { params, body: { id: book } })
  await ask('carts.update', { params, body: { discount_code: 'TEN', meta: { from: 'advert' } } })
  await ask('carts.get', { params })
  await ask('carts.get', { case: 'unknown', status: 404, params: { cart_id: `cart_${'0'.repeat(26)}` } })
  await ask('carts.list_lines', { params })

  const [first, second] = (await prepare<Cart>('carts.get', { params })).line_items
  const [line, lastLine] = [
    { ...params, line_item_id: first?.id ?? '' },
    { ...params, line_item_id: second?.id ?? '' },
  ]
  await ask('carts.update_line', { params: line, body: { quantity: 3 } })
  await ask('carts.update_line', { case: 'to_none', status: 200, params: line, body: { quantity: 0 } })
  await ask('carts.remove_line', { params: lastLine })
  await ask('carts.remove_line', { case: 'unknown', status: 404, params: lastLine })
  await prepare('carts.add', { params, body: { id: shirt, options: { [group]: large } } })
  await prepare('carts.add', { params, body: { id: book, quantity: 2 } })
  const one = { params, body: { id: book, quantity: -1 } }
  await ask('carts.add', { case: 'less', status: 200, ...one })
  await ask('carts.add', { case: 'last', status: 200, ...one })
  await ask('carts.add', { case: 'none_left', status: 200, ...one })
  await ask('carts.empty', { params })
  await ask('carts.delete', { params })
  await olderChoices(scene, sold)
}

/** Before 2021-03-31 the choice was called `variant`. Each in a cart of its own, which no later request shows. */
async function olderChoices({ ask, prepare }: Scene, { shirt, group, small, large, variant }: Catalogue) {
  const emptyCart = async () => ({ cart_id: (await prepare('carts.create')).id })
  const chosen = { variant: { [group]: large } }
  await ask('carts.add', { case: 'variant', status: 200, params: await emptyCart(), body: { id: shirt, ...chosen } })
  const asText = { id: shirt, variant }
  await ask('carts.add', { case: 'variant_text', status: 200, params: await emptyCart(), body: asText })
  const params = await emptyCart()
  const filled = await prepare<Cart>('carts.add', { params, body: { id: shirt, options: { [group]: small } } })
  const line = { ...params, line_item_id: filled.line_items[0]?.id ?? '' }
  await ask('carts.update_line', { case: 'variant', status: 200, params: line, body: chosen })
}
