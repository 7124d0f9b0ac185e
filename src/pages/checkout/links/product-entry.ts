// Handles the link of a product: its page with a form, and the form, which creates a token. Opening the page creates nothing, because link
// previews and search engines open links too.

import { type LinkContext, openProductCheckout } from '../../../api/checkouts/hosted/open.ts'
import type { Product } from '../../../api/products/schema.ts'
import { findVisibleProduct } from '../../../api/products/shown.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { withDecimalPoint } from '../form/pay-form.ts'
import type { ProductModel, TypedInputs } from '../model.ts'
import { type LinkMessage, linkMessage } from './cart-entry.ts'

/** The page without its frame. */
export type ShownProductEntry = {
  readonly kind: 'product'
  readonly status: 200 | 422
  readonly model: Pick<ProductModel, 'product' | 'typed' | 'problems' | 'goesStraightOn'>
}

/** `pay`: redirect with 303 to the page of the token. */
export type ProductEntry = ShownProductEntry | { readonly kind: 'pay'; readonly tokenId: string } | LinkMessage

const NOTHING_TYPED: TypedInputs = new Map()

const PRODUCT_GONE = linkMessage(404, 'gone', refusal('product_gone'))

/** `asksCheckout`: the link goes straight to payment (`?checkout=true`). */
export async function showProductEntry(
  context: LinkContext,
  permalink: string,
  asksCheckout: boolean,
): Promise<ShownProductEntry | LinkMessage> {
  const product = await productAt(context, permalink)
  if (product === null) return PRODUCT_GONE
  const goesStraightOn = asksCheckout && isWithoutChoice(product)
  return { kind: 'product', status: 200, model: { product, typed: NOTHING_TYPED, problems: [], goesStraightOn } }
}

/** PostgreSQL cannot compare text with a NUL character, so it is no permalink. */
const productAt = (context: LinkContext, permalink: string): Promise<Product | null> =>
  permalink.includes('\0') ? Promise.resolve(null) : findVisibleProduct(context, permalink)

/** True if a script may send the form by itself: nothing is left to choose, and the product can be bought. */
const isWithoutChoice = ({ is, variant_groups: groups }: Product): boolean =>
  groups.length === 0 && !is.pay_what_you_want && !is.sold_out

/** `typed`: the form's inputs by name: `quantity`, `variants[vgrp_…]`, `pay_what_you_want`. */
export async function buyProduct(context: LinkContext, permalink: string, typed: TypedInputs): Promise<ProductEntry> {
  const product = await productAt(context, permalink)
  if (product === null) return PRODUCT_GONE
  const result = await openProductCheckout(context, product.permalink, {
    // A form without a quantity is for one piece.
    quantity: typed.get('quantity') ?? '1',
    options: chosenOptions(typed),
    payWhatYouWant: product.is.pay_what_you_want ? withDecimalPoint(typed.get('pay_what_you_want') ?? '') : null,
  })
  if ('tokenId' in result) return { kind: 'pay', tokenId: result.tokenId }
  return {
    kind: 'product',
    status: 422,
    model: { product, typed, problems: result.problems, goesStraightOn: false },
  }
}

const CHOICE = /^variants\[(\w{1,64})\]$/

/** Format of ids. The database cannot even compare some other values. */
const ID = /^\w{1,64}$/

/** A group at "please choose" is omitted. A value that cannot be an id counts as an unknown option. */
function chosenOptions(typed: TypedInputs): Record<string, string> {
  const entries: [string, string][] = []
  for (const [name, value] of typed) {
    const group = CHOICE.exec(name)?.[1]
    if (group !== undefined && value !== '') entries.push([group, ID.test(value) ? value : 'none'])
  }
  return Object.fromEntries(entries)
}
