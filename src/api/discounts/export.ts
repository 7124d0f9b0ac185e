// Exports the list of discounts, with its filters, as a table for a spreadsheet.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { StreamedReply } from '../../http/endpoint/pieces.ts'
import { writeCsvParts } from '../../http/files/csv.ts'
import { timeInTimeZone } from '../../lib/clock.ts'
import { decimalText } from '../../lib/money.ts'
import { timeZoneOf } from '../merchants/settings.ts'
import { findSettings } from '../merchants/store.ts'
import { viewDiscount } from './discount.ts'
import { type DiscountExportPosition, type DiscountFilter, listDiscountsAfter } from './list-store.ts'
import type { DiscountRow } from './store.ts'

/** Discounts per part. */
const AT_ONCE = 200

/** Time limit, enough for a hundred thousand discounts and a slow reader. */
export const DISCOUNT_EXPORT_MS = 600_000

export async function exportDiscounts(
  { db, caller, signal }: Pick<Context, 'db' | 'caller' | 'signal'>,
  filter: DiscountFilter,
): Promise<StreamedReply> {
  const settings = await findSettings(db, caller)
  const columns = csvColumns(timeZoneOf(settings ?? { settings: {} }), caller.currency)
  const readAfter = async (after: DiscountExportPosition | null) => {
    const rows = await listDiscountsAfter(db, caller, filter, after, AT_ONCE)
    return { rows, next: rows.length < AT_ONCE ? null : (rows.at(-1) ?? null) }
  }
  const lines = writeCsvParts({ columns, first: await readAfter(null), readAfter, signal })
  return new StreamedReply(lines, 'text/csv', 'discounts.csv')
}

const csvColumns = (timeZone: string, currency: string) => {
  const time = (seconds: number | null) =>
    seconds === null ? null : timeInTimeZone(timeZone, new Date(seconds * 1_000))
  const columns: Readonly<Record<string, (row: DiscountRow) => string | null>> = {
    code: ({ code }) => code,
    id: ({ id }) => id,
    type: ({ type }) => type,
    value: (row) =>
      row.type === 'fixed' ? decimalText(row.value, currency) : String(viewDiscount(row, currency).value),
    currency: ({ type }) => (type === 'fixed' ? currency : null),
    limit: ({ usage_limit }) => (usage_limit === null ? null : String(usage_limit)),
    used: ({ used }) => String(used),
    expires: ({ expires }) => time(expires),
    product_ids: ({ product_ids }) => product_ids.join('; '),
    description: ({ description }) => description,
    created: ({ created }) => time(created),
    updated: ({ updated }) => time(updated),
  }
  return columns
}
