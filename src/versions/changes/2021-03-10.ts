// Variant groups, and the selected options of a line.

import {
  type ApiChange,
  assignField,
  chainEdits,
  dropFields,
  isJsonObject,
  type JsonData,
  renameField,
  renameRequestField,
} from '../change.ts'

// Lines of a cart list the choices as `selected_options`, and show the variant, its SKU and more of the product. Before, groups of options
// were called variants: a line had `variants`, and only the name of the product.

const NEW_FIELDS = ['product_name', 'sku', 'permalink', 'is_valid', 'product_meta', 'variant']

const toOldVariant = (selected: JsonData): JsonData => {
  if (!isJsonObject(selected)) return selected
  const { group_id = null, group_name = null, option_id = null, option_name = null, price = null } = selected
  return { variant_id: group_id, variant_name: group_name, option_id, option_name, price }
}

export const lineSelectedOptions = {
  summary:
    'Lines of a cart have `selected_options[] {group_id, group_name, option_id, option_name, price}` instead of `variants[] {variant_id, variant_name, option_id, option_name, price}`, and new: `product_name`, `sku`, `permalink`, `is_valid`, `product_meta`, `variant`.',
  kinds: {
    line_item: chainEdits(
      dropFields(...NEW_FIELDS),
      assignField('selected_options', ({ selected_options: selected = [] }) =>
        Array.isArray(selected) ? selected.map(toOldVariant) : [],
      ),
      renameField('selected_options', 'variants'),
    ),
  },
} satisfies ApiChange

// Stock is counted for a product or for its variants; before, an option showed a count. An old body can only show the product's count. If
// the stock is all in variants, the product's count may be 0. The count of the option then limits nothing.

const withCount =
  (quantity: JsonData, isLimited: boolean) =>
  (option: JsonData): JsonData =>
    isJsonObject(option) ? { ...option, quantity, is: { quantity_limited: isLimited } } : option

export const optionQuantity = {
  summary:
    "Options of a product's choices no longer have `quantity`, the count of the product, and `is.quantity_limited`: stock is counted for the product or for its variants.",
  kinds: {
    product: assignField('variant_groups', ({ variant_groups: groups = [], quantity = 0, is = {} }) => {
      if (!Array.isArray(groups)) return groups
      const { quantity_limited: isCounted = false, sold_out: isSoldOut = false } = isJsonObject(is) ? is : {}
      const count = withCount(quantity, isCounted === true && (quantity !== 0 || isSoldOut === true))
      return groups.map((group) =>
        isJsonObject(group) && Array.isArray(group.options) ? { ...group, options: group.options.map(count) } : group,
      )
    }),
  },
} satisfies ApiChange

// The choices of a product are called `variant_groups`; before, when variants did not exist, `variants`.

const fromOlder = { up: renameRequestField('variants', 'variant_groups') }

export const productVariantGroups = {
  summary: 'The field `variants` of products, in replies and in requests, is now called `variant_groups`.',
  kinds: { product: renameField('variant_groups', 'variants') },
  operations: { 'products.create': fromOlder, 'products.update': fromOlder },
} satisfies ApiChange
