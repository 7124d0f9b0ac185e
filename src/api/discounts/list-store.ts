// SQL that lists discounts and reads them in parts for an export. Each combination of filters has its own statement, which finds the
// matching ids by an index first.

import { storedCountSql } from '../../db/counts.ts'
import { type Db, type Scope, statementOfFamily } from '../../db/db.ts'
import { listSql, type RowPage } from '../../db/records.ts'
import type { PageQuery } from '../../lib/page.ts'
import { DISCOUNT_ROW, type DiscountRow } from './store.ts'

/** `text` is an id or a part of a code; empty for any. `is_expired` refers to the time `now`; null for both. */
export type DiscountFilter = { readonly text: string; readonly is_expired: boolean | null; readonly now: Date }

const OF_SHOP = 'merchant_id = :merchant_id'

/** Length of the parts in the index of migrations/0039_kept_answers.sql. A shorter text is itself such a part. */
const LONGEST_PART = 3

const PARTS = `array(
         select :merchant_id || ' ' || substr(lower(:text collate "C"), start, ${LONGEST_PART})
         from generate_series(1, greatest(1, length(:text) - ${LONGEST_PART - 1})) start
       )`

/** Forces the index of parts, as in the search of products: only that index has the merchant as a numeric. */
const WITH_PARTS = `merchant_id = :merchant_id::integer::numeric
         and code_parts(merchant_id, lower(code)) @> ${PARTS} collate "C"
         and position(lower(:text collate "C") in lower(code)) > 0`

const EXPIRY = "coalesce(expires_at, 'infinity'::timestamptz)"

const listStatement = (name: string, text: string) => statementOfFamily<RowPage<DiscountRow>>(name, text)
const partStatement = (name: string, text: string) => statementOfFamily<DiscountRow>(name, text)

const ROWS_OF_PAGE = `cross join lateral (
           select ${DISCOUNT_ROW} from discounts where ${OF_SHOP} and discounts.id = page.id offset 0
         ) discount
         order by page.id`

/** Counts and sorts the ids of `matching`, and reads the rows of one page only. */
const listOf = (matching: string) => `with matching as materialized (${matching})
   select
     (select count(*) from matching) as total,
     coalesce((
       select json_agg(discount)
       from (
         select discount.*
         from (select id from matching order by id limit :limit offset :offset) page
         ${ROWS_OF_PAGE}
       ) discount
     ), '[]') as rows`

/** The next rows after the id `after`. For searches with few matches. */
const partOf = (matching: string) => `with matching as materialized (${matching})
   select discount.*
   from (select id from matching where id > :after order by id limit :limit) page
         ${ROWS_OF_PAGE}`

/** In the order of expiry, which has an index. The order of ids would scan all discounts for each part. */
const partByExpiry = (isMeant: string) => `select ${DISCOUNT_ROW}
   from discounts
   where ${OF_SHOP} and ${isMeant} and (${EXPIRY}, id) > (:after_end::timestamptz, :after)
   order by ${EXPIRY}, id
   limit :limit`

/** Ids of codes that match the text and the condition `isMeant`. */
const byText = (isMeant = 'true') => `
       select id from discounts where ${OF_SHOP} and id = :text and ${isMeant}
       union
       select id from discounts where ${WITH_PARTS} and ${isMeant}`

const byExpiry = (isMeant: string) => `select id from discounts where ${OF_SHOP} and ${isMeant}`

const HAS_EXPIRED = `${EXPIRY} <= :now`
const IS_CURRENT = `${EXPIRY} > :now`

const lists = {
  either: {
    all: listStatement(
      'discounts.list',
      listSql({ row: DISCOUNT_ROW, from: 'discounts', total: storedCountSql('discounts') }),
    ),
    byText: listStatement('discounts.list_text', listOf(byText())),
  },
  expired: {
    all: listStatement('discounts.list_expired', listOf(byExpiry(HAS_EXPIRED))),
    byText: listStatement('discounts.list_text_expired', listOf(byText(HAS_EXPIRED))),
  },
  current: {
    all: listStatement('discounts.list_current', listOf(byExpiry(IS_CURRENT))),
    byText: listStatement('discounts.list_text_current', listOf(byText(IS_CURRENT))),
  },
}

const parts = {
  either: {
    all: partStatement(
      'discounts.export',
      `select ${DISCOUNT_ROW} from discounts where ${OF_SHOP} and id > :after order by id limit :limit`,
    ),
    byText: partStatement('discounts.export_text', partOf(byText())),
  },
  expired: {
    all: partStatement('discounts.export_expired', partByExpiry(HAS_EXPIRED)),
    byText: partStatement('discounts.export_text_expired', partOf(byText(HAS_EXPIRED))),
  },
  current: {
    all: partStatement('discounts.export_current', partByExpiry(IS_CURRENT)),
    byText: partStatement('discounts.export_text_current', partOf(byText(IS_CURRENT))),
  },
}

const familyOf = ({ is_expired }: DiscountFilter) =>
  is_expired === null ? 'either' : is_expired ? 'expired' : 'current'

const formOf = ({ text }: DiscountFilter) => (text === '' ? 'all' : 'byText')

export const listDiscounts = (db: Db, scope: Scope, filter: DiscountFilter, page: PageQuery) => {
  const { text, now } = filter
  return db.one(lists[familyOf(filter)][formOf(filter)], { ...scope, text, now, ...page })
}

/** The last discount of the previous part, where the next one starts. `expires` is in seconds, as in replies. */
export type DiscountExportPosition = Pick<DiscountRow, 'id' | 'expires'>

/** The next part of all discounts in the list, oldest first, or by expiry if the filter is about expiry. */
export const listDiscountsAfter = (
  db: Db,
  scope: Scope,
  filter: DiscountFilter,
  after: DiscountExportPosition | null,
  limit: number,
) => {
  const { text, now } = filter
  const end = after === null ? '-infinity' : after.expires === null ? 'infinity' : new Date(after.expires * 1_000)
  const values = { text, now, after: after?.id ?? '', after_end: end, limit }
  return db.many(parts[familyOf(filter)][formOf(filter)], { ...scope, ...values })
}
