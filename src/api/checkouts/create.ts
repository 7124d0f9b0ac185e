// How a checkout token is made: from a cart, or from one product. What cannot be bought never reaches it.

import { unixSeconds } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { LIMITS } from '../carts/schema.ts'
import { type LineProblem, lineProblems } from '../carts/validity.ts'
import { type Checking, showToken } from './checkout.ts'
import { insertCheckout } from './details-store.ts'
import { type PricedCheckout, priceCheckout } from './price.ts'
import { type CheckoutRow, findCartToBuy, findProductToBuy, type SourceRow } from './read-store.ts'
import type { CheckoutToken } from './schema.ts'

export const SOURCES = ['cart', 'product_id', 'permalink'] as const

/** From its creation; nothing prolongs it. */
export const LIFE_MS = 7 * 86_400_000

/**
 * Two round trips: what is bought is read in one statement, and the token is written as it was read. A cart that changes meanwhile
 * changes after its token was made.
 */
export async function createCheckout(
  checking: Checking,
  type: (typeof SOURCES)[number],
  value: string,
): Promise<CheckoutToken> {
  const now = checking.clock.now()
  const source =
    type === 'cart' ? await cartSource(checking, value, now) : await productSource(checking, type, value, now)
  const row = newCheckout(source, now)
  checking.weigh(row.lines.length, row.id)
  const priced = priceCheckout(row)
  refuseWhatCannotBeBought(row, priced, type)
  const { merchantId, isSandbox } = checking.caller
  const details = await insertCheckout(
    checking.db,
    { merchantId, isSandbox, now },
    {
      id: row.id,
      cartId: row.cart_id,
      discountId: source.discount_id,
      meta: row.meta,
      expiresAt: expiryOf(now),
      lines: row.lines,
    },
  )
  return showToken(checking, row, details, priced)
}

async function cartSource({ db, caller }: Checking, id: string, now: Date): Promise<SourceRow> {
  const source = await findCartToBuy(db, caller, id, now)
  if (source === null) throw notFound('cart')
  if (source.lines.length === 0)
    throw notValid({ line_items: ['The cart is empty. Add something to it before it is checked out.'] })
  return source
}

async function productSource(
  { db, caller }: Checking,
  by: 'product_id' | 'permalink',
  value: string,
  now: Date,
): Promise<SourceRow> {
  const source = await findProductToBuy(db, caller, by, value, newId('lineItem', now))
  if (source === null) throw notFound('product')
  return source
}

const expiryOf = (now: Date) => new Date(now.getTime() + LIFE_MS)

/** The token as it will be read back: nothing has been chosen yet. */
const newCheckout = ({ discount_id: _, ...source }: SourceRow, now: Date): CheckoutRow => ({
  ...source,
  id: newId('checkoutToken', now),
  created: unixSeconds(now),
  updated: unixSeconds(now),
  expires: unixSeconds(expiryOf(now)),
  shipping_country: null,
  shipping_region: null,
  shipping_method_id: null,
  taxed_in: { country: null, region: null, postal_code: null, ip_address: null },
  tax_zone: null,
  is_taxed_by_region: false,
  gift_card: null,
  customer_set_price: null,
  external_methods: null,
  external_tax: null,
  adjustments: null,
})

/** That something is left to choose does no harm yet: capture asks for it. */
function refuseWhatCannotBeBought({ lines }: CheckoutRow, { totals }: PricedCheckout, type: (typeof SOURCES)[number]) {
  const tooLarge = totals.lines.filter(({ isTooLarge }) => isTooLarge)
  const problems = lineProblems(lines, new Set(tooLarge.map(({ id }) => id)))
  if (problems.size === 0) return
  const unitPrices = new Map(totals.lines.map(({ id, unitPrice }) => [id, unitPrice]))
  throw notValid(
    Object.fromEntries(
      [...problems].map(([lineId, problem]): [string, FieldErrors[string]] => {
        // The line of a product that is bought alone has no id that the client could know.
        const path = type === 'cart' ? `line_items.${lineId}` : 'id'
        return [path, [`${path} cannot be bought: ${reason(problem, unitPrices.get(lineId) ?? 1)}.`]]
      }),
    ),
  )
}

function reason(problem: LineProblem, unitPrice: number): string {
  switch (problem.kind) {
    case 'not_for_sale':
      return 'the product is not for sale any more'
    case 'option_deleted':
      return 'an option that was chosen does not exist any more; choose anew'
    case 'too_large':
      return `it would be worth more than a line may be; ${Math.floor(LIMITS.lineTotal / unitPrice)} are the most at this price`
    case 'out_of_stock':
      return `there is not enough of it; ${problem.available} are available, for all lines together`
  }
}
