// SQL to change one line of a token: lock the token, read the line as it would become, and write it.

import { type Db, statement, type Tx } from '../../../db/db.ts'
import type { LineRow } from '../../lines/line.ts'
import { type LiveGoods, liveGoodsJson } from '../../lines/read-store.ts'
import type { Combination } from '../../products/variants/schema.ts'
import { CHECKOUT_HAS_ORDER, CHECKOUT_IS_ALIVE, type TokenAt, tokenValues } from '../store.ts'

const lock = statement<{ has_order: boolean }>(
  'checkouts.lock',
  `select ${CHECKOUT_HAS_ORDER} as has_order from checkouts where ${CHECKOUT_IS_ALIVE} for no key update`,
)

/** Null if the token does not exist. Nobody else can change the lines that later statements of the transaction read. */
export const lockToken = (tx: Db, token: TokenAt) => tx.maybe(lock, tokenValues(token))

/** A requested option. `group_id` may be null, because the option determines its group. */
export type RequestedOption = { readonly group_id: string | null; readonly option_id: string }

/** The choice for a line. Groups without a named option keep theirs; a variant sets an option of each group. */
export type RequestedChoice = { readonly options: readonly RequestedOption[] | null; readonly variantId: string | null }

/** SQL: the named options as a map, and how many of them exist. Two of one group count as one. */
const NAMED_OPTIONS = `(
       select coalesce(jsonb_object_agg(its_option.group_id, its_option.id), '{}') as options,
         count(distinct its_option.group_id) as known
       from json_to_recordset(:options::json) as wanted (group_id text, option_id text)
       join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = line.product_id and its_option.id = wanted.option_id
         and its_option.group_id = coalesce(wanted.group_id, its_option.group_id)
     )`

/** SQL: the options of `line` that still exist. */
const KEPT_OPTIONS = `(
       select coalesce(jsonb_object_agg(chosen.group_id, chosen.option_id), '{}') as options
       from jsonb_each_text(line.options) chosen (group_id, option_id)
       join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = line.product_id
         and its_option.id = chosen.option_id and its_option.group_id = chosen.group_id
     )`

/** A subquery instead of a join: without a named variant, Citus could not tell which shard the join needs. */
const VARIANT_OPTIONS = `(
       select variant.options from variants variant
       where variant.merchant_id = :merchant_id and variant.product_id = line.product_id and variant.id = :variant_id
     )`

const CHOSEN = `(
     select line.product_id, line.name, line.quantity, ${VARIANT_OPTIONS} as variant_options, named.options as asked, named.known,
       kept.options as kept
     from checkout_lines line
     cross join lateral ${NAMED_OPTIONS} named
     cross join lateral ${KEPT_OPTIONS} kept
     where line.merchant_id = :merchant_id and line.checkout_id = :checkout_id and line.id = :line_id
   )`

export type RequestedLineRow = {
  /** The line as it would become, under the requested id. */
  goods: LiveGoods
  /** Options of the named variant; null if it does not exist or none was named. */
  variant_options: Combination | null
  /** The named options that exist. */
  asked: Combination
  /** Number of named options that exist. */
  known: number
}

const findChosen = statement<RequestedLineRow>(
  'checkouts.find_chosen',
  `select chosen.variant_options, chosen.asked, chosen.known,
     ${liveGoodsJson(`from (
         select :chosen_id::text as id, chosen.product_id, chosen.name, chosen.quantity,
           coalesce(chosen.variant_options, chosen.kept || chosen.asked) as options
       ) line`)} as goods
   from ${CHOSEN} chosen`,
)

/** `chosenId` is the id of the line as it would become, beside the existing lines. Null if the line does not exist. */
export const findRequestedCheckoutLine = (
  db: Db,
  { merchant_id, is_sandbox, id }: TokenAt,
  { lineId, chosenId, options, variantId }: RequestedChoice & { readonly lineId: string; readonly chosenId: string },
) =>
  db.maybe(findChosen, {
    merchant_id,
    is_sandbox,
    checkout_id: id,
    line_id: lineId,
    chosen_id: chosenId,
    options: JSON.stringify(options ?? []),
    variant_id: variantId,
  })

const change = statement(
  'checkouts.change_line',
  `with touched as (
     update checkouts set updated_at = :now where merchant_id = :merchant_id and id = :checkout_id
   )
   update checkout_lines
   set quantity = :quantity, options = :options::jsonb
   where merchant_id = :merchant_id and checkout_id = :checkout_id and id = :line_id`,
)

/** The token must be locked. */
export const updateCheckoutLine = (
  tx: Tx,
  { merchant_id, id, now }: TokenAt,
  line: Pick<LineRow, 'id' | 'quantity' | 'options'>,
) =>
  tx.withCommit(change, {
    merchant_id,
    checkout_id: id,
    now,
    line_id: line.id,
    quantity: line.quantity,
    options: JSON.stringify(line.options),
  })
