// The SQL of the one statement that looks whether a line of a token can be had as it is asked for and, if so, changes it.

import { jsonText } from '../../../db/columns.ts'
import { type Db, statement } from '../../../db/db.ts'
import type { LineCheck } from '../../lines/choice.ts'
import {
  CHECKS,
  checkColumns,
  checkedChoice,
  isBuyable,
  KEPT_OPTIONS,
  NAMED_VARIANT,
  PRODUCT_FOR_SALE,
  unitsFromSameStock,
} from '../../lines/store.ts'
import { ALIVE, HAS_ORDER, type TokenAt, tokenValues } from '../store.ts'

/** An option that was asked for; the group may be left for the option to tell. */
export type NamedOption = { readonly group_id: string | null; readonly option_id: string }

export type LineChange = {
  /** Null: as it is. */
  readonly quantity: number | null
  /** Groups that are not named keep their option. Null: all do. */
  readonly options: readonly NamedOption[] | null
  readonly variantId: string | null
}

/** All but `has_line` are null when there is no such line. */
export type TokenLineCheck = LineCheck & {
  has_line: boolean
  /** Then it was changed. */
  is_accepted: boolean
  /** Then nothing of it can be changed any more. */
  has_order: boolean
  /** As it was asked for, or is. */
  quantity: number
}

// Lines of one checkout may share what they sell from, so that each is judged with the others. They are locked as they are read:
// of a locked row PostgreSQL gives the newest version, also when it waited, and a token never gains or loses a line. Of two
// requests at once the second therefore sees what the first has saved.
const LOCKED_LINES = `token as (
     select merchant_id, id
     from checkouts
     where ${ALIVE}
     for no key update
   ),
   present as (
     select line.id, line.product_id, line.options, line.quantity
     from token
     join checkout_lines line on line.merchant_id = :merchant_id and line.checkout_id = :checkout_id
     order by line.id
     for no key update of line
   )`

/** The options that were named, as a map, and how many of them exist; two of one group count as one. */
const NAMED_OPTIONS = `(
       select coalesce(jsonb_object_agg(its_option.group_id, its_option.id), '{}') as options,
         count(distinct its_option.group_id) as known
       from json_to_recordset(:options::json) as wanted (group_id text, option_id text)
       join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = line.product_id and its_option.id = wanted.option_id
         and its_option.group_id = coalesce(wanted.group_id, its_option.group_id)
     )`

const OTHERS = `(select ${unitsFromSameStock('other', 'other.id <> :line_id')} as units from present other)`

const checkAndChange = statement<TokenLineCheck>(
  'checkouts.check_line',
  `with ${LOCKED_LINES},
   choice as (
     select line.product_id, coalesce(:quantity::integer, line.quantity) as quantity, product.id is not null as is_for_sale,
       product.price, coalesce(product.is_inventory_managed, false) as is_inventory_managed,
       :variant_id::text is null or variant.id is not null as is_variant_known,
       named.known = coalesce(json_array_length(:options::json), 0)
         and (variant.id is null or variant.options @> named.options) as do_options_agree,
       case when :options::json is null and :variant_id::text is null then line.options
         else coalesce(variant.options, kept.options || named.options) end as options
     from present line
     ${PRODUCT_FOR_SALE}
     ${NAMED_VARIANT}
     cross join lateral ${NAMED_OPTIONS} named
     cross join lateral ${KEPT_OPTIONS} kept
     where line.id = :line_id
   ),
   checked as (
     select choice.quantity, choice.options, ${HAS_ORDER} as has_order, ${CHECKS}
     from ${checkedChoice(OTHERS)}
   ),
   wanted as (
     select checked.quantity, checked.options, checked.has_order, ${checkColumns('checked')},
       not checked.has_order and ${isBuyable('checked')} and checked.quantity <= checked.most as is_accepted
     from checked
   ),
   changed as (
     update checkout_lines
     set quantity = wanted.quantity, options = wanted.options
     from token
     cross join wanted
     where checkout_lines.merchant_id = :merchant_id and checkout_lines.checkout_id = :checkout_id and checkout_lines.id = :line_id
       and wanted.is_accepted
     returning checkout_lines.id
   ),
   touched as (
     update checkouts
     set updated_at = :now
     from changed
     where checkouts.merchant_id = :merchant_id and checkouts.id = :checkout_id
   )
   select wanted.quantity is not null as has_line, wanted.is_accepted, wanted.has_order, wanted.quantity,
     ${checkColumns('wanted')}
   from token
   left join wanted on true`,
)

/** Null when there is no such token. How much there is may have changed by the time of the order: capture decides. */
export const checkAndChangeLine = (
  db: Db,
  token: TokenAt,
  lineId: string,
  { quantity, options, variantId }: LineChange,
) =>
  db.maybe(checkAndChange, {
    ...tokenValues(token),
    line_id: lineId,
    quantity,
    options: jsonText(options),
    variant_id: variantId,
  })
