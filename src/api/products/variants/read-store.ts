// Variant data for stock: which variants are valid, and whether the product is sold out. Validity is expensive to compute, and a product
// may have a thousand variants. So the parts that sales do not change are computed when a variant changes, and stored in the product's row.

/**
 * Condition that the variant `variant` has exactly one option of each group of its product. Its groups and options may have been deleted.
 */
export const VARIANT_IS_VALID = `(
  (
    select count(*) from variant_groups its_group
    where its_group.merchant_id = :merchant_id and its_group.product_id = variant.product_id
  ) = (select count(*) from jsonb_object_keys(variant.options))
  and not exists (
    select 1 from variant_groups its_group
    where its_group.merchant_id = :merchant_id and its_group.product_id = variant.product_id and not exists (
      select 1 from variant_options its_option
      where its_option.merchant_id = :merchant_id and its_option.product_id = variant.product_id
        and its_option.group_id = its_group.id and its_option.id = variant.options ->> its_group.id
    )
  )
)`

/** For the row `product`, as are the conditions below. */
const HAS_VALID_VARIANTS = `exists (
      select 1 from variants variant
      where variant.merchant_id = :merchant_id and variant.product_id = product.id and ${VARIANT_IS_VALID}
    )`

/** Checks validity last, and only for variants without own stock. `offset 0` stops the planner from checking all. */
const sharesStock = (is_sandbox: string) => `exists (
      select 1 from (
        select variant.product_id, variant.options from variants variant
        where variant.merchant_id = :merchant_id and variant.product_id = product.id and not exists (
          select 1 from stock own
          where own.merchant_id = :merchant_id and own.item_id = variant.id and own.is_sandbox = ${is_sandbox}
        )
        offset 0
      ) variant
      where ${VARIANT_IS_VALID}
    )`

/** Stops at the first match. Variants without remaining stock are not in the index. */
const HAS_VARIANT_LEFT = `exists (
      select 1 from (
        select own.item_id from stock own
        where own.merchant_id = :merchant_id and own.product_id = product.id and own.is_sandbox = :is_sandbox and own.has_left
        offset 0
      ) own
      cross join lateral (
        select variants.product_id, variants.options from variants
        where variants.merchant_id = :merchant_id and variants.product_id = product.id and variants.id = own.item_id
        offset 0
      ) variant
      where ${VARIANT_IS_VALID}
    )`

/** Assignments of an update that stores this data in the row of `product`. */
export const VARIANT_FACTS_ASSIGNMENTS = `variants_told_at = product.version,
     has_valid_variants = ${HAS_VALID_VARIANTS},
     shares_sandbox_stock = ${sharesStock('true')},
     shares_live_stock = ${sharesStock('false')}`

/** True if the stored data is up to date. Otherwise it is computed from the variants. */
const IS_TOLD = 'product.variants_told_at = product.version'

/** True if the product's own stock can be bought: without options, or by a valid variant without own stock. */
const SELLS_OWN = `case when ${IS_TOLD}
      then not product.has_valid_variants
        or case when :is_sandbox then product.shares_sandbox_stock else product.shares_live_stock end
      else not ${HAS_VALID_VARIANTS} or ${sharesStock(':is_sandbox')}
    end`

/** False if no variant is valid. Then variants with remaining stock need not be checked one by one. */
const MAY_BE_VALID = `case when ${IS_TOLD} then product.has_valid_variants else true end`

/**
 * A product with valid variants is sold out if all of them are. A variant without own stock sells from the product's. For the row `product`
 * with its stock `counted`. Needs `:merchant_id` and `:is_sandbox`.
 */
export const IS_SOLD_OUT = `(product.is_inventory_managed and not (
    coalesce(counted.available, 0) > 0 and ${SELLS_OWN}
    or ${MAY_BE_VALID} and ${HAS_VARIANT_LEFT}
  ))`
