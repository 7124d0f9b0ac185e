// What things cost before anybody has computed it: only shown. What is paid, the API computes.

/** An amount written in the manner of a price of the API. */
export function money(amount, { formatted, formatted_with_symbol: withSymbol }) {
  const digits = formatted.split('.')[1]?.length ?? 0
  const text = Math.abs(amount).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const symbol = withSymbol.replace(/^-/, '').replace(formatted.replace(/^-/, ''), '')
  return `${amount < 0 ? '−' : ''}${symbol}${text}`
}

/** One of them: a variant's own price, else the product's with what the options add. */
export function unitPrice({ price }, options, variant) {
  if (variant?.price) return variant.price.raw
  return Math.max(
    0,
    options.reduce((sum, option) => sum + option.price.raw, price.raw),
  )
}

/** The least and the most that the options make of a product's price. */
function rangeOf({ price, variant_groups: groups = [] }) {
  const sum = (pick) =>
    groups.reduce(
      (total, { options }) => total + (options.length > 0 ? pick(...options.map((option) => option.price.raw)) : 0),
      price.raw,
    )
  return [Math.max(0, sum(Math.min)), Math.max(0, sum(Math.max))]
}

/** On a shelf, where nothing is chosen yet. */
export function shelfPrice(product) {
  const { price } = product
  if (product.is?.pay_what_you_want) return price.raw > 0 ? `From ${price.formatted_with_symbol}` : 'Pay what you want'
  const [least, most] = rangeOf(product)
  if (least < most) return `From ${money(least, price)}`
  return least === 0 ? 'Free' : money(least, price)
}

/** From how few on we say how many are left. */
const FEW = 5

/** How many are left of the variant, or of the product where the variant has no count of its own. Null when nobody counts them. */
export function stockOf({ inventory }, variant) {
  if (!inventory?.managed) return null
  return variant?.inventory ?? inventory.available
}

export const fewLeft = (stock) => (stock !== null && stock > 0 && stock <= FEW ? `Only ${stock} left` : null)
