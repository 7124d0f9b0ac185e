// The SQL that lists discounts, and reads them part by part for an export. Each combination of filters is a statement of its own, which finds those that match by an index first.

import { keptCount } from '../../db/counts.ts'
import { type Db, type Scope, statementOfFamily } from '../../db/db.ts'
import { listSql, type RowPage, scopeValues } from '../../db/records.ts'
import type { Page } from '../../lib/page.ts'
import { type DiscountRow, ROW } from './store.ts'

/** `text`: an id, or part of a code; empty: any. `is_expired` by the moment `now`; null: both. */
export type DiscountFilter = { readonly text: string; readonly is_expired: boolean | null; readonly now: Date }

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
const part = (name: string, text: string) => statementOfFamily<DiscountRow>(name, text)

const ROWS_OF_PAGE = `cross join lateral (
           select ${ROW} from discounts where ${OF_SHOP} and discounts.id = page.id offset 0
         ) discount
         order by page.id`

/** Those whose ids `matching` gives are counted and put in order, and of one page the rows are looked at. */
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

/** The next of them behind the id `after`: of few, as a text that is looked for has. */
const partOf = (matching: string) => `with matching as materialized (${matching})
   select discount.*
   from (select id from matching where id > :after order by id limit :limit) page
         ${ROWS_OF_PAGE}`

/** In the order in which they end, as their index has them: in that of their ids all would be looked at for each part. */
const partByExpiry = (isMeant: string) => `select ${ROW}
   from discounts
   where ${OF_SHOP} and ${isMeant} and (${EXPIRY}, id) > (:after_end::timestamptz, :after)
   order by ${EXPIRY}, id
   limit :limit`

/** Of codes of which `isMeant` is true. */
const byText = (isMeant = 'true') => `
       select id from discounts where ${OF_SHOP} and id = :text and ${isMeant}
       union
       select id from discounts where ${WITH_PARTS} and ${isMeant}`

const byExpiry = (isMeant: string) => `select id from discounts where ${OF_SHOP} and ${isMeant}`

const HAS_EXPIRED = `${EXPIRY} <= :now`
const IS_CURRENT = `${EXPIRY} > :now`

const lists = {
  either: {
    all: list('discounts.list', listSql({ row: ROW, from: 'discounts', total: keptCount('discounts') })),
    byText: list('discounts.list_text', listOf(byText())),
  },
  expired: {
    all: list('discounts.list_expired', listOf(byExpiry(HAS_EXPIRED))),
    byText: list('discounts.list_text_expired', listOf(byText(HAS_EXPIRED))),
  },
  current: {
    all: list('discounts.list_current', listOf(byExpiry(IS_CURRENT))),
    byText: list('discounts.list_text_current', listOf(byText(IS_CURRENT))),
  },
}

const parts = {
  either: {
    all: part(
      'discounts.export',
      `select ${ROW} from discounts where ${OF_SHOP} and id > :after order by id limit :limit`,
    ),
    byText: part('discounts.export_text', partOf(byText())),
  },
  expired: {
    all: part('discounts.export_expired', partByExpiry(HAS_EXPIRED)),
    byText: part('discounts.export_text_expired', partOf(byText(HAS_EXPIRED))),
  },
  current: {
    all: part('discounts.export_current', partByExpiry(IS_CURRENT)),
    byText: part('discounts.export_text_current', partOf(byText(IS_CURRENT))),
  },
}

const familyOf = ({ is_expired }: DiscountFilter) =>
  is_expired === null ? 'either' : is_expired ? 'expired' : 'current'

const formOf = ({ text }: DiscountFilter) => (text === '' ? 'all' : 'byText')

export const listDiscounts = (db: Db, scope: Scope, filter: DiscountFilter, page: Page) => {
  const { text, now } = filter
  return db.one(lists[familyOf(filter)][formOf(filter)], { ...scopeValues(scope), text, now, ...page })
}

/** Behind which discount a part begins; `expires` as it is shown. */
export type ExportPlace = Pick<DiscountRow, 'id' | 'expires'>

/** Those behind it: a part of all that the list would show, oldest first, or by when they end where that is asked for. */
export const listDiscountsAfter = (
  db: Db,
  scope: Scope,
  filter: DiscountFilter,
  after: ExportPlace | null,
  limit: number,
) => {
  const { text, now } = filter
  const end = after === null ? '-infinity' : after.expires === null ? 'infinity' : new Date(after.expires * 1_000)
  const values = { text, now, after: after?.id ?? '', after_end: end, limit }
  return db.many(parts[familyOf(filter)][formOf(filter)], { ...scopeValues(scope), ...values })
}
