// Gift cards as a table for a merchant's bookkeeping: what was sold and is not spent yet is owed.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { StreamedReply } from '../../http/endpoint/pieces.ts'
import { csvByParts } from '../../http/files/csv.ts'
import { timeIn } from '../../lib/clock.ts'
import { decimalText } from '../../lib/money.ts'
import { timeZoneOf } from '../merchants/settings.ts'
import { findSettings } from '../merchants/store.ts'
import { type GiftCardRow, listGiftCardsAfter } from './store.ts'

/** Cards at a time. */
const AT_ONCE = 200

/** A hundred thousand of them, to a reader that is slow. */
export const EXPORT_MS = 600_000

export async function exportGiftCards({
  db,
  caller,
  signal,
  query: { query: text = '' },
}: Context<object, { query?: string }>): Promise<StreamedReply> {
  const settings = await findSettings(db, caller)
  const columns = columnsIn(timeZoneOf(settings ?? { settings: {} }), caller.currency)
  const readAfter = async (after: string) => {
    const rows = await listGiftCardsAfter(db, caller, text, after, AT_ONCE)
    return { rows, next: rows.length < AT_ONCE ? null : (rows.at(-1)?.id ?? null) }
  }
  const lines = csvByParts({ columns, first: await readAfter(''), readAfter, signal })
  return new StreamedReply(lines, 'text/csv', 'gift-cards.csv')
}

const columnsIn = (timeZone: string, currency: string) => {
  const time = (seconds: number | null) => (seconds === null ? null : timeIn(timeZone, new Date(seconds * 1_000)))
  const columns: Readonly<Record<string, (row: GiftCardRow) => string | null>> = {
    code: ({ code }) => code,
    id: ({ id }) => id,
    currency: () => currency,
    initial_value: (row) => decimalText(row.initial_value, currency),
    balance: ({ balance }) => decimalText(balance, currency),
    held: ({ held }) => decimalText(held, currency),
    expires: ({ expires }) => time(expires),
    note: ({ note }) => note,
    created: ({ created }) => time(created),
    updated: ({ updated }) => time(updated),
  }
  return columns
}
