// Exports orders as CSV for a spreadsheet or for bookkeeping. Rows are read in batches while the response is sent. So the server and the
// database hold one batch at a time, and no transaction stays open for a slow client.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { StreamedReply } from '../../../http/endpoint/pieces.ts'
import { type CsvPart, writeCsvParts } from '../../../http/files/csv.ts'
import { timeInTimeZone } from '../../../lib/clock.ts'
import { decimalText } from '../../../lib/money.ts'
import { timeZoneOf } from '../../merchants/settings.ts'
import { findSettings } from '../../merchants/store.ts'
import { listOrdersAfter, type OrderExportPosition, type OrderFilter } from '../list-store.ts'
import { type ExportRow, findExportRows } from './store.ts'

/** Orders per batch. */
const BATCH_SIZE = 200

/** Reads the first batch before the response begins, so that a failure until then becomes an error response. */
export async function exportOrders(
  context: Pick<Context, 'db' | 'caller' | 'signal'>,
  filter: OrderFilter,
): Promise<StreamedReply> {
  const settings = await findSettings(context.db, context.caller)
  const timeZone = timeZoneOf(settings ?? { settings: {} })
  const readAfter = (after: OrderExportPosition | null) => readBatch(context, filter, after)
  const lines = writeCsvParts({
    columns: columnsIn(timeZone),
    first: await readAfter(null),
    readAfter,
    signal: context.signal,
  })
  return new StreamedReply(lines, 'text/csv', 'orders.csv')
}

async function readBatch(
  { db, caller }: Pick<Context, 'db' | 'caller'>,
  filter: OrderFilter,
  after: OrderExportPosition | null,
): Promise<CsvPart<ExportRow, OrderExportPosition>> {
  const places = await listOrdersAfter(db, caller, filter, after, BATCH_SIZE)
  const ids = places.map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await findExportRows(db, caller, ids)
  return { rows, next: places.length < BATCH_SIZE ? null : (places.at(-1) ?? null) }
}

type Column = (row: ExportRow) => string | null

const sum =
  (amount: (row: ExportRow) => number): Column =>
  (row) =>
    decimalText(amount(row), row.currency)

const address =
  (field: 'name' | 'street' | 'street_2' | 'town_city' | 'county_state' | 'postal_zip_code' | 'country'): Column =>
  ({ shipping_address }) =>
    shipping_address?.[field] ?? null

/** Keyed by column name, as in the header row. */
const columnsIn = (timeZone: string): Readonly<Record<string, Column>> => ({
  number: ({ customer_reference }) => customer_reference,
  id: ({ id }) => id,
  created: ({ created_at }) => timeInTimeZone(timeZone, created_at),
  paid: ({ paid_at }) => paid_at && timeInTimeZone(timeZone, paid_at),
  cancelled: ({ cancelled_at }) => cancelled_at && timeInTimeZone(timeZone, cancelled_at),
  status: ({ cancelled_at }) => (cancelled_at === null ? 'open' : 'cancelled'),
  status_payment: ({ status_payment }) => status_payment,
  status_fulfillment: ({ status_fulfillment }) => status_fulfillment,
  firstname: ({ firstname }) => firstname,
  lastname: ({ lastname }) => lastname,
  email: ({ email }) => email,
  phone: ({ phone }) => phone,
  currency: ({ currency }) => currency,
  subtotal: sum(({ content }) => content.subtotal),
  discount: sum(({ content }) => content.discount?.amount_saved ?? 0),
  discount_code: ({ content }) => content.discount?.code ?? null,
  shipping: sum(({ content }) => content.shipping.price),
  tax: sum(({ content }) => content.tax.amount),
  total: sum(({ order_value }) => order_value),
  giftcard: sum(({ content }) => content.gift_card?.credit ?? 0),
  due: sum(({ total_due }) => total_due),
  refunded: sum(({ refunded }) => refunded),
  shipping_method: ({ content }) => content.shipping.description,
  shipping_name: address('name'),
  shipping_street: address('street'),
  shipping_street_2: address('street_2'),
  shipping_town_city: address('town_city'),
  shipping_county_state: address('county_state'),
  shipping_postal_zip_code: address('postal_zip_code'),
  shipping_country: address('country'),
  lines: ({ content }) => content.lines.map(lineText).join('; '),
})

/** `2 × Mug (Blue, Large) [MUG-1]` */
function lineText({ quantity, product_name, selected_options, sku }: ExportRow['content']['lines'][number]): string {
  const options = selected_options.map(({ option_name }) => option_name).join(', ')
  return `${quantity} × ${product_name}${options && ` (${options})`}${sku === null ? '' : ` [${sku}]`}`
}
