// Variant groups, and the options that a line has.

import { type Change, drop, inTurn, isJsonObject, type Json, rename, renameRequestField, set } from '../change.ts'

// Lines of a cart list what was chosen as `selected_options` and show the variant, its SKU and more of the product; before,
// when a group of options was called a variant, they had `variants` instead and nothing else of the product but its name.

const BROUGHT = ['product_name', 'sku', 'permalink', 'is_valid', 'product_meta', 'variant']

const asVariant = (selected: Json): Json => {
  if (!isJsonObject(selected)) return selected
  const { group_id = null, group_name = null, option_id = null, option_name = null, price = null } = selected
  return { variant_id: group_id, variant_name: group_name, option_id, option_name, price }
}

export const lineSelectedOptions = {
  summary:
    'Lines of a cart have `selected_options[] {group_id, group_name, option_id, option_name, price}` instead of `variants[] {variant_id, variant_name, option_id, option_name, price}`, and new: `product_name`, `sku`, `permalink`, `is_valid`, `product_meta`, `variant`.',
  kinds: {
    line_item: inTurn(
      drop(...BROUGHT),
      set('selected_options', ({ selected_options: selected = [] }) =>
        Array.isArray(selected) ? selected.map(asVariant) : [],
      ),
      rename('selected_options', 'variants'),
    ),
  },
} satisfies Change

// Stock is counted for a product or for its variants; before, an option showed a count. What an old body can say of it is the product's
// count. A product that sells from the stock of its variants may have none of its own left: then the option's count limits nothing.

const withCount =
  (quantity: Json, isLimited: boolean) =>
  (option: Json): Json =>
    isJsonObject(option) ? { ...option, quantity, is: { quantity_limited: isLimited } } : option

export const optionQuantity = {
  summary:
    "Options of a product's choices no longer have `quantity`, the count of the product, and `is.quantity_limited`: stock is counted for the product or for its variants.",
  kinds: {
    product: set('variant_groups', ({ variant_groups: groups = [], quantity = 0, is = {} }) => {
      if (!Array.isArray(groups)) return groups
      const { quantity_limited: isCounted = false, sold_out: isSoldOut = false } = isJsonObject(is) ? is : {}
      const count = withCount(quantity, isCounted === true && (quantity !== 0 || isSoldOut === true))
      return groups.map((group) =>
        isJsonObject(group) && Array.isArray(group.options) ? { ...group, options: group.options.map(count) } : group,
      )
    }),
  },
} satisfies Change

// The choices of a product are called `variant_groups`; before, when there were no variants of their own, `variants`.

const fromOlder = { up: renameRequestField('variants', 'variant_groups') }

export const productVariantGroups = {
  summary: 'The field `variants` of products, in replies and in requests, is now called `variant_groups`.',
  kinds: { product: rename('variant_groups', 'variants') },
  operations: { 'products.create': fromOlder, 'products.update': fromOlder },
} satisfies Change
