// A checkout up to its capture: the token, what a shopper chooses, what a form is told, and each question asked badly. How badly formed
// questions are answered changed at 2020-09-23.

import type { Scene } from '../scene.ts'
import { filledCart } from './carts.ts'
import type { Catalogue } from './catalogue.ts'
import type { Terms } from './terms.ts'

type Token = { id: string; line_items: { id: string }[] }

/** A token of a cart of its own with a shirt and a book, made in the newest version. */
export async function tokenOf(scene: Scene, sold: Catalogue): Promise<Token> {
  const cart = await filledCart(scene, sold)
  return scene.prepare<Token>('checkouts.create', { params: { id: cart.id }, query: { type: 'cart' } })
}

const badly = { case: 'badly_formed', status: 422 }
const incomplete = { case: 'incomplete', status: 400 }
/** What was asked is answered: no. */
const refused = { case: 'refused', status: 200 }
const unknown = { case: 'unknown', status: 404 }

export async function checkOut(scene: Scene, terms: Terms, sold: Catalogue) {
  const { ask } = scene
  const cart = await filledCart(scene, sold)
  const { id } = await ask('checkouts.create', { params: { id: cart.id }, query: { type: 'cart' } })
  await ask('checkouts.create', { case: 'of_product', status: 201, params: { id: 'book' } })
  await ask('checkouts.create', { ...badly, params: { id: cart.id }, query: { type: 'basket' } })
  await ask('checkouts.create', { ...unknown, params: { id: 'nothing' } })
  await forms(scene, id)
  await choices(scene, terms, sold)
  await scene.prepare('checkouts.check_discount', { params: { id }, query: { code: 'TEN' } })
  await ask('checkouts.update', { params: { id }, body: { adjustments: [{ description: 'Wrapping', amount: 1 }] } })
  await ask('checkouts.update', { ...badly, params: { id }, body: { adjustments: [{ amount: 'much' }] } })
  await ask('checkouts.get', { params: { id } })
  await ask('checkouts.get', { ...unknown, params: { id: `chkt_${'0'.repeat(26)}` } })
  await ask('checkouts.live', { params: { id } })
  await ask('checkouts.protect', { params: { id } })
  await places(scene, id)
}

/** Of one shirt: every answer has all of the totals. */
async function choices({ ask, prepare }: Scene, { method }: Terms, sold: Catalogue) {
  const { shirt, song, group, large, small } = sold
  const { id: ofShirt } = await prepare('carts.create')
  await prepare('carts.add', { params: { cart_id: ofShirt }, body: { id: shirt, options: { [group]: small } } })
  const token = await prepare<Token>('checkouts.create', { params: { id: ofShirt }, query: { type: 'cart' } })
  const { id } = token
  const line = { id, line_item_id: token.line_items[0]?.id ?? '' }
  await ask('checkouts.check_variant', { params: line, query: { group_id: group, option_id: small } })
  // Before 2021-03-10 a group was called a variant.
  const older = { variant_id: group, option_id: large }
  await ask('checkouts.check_variant', { case: 'older_names', status: 200, params: line, query: older })
  await ask('checkouts.check_variant', { ...badly, params: line, query: { 'variant_id[]': group } })
  await ask('checkouts.check_variant', { ...incomplete, params: line })
  await ask('checkouts.check_quantity', { params: line, query: { amount: 3 } })
  await ask('checkouts.check_quantity', { case: 'too_many', status: 200, params: line, query: { amount: 1_000 } })
  await ask('checkouts.check_quantity', { ...badly, params: line, query: { amount: 'some' } })
  await ask('checkouts.check_discount', { params: { id }, query: { code: 'ten' } })
  await ask('checkouts.check_discount', { ...refused, params: { id }, query: { code: 'NONE' } })
  await ask('checkouts.check_discount', { ...badly, params: { id }, query: { 'code[]': 'TEN' } })
  await ask('checkouts.check_giftcard', { params: { id }, query: { code: 'CARD-3' } })
  await ask('checkouts.check_giftcard', { ...badly, params: { id }, query: { 'code[]': 'CARD-3' } })
  const chosen = { shipping_option_id: method, country: 'US', region: 'CA' }
  await ask('checkouts.check_shipping', { params: { id }, query: chosen })
  await ask('checkouts.check_shipping', { ...badly, params: { id }, query: { ...chosen, 'country[]': 'US' } })
  await ask('checkouts.check_is_free', { params: { id } })

  const ofSong = await prepare('checkouts.create', { params: { id: song }, query: { type: 'product_id' } })
  const params = { id: ofSong.id }
  await ask('checkouts.check_pay_what_you_want', { params, query: { customer_set_price: 2.5 } })
  await ask('checkouts.check_pay_what_you_want', { ...refused, params, query: { customer_set_price: 0.5 } })
  await ask('checkouts.check_pay_what_you_want', { ...badly, params, query: { customer_set_price: 'much' } })
}

async function forms({ ask }: Scene, id: string) {
  const params = { id }
  await ask('checkouts.shipping_options', { params, query: { country: 'US' } })
  await ask('checkouts.shipping_options', { ...badly, params, query: { 'country[]': 'US' } })
  await ask('checkouts.set_tax_zone', { params, query: { country: 'US', region: 'CA', postal_zip_code: '94107' } })
  await ask('checkouts.set_tax_zone', { ...badly, params, query: { 'country[]': 'US' } })
  await ask('checkouts.location_from_ip', { params, query: { ip_address: '198.51.100.7' } })
  await ask('checkouts.location_from_ip', { ...badly, params, query: { ip_address: 'here' } })
  await ask('checkouts.validation', { params })
  await ask('checkouts.fields', { params })
}

async function places({ ask }: Scene, id: string) {
  const params = { checkout_token_id: id }
  await ask('locale.list_countries')
  await ask('locale.list_subdivisions', { params: { country_code: 'LU' } })
  await ask('locale.list_shipping_countries', { params })
  await ask('locale.list_shipping_subdivisions', { params: { ...params, country_code: 'CA' } })
}
