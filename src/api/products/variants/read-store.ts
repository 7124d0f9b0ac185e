// What a product's variants are to its stock: which of them are valid, whether any sells from the product's, and with that whether it is sold
// out. Validity is costly and a product may have a thousand variants, so what sales do not change is told when a variant changes, and kept in
// the product's row.

/**
 * Whether the variant called `variant` names one option of each of its product's groups, and nothing else. Groups and options may
 * have been deleted since it was made.
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

/** Of the row called `product`, as are those below. */
const HAS_VALID_VARIANTS = `exists (
      select 1 from variants variant
      where variant.merchant_id = :merchant_id and variant.product_id = product.id and ${VARIANT_IS_VALID}
    )`

/** Validity is asked last, and of those alone that have no stock of their own: `offset 0` keeps the planner from asking all of them. */
const sharesStock = (isSandbox: string) => `exists (
      select 1 from (
        select variant.product_id, variant.options from variants variant
        where variant.merchant_id = :merchant_id and variant.product_id = product.id and not exists (
          select 1 from stock own
          where own.merchant_id = :merchant_id and own.item_id = variant.id and own.is_sandbox = ${isSandbox}
        )
        offset 0
      ) variant
      where ${VARIANT_IS_VALID}
    )`

/** Ends at the first that it finds. Those that have none left are not in the index. */
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

/** The assignments of an update of `product` that keeps in its row what its variants are to its stock. */
export const VARIANTS_TOLD = `variants_told_at = product.version,
     has_valid_variants = ${HAS_VALID_VARIANTS},
     shares_sandbox_stock = ${sharesStock('true')},
     shares_live_stock = ${sharesStock('false')}`

/** Whether what is kept still holds; where it does not, the variants themselves are asked. */
const IS_TOLD = 'product.variants_told_at = product.version'

/** Whether what is left of the product's own can be bought: without a choice of options, or by a variant that has no stock of its own. */
const SELLS_OWN = `case when ${IS_TOLD}
      then not product.has_valid_variants
        or case when :is_sandbox then product.shares_sandbox_stock else product.shares_live_stock end
      else not ${HAS_VALID_VARIANTS} or ${sharesStock(':is_sandbox')}
    end`

/** Where none is valid, those that have some left need not be asked one by one. */
const MAY_BE_VALID = `case when ${IS_TOLD} then product.has_valid_variants else true end`

/**
 * A product with valid variants is sold out when all of them are; a variant without stock of its own sells from the product's. Of the row
 * called `product` with its stock called `counted`. Takes `:merchant_id` and `:is_sandbox`.
 */
export const IS_SOLD_OUT = `(product.is_inventory_managed and not (
    coalesce(counted.available, 0) > 0 and ${SELLS_OWN}
    or ${MAY_BE_VALID} and ${HAS_VARIANT_LEFT}
  ))`
