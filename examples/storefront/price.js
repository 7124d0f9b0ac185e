// Prices computed for display only. The API computes the amount to pay.

/** Formats an amount like a price of the API. */
export function money(amount, { formatted, formatted_with_symbol: withSymbol }) {
  const digits = formatted.split('.')[1]?.length ?? 0
  const text = Math.abs(amount).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const symbol = withSymbol.replace(/^-/, '').replace(formatted.replace(/^-/, ''), '')
  return `${amount < 0 ? '−' : ''}${symbol}${text}`
}

/** Unit price: the variant's own, otherwise the product's plus those of the options. */
export function unitPrice({ price }, options, variant) {
  if (variant?.price) return variant.price.raw
  return Math.max(
    0,
    options.reduce((sum, option) => sum + option.price.raw, price.raw),
  )
}

/** Lowest and highest price of a product with its options. */
function rangeOf({ price, variant_groups: groups = [] }) {
  const sum = (pick) =>
    groups.reduce(
      (total, { options }) => total + (options.length > 0 ? pick(...options.map((option) => option.price.raw)) : 0),
      price.raw,
    )
  return [Math.max(0, sum(Math.min)), Math.max(0, sum(Math.max))]
}

/** Price in a list, where nothing is chosen yet. */
export function shelfPrice(product) {
  const { price } = product
  if (product.is?.pay_what_you_want) return price.raw > 0 ? `From ${price.formatted_with_symbol}` : 'Pay what you want'
  const [least, most] = rangeOf(product)
  if (least < most) return `From ${money(least, price)}`
  return least === 0 ? 'Free' : money(least, price)
}

/** Show the remaining stock from this number down. */
const FEW = 5

/** Returns the stock of the variant, or of the product if the variant has none of its own. Null if stock is not managed. */
export function stockOf({ inventory }, variant) {
  if (!inventory?.managed) return null
  return variant?.inventory ?? inventory.available
}

export const fewLeft = (stock) => (stock !== null && stock > 0 && stock <= FEW ? `Only ${stock} left` : null)
