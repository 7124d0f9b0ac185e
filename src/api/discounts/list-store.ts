// The SQL that lists discounts. Each combination of filters is a statement of its own, which finds those that match by an index first.

import { keptCount } from '../../db/counts.ts'
import { type Db, type Scope, statementOfFamily } from '../../db/db.ts'
import { listSql, type RowPage, scopeValues } from '../../db/records.ts'
import type { Page } from '../../lib/page.ts'
import { type DiscountRow, ROW } from './store.ts'

/** `text`: an id, or part of a code; empty: any. `is_expired` by the moment `now`; null: both. */
type DiscountFilter = { readonly text: string; readonly is_expired: boolean | null; readonly now: Date }

const OF_SHOP = 'merchant_id = :merchant_id'

/** The longest parts that migrations/0039_kept_answers.sql has an index of. A shorter text is one of its parts itself. */
const LONGEST_PART = 3

const PARTS = `array(
         select :merchant_id || ' ' || substr(lower(:text collate "C"), start, ${LONGEST_PART})
         from generate_series(1, greatest(1, length(:text) - ${LONGEST_PART - 1})) start
       )`

/** By the index of parts and no other, as products are searched: none of the others knows the merchant as a numeric. */
const WITH_PARTS = `merchant_id = :merchant_id::integer::numeric
         and code_parts(merchant_id, lower(code)) @> ${PARTS} collate "C"
         and position(lower(:text collate "C") in lower(code)) > 0`

const EXPIRY = "coalesce(expires_at, 'infinity'::timestamptz)"

const list = (name: string, text: string) => statementOfFamily<RowPage<DiscountRow>>(name, text)

/** Those whose ids `matching` gives are counted and put in order, and of one page the rows are looked at. */
const listOf = (matching: string) => `with matching as materialized (${matching})
   select
     (select count(*) from matching) as total,
     coalesce((
       select json_agg(discount)
       from (
         select discount.*
         from (select id from matching order by id limit :limit offset :offset) page
         cross join lateral (
           select ${ROW} from discounts where ${OF_SHOP} and discounts.id = page.id offset 0
         ) discount
         order by page.id
       ) discount
     ), '[]') as rows`

/** Of codes of which `isMeant` is true. */
const textList = (name: string, isMeant = 'true') =>
  list(
    name,
    listOf(`
       select id from discounts where ${OF_SHOP} and id = :text and ${isMeant}
       union
       select id from discounts where ${WITH_PARTS} and ${isMeant}`),
  )

const expiryList = (name: string, isMeant: string) =>
  list(name, listOf(`select id from discounts where ${OF_SHOP} and ${isMeant}`))

const HAS_EXPIRED = `${EXPIRY} <= :now`
const IS_CURRENT = `${EXPIRY} > :now`

const either = {
  all: list('discounts.list', listSql({ row: ROW, from: 'discounts', total: keptCount('discounts') })),
  byText: textList('discounts.list_text'),
}
const expired = {
  all: expiryList('discounts.list_expired', HAS_EXPIRED),
  byText: textList('discounts.list_text_expired', HAS_EXPIRED),
}
const current = {
  all: expiryList('discounts.list_current', IS_CURRENT),
  byText: textList('discounts.list_text_current', IS_CURRENT),
}

export const listDiscounts = (db: Db, scope: Scope, { text, is_expired, now }: DiscountFilter, page: Page) => {
  const lists = is_expired === null ? either : is_expired ? expired : current
  return db.one(text === '' ? lists.all : lists.byText, { ...scopeValues(scope), text, now, ...page })
}
