// The SQL of a change of one line of a token: the token is locked, the line is read as it would be with what is chosen, and written.

import { type Db, statement, type Tx } from '../../../db/db.ts'
import type { LineRow } from '../../lines/line.ts'
import { type LiveGoods, liveGoodsJson } from '../../lines/read-store.ts'
import type { Combination } from '../../products/variants/schema.ts'
import { ALIVE, HAS_ORDER, type TokenAt, tokenValues } from '../store.ts'

const lock = statement<{ has_order: boolean }>(
  'checkouts.lock',
  `select ${HAS_ORDER} as has_order from checkouts where ${ALIVE} for no key update`,
)

/** Null when there is no such token. The statements that follow in the transaction see its lines as nobody else can change them. */
export const lockToken = (tx: Db, token: TokenAt) => tx.maybe(lock, tokenValues(token))

/** An option that was asked for; the group may be left for the option to tell. */
export type NamedOption = { readonly group_id: string | null; readonly option_id: string }

/** What is chosen of a line. Groups of which no option is named keep theirs; a variant has an option of each. */
export type Choice = { readonly options: readonly NamedOption[] | null; readonly variantId: string | null }

/** The options that were named, as a map, and how many of them exist; two of one group count as one. */
const NAMED_OPTIONS = `(
       select coalesce(jsonb_object_agg(its_option.group_id, its_option.id), '{}') as options,
         count(distinct its_option.group_id) as known
       from json_to_recordset(:options::json) as wanted (group_id text, option_id text)
       join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = line.product_id and its_option.id = wanted.option_id
         and its_option.group_id = coalesce(wanted.group_id, its_option.group_id)
     )`

/** Those of the options of `line` that still exist. */
const KEPT_OPTIONS = `(
       select coalesce(jsonb_object_agg(chosen.group_id, chosen.option_id), '{}') as options
       from jsonb_each_text(line.options) chosen (group_id, option_id)
       join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = line.product_id
         and its_option.id = chosen.option_id and its_option.group_id = chosen.group_id
     )`

/** Looked up, and not joined: where no variant is named, Citus could not tell which shard such a join is for. */
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

export type ChosenRow = {
  /** The line as it would be, under the id that it was asked for by. */
  goods: LiveGoods
  /** The options of the variant that was named; null when there is none of this id, or none was named. */
  variant_options: Combination | null
  /** The options that were named, as far as they exist. */
  asked: Combination
  /** How many of them do. */
  known: number
}

const findChosen = statement<ChosenRow>(
  'checkouts.find_chosen',
  `select chosen.variant_options, chosen.asked, chosen.known,
     ${liveGoodsJson(`from (
         select :chosen_id::text as id, chosen.product_id, chosen.name, chosen.quantity,
           coalesce(chosen.variant_options, chosen.kept || chosen.asked) as options
       ) line`)} as goods
   from ${CHOSEN} chosen`,
)

/** `chosenId`: what the line is called as it would be, beside those that there are. Null when there is no such line. */
export const findChosenLine = (
  db: Db,
  { merchantId, isSandbox, id }: TokenAt,
  { lineId, chosenId, options, variantId }: Choice & { readonly lineId: string; readonly chosenId: string },
) =>
  db.maybe(findChosen, {
    merchant_id: merchantId,
    is_sandbox: isSandbox,
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

/** Of a token that is locked. */
export const writeLine = (
  tx: Tx,
  { merchantId, id, now }: TokenAt,
  line: Pick<LineRow, 'id' | 'quantity' | 'options'>,
) =>
  tx.withCommit(change, {
    merchant_id: merchantId,
    checkout_id: id,
    now,
    line_id: line.id,
    quantity: line.quantity,
    options: JSON.stringify(line.options),
  })
