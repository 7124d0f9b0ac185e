// The link of a product: its page, and the form on it, which makes a token for whoever sends it. Looking makes none, whoever looks and however
// often: links are opened by previews and by search engines.

import { type LinkContext, openProduct } from '../../../api/checkouts/hosted/open.ts'
import type { Product } from '../../../api/products/schema.ts'
import { findShownProduct } from '../../../api/products/shown.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { withPoint } from '../form/pay-form.ts'
import type { ProductModel, Typed } from '../model.ts'
import { type Message, messageOf } from './cart-entry.ts'

/** The page, but for its frame. */
export type ProductShown = {
  readonly kind: 'product'
  readonly status: 200 | 422
  readonly model: Pick<ProductModel, 'product' | 'typed' | 'problems' | 'goesStraightOn'>
}

/** `pay`: on to the page of the token, by a 303. */
export type ProductEntry = ProductShown | { readonly kind: 'pay'; readonly tokenId: string } | Message

const NOTHING_TYPED: Typed = new Map()

const PRODUCT_GONE = messageOf(404, 'gone', refusal('product_gone'))

/** `asksCheckout`: the link goes straight on to paying (`?checkout=true`). */
export async function showProduct(
  context: LinkContext,
  permalink: string,
  asksCheckout: boolean,
): Promise<ProductShown | Message> {
  const product = await productAt(context, permalink)
  if (product === null) return PRODUCT_GONE
  const goesStraightOn = asksCheckout && isWithoutChoice(product)
  return { kind: 'product', status: 200, model: { product, typed: NOTHING_TYPED, problems: [], goesStraightOn } }
}

/** What the database cannot compare is no permalink. */
const productAt = (context: LinkContext, permalink: string): Promise<Product | null> =>
  permalink.includes('\0') ? Promise.resolve(null) : findShownProduct(context, permalink)

/** What a script may send without asking: nothing is left to choose, and there is something to buy. */
const isWithoutChoice = ({ is, variant_groups: groups }: Product): boolean =>
  groups.length === 0 && !is.pay_what_you_want && !is.sold_out

/** What the form sends, by the names of its inputs: `quantity`, `variants[vgrp_…]`, `pay_what_you_want`. */
export async function buyProduct(context: LinkContext, permalink: string, typed: Typed): Promise<ProductEntry> {
  const product = await productAt(context, permalink)
  if (product === null) return PRODUCT_GONE
  const opened = await openProduct(context, product.permalink, {
    // A form that does not ask how many is for one.
    quantity: typed.get('quantity') ?? '1',
    options: chosenIn(typed),
    payWhatYouWant: product.is.pay_what_you_want ? withPoint(typed.get('pay_what_you_want') ?? '') : null,
  })
  if ('tokenId' in opened) return { kind: 'pay', tokenId: opened.tokenId }
  return {
    kind: 'product',
    status: 422,
    model: { product, typed, problems: opened.problems, goesStraightOn: false },
  }
}

const CHOICE = /^variants\[(\w{1,64})\]$/

/** As ids are written. The database cannot even compare some of what else could be sent. */
const ID = /^\w{1,64}$/

/** One left at "please choose" is not chosen; what can be no id is chosen, and is not there. */
function chosenIn(typed: Typed): Record<string, string> {
  const chosen: [string, string][] = []
  for (const [name, value] of typed) {
    const group = CHOICE.exec(name)?.[1]
    if (group !== undefined && value !== '') chosen.push([group, ID.test(value) ? value : 'none'])
  }
  return Object.fromEntries(chosen)
}
