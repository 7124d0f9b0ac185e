// Exports gift cards as a table for a merchant's bookkeeping, because unspent credit is a debt.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { StreamedReply } from '../../http/endpoint/pieces.ts'
import { writeCsvParts } from '../../http/files/csv.ts'
import { timeInTimeZone } from '../../lib/clock.ts'
import { decimalText } from '../../lib/money.ts'
import { timeZoneOf } from '../merchants/settings.ts'
import { findSettings } from '../merchants/store.ts'
import { type GiftCardRow, listGiftCardsAfter } from './store.ts'

/** Cards per part. */
const AT_ONCE = 200

/** Time limit, enough for a hundred thousand cards and a slow reader. */
export const GIFT_CARD_EXPORT_MS = 600_000

export async function exportGiftCards({
  db,
  caller,
  signal,
  query: { query: text = '' },
}: Context<object, { query?: string }>): Promise<StreamedReply> {
  const settings = await findSettings(db, caller)
  const columns = csvColumns(timeZoneOf(settings ?? { settings: {} }), caller.currency)
  const readAfter = async (after: string) => {
    const rows = await listGiftCardsAfter(db, caller, text, after, AT_ONCE)
    return { rows, next: rows.length < AT_ONCE ? null : (rows.at(-1)?.id ?? null) }
  }
  const lines = writeCsvParts({ columns, first: await readAfter(''), readAfter, signal })
  return new StreamedReply(lines, 'text/csv', 'gift-cards.csv')
}

const csvColumns = (timeZone: string, currency: string) => {
  const time = (seconds: number | null) =>
    seconds === null ? null : timeInTimeZone(timeZone, new Date(seconds * 1_000))
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
