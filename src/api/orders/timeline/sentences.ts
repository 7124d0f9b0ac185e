// Renders the rows of an order as sentences of its timeline. No I/O.

import { findGateway } from '../../../gateways/index.ts'
import { isId, timeOfId } from '../../../lib/ids.ts'
import { type Minor, priceOf } from '../../../lib/money.ts'
import { toOneLine } from '../../../lib/text.ts'
import type { DisputeRow, ItemRow, OrderRow, RefundRow, ShipmentRow, TransactionRow } from '../read-store.ts'
import type { TimelineEntry } from './schema.ts'
import type { HistoryRow, OrderEventRow } from './store.ts'

/** A line before its actor is looked up. */
type Line = Omit<TimelineEntry, 'by' | 'detail'> & { readonly by?: string; readonly detail?: string | null }

/** Sort position of a line. Within one second, history sorts above events, and events above the order's own rows. */
export type TimelinePosition = { readonly at: number; readonly rank: number; readonly key: string }

export const TIMELINE_RANKS = { own: 0, event: 1, history: 2 } as const

export type TimelineLine = { readonly entry: TimelineEntry; readonly position: TimelinePosition }

/** Positive if `one` is newer. */
export const compareTimelinePositions = (one: TimelinePosition, other: TimelinePosition): number =>
  one.at - other.at || one.rank - other.rank || (one.key < other.key ? -1 : Number(one.key > other.key))

export const positionOfHistory = ({ id, created, created_ms: ms }: HistoryRow): TimelinePosition => ({
  at: created,
  rank: TIMELINE_RANKS.history,
  key: `${String(ms).padStart(MS_DIGITS, '0')}${id}`,
})

export const positionOfEvent = ({ id, created }: OrderEventRow): TimelinePosition => ({
  at: created,
  rank: TIMELINE_RANKS.event,
  key: id,
})

/** Number of digits for milliseconds in the key of a history line. */
export const MS_DIGITS = 15

/** Newest first. Lines of the same second keep the sequence in which such things happen. */
export function buildTimelineLines(
  row: OrderRow,
  history: readonly HistoryRow[],
  events: readonly OrderEventRow[],
): TimelineLine[] {
  const own = linesOf(row)
  const lines: [Line, TimelinePosition][] = [
    ...own.map((line, place): [Line, TimelinePosition] => [
      line,
      { at: line.at, rank: TIMELINE_RANKS.own, key: String(place).padStart(6, '0') },
    ]),
    ...linesOfEvents(events, own),
    ...history.map((entry): [Line, TimelinePosition] => [lineOfHistory(entry), positionOfHistory(entry)]),
  ]
  return lines
    .sort(([, one], [, other]) => compareTimelinePositions(other, one))
    .map(([line, position]) => ({
      position,
      entry: {
        id: line.id,
        at: line.at,
        type: line.type,
        text: line.text,
        by: line.by ?? actorOf(line, events),
        detail: line.detail ?? null,
      },
    }))
}

function linesOf(row: OrderRow): Line[] {
  const show = (amount: Minor) => priceOf(amount, row.currency).formatted_with_symbol
  const charges = row.transactions.filter(({ type }) => type === 'charge')
  return [
    lineOfPlacement(row),
    ...linesOfCredit(row, show),
    ...charges.flatMap((charge) => lineOfCharge(charge, show)),
    ...row.shipments.map((shipment) => lineOfShipment(shipment, row.items)),
    ...row.items.flatMap((item) => lineOfItem(item, row)),
    ...refundsOf(row).flatMap((refund) => lineOfRefund(refund, show)),
    ...row.disputes.flatMap((dispute) => linesOfDispute(dispute, show)),
    ...linesOfCancel(row),
  ]
}

function lineOfPlacement({ id, created, customer_reference, firstname, lastname, email }: OrderRow): Line {
  const name = [firstname, lastname].filter((part) => part !== null && part !== '').join(' ')
  return { id, at: created, type: 'placed', text: `Order ${customer_reference} placed by ${toOneLine(name || email)}` }
}

type Show = (amount: Minor) => string

const linesOfCredit = ({ id, created, content }: OrderRow, show: Show): Line[] =>
  content.gift_card === null
    ? []
    : [{ id, at: created, type: 'paid', text: `Paid ${show(content.gift_card.credit)} by gift card` }]

// Charges: one line each, depending on the status.

function lineOfCharge(charge: TransactionRow, show: Show): Line[] {
  const { id, status, status_reason: reason, amount, created, completed, updated } = charge
  const sum = show(amount)
  const way = wayOf(charge)
  const gateway = nameOf(charge)
  switch (status) {
    case 'complete':
      return [{ id, at: completed ?? created, type: 'paid', text: `Paid ${sum} ${way}` }]
    case 'failed':
      return [{ id, at: updated, type: 'payment_failed', text: `Payment of ${sum} ${way} failed` }]
    case 'cancelled':
      // The line of the cancellation covers the charges that it cancelled.
      if (reason === 'order_cancelled') return []
      return [{ id, at: updated, type: 'payment_released', text: `Let go of ${sum} that ${gateway} held` }]
    case 'pending':
      if (reason === 'gateway_failure')
        return [
          {
            id,
            at: created,
            type: 'payment_open',
            text: `Nobody knows whether ${sum} was paid ${way}; look there`,
            detail: charge.notes || null,
          },
        ]
      if (charge.is_authorized)
        return [{ id, at: created, type: 'payment_held', text: `${gateway} holds ${sum}; it is yet to be taken` }]
      if (reason === 'awaiting_gateway')
        return [{ id, at: created, type: 'payment_open', text: `${gateway} has yet to confirm ${sum}` }]
      return [{ id, at: created, type: 'payment_awaited', text: `${sum} is to be paid ${way}` }]
  }
}

const nameOf = ({ gateway }: TransactionRow): string => findGateway(gateway)?.name ?? gateway

/** Last four digits of a card. Other references of a gateway are not shown. */
const LAST_FOUR = /^\d{4}$/

function wayOf(charge: TransactionRow): string {
  const { payment_source_type: type, payment_source: source, gateway_reference: reference } = charge
  if (findGateway(charge.gateway)?.page.kind === 'details') return 'by hand'
  if (type !== 'card') return `by ${nameOf(charge)}`
  const brand = source?.brand ?? ''
  const parts = [brand, reference !== null && LAST_FOUR.test(reference) ? reference : ''].filter((part) => part !== '')
  return parts.length === 0 ? 'by card' : `by card (${toOneLine(parts.join(' '))})`
}

// Shipments and returns.

const quantityOf = (parts: readonly { readonly quantity: number }[]): number =>
  parts.reduce((sum, { quantity }) => sum + quantity, 0)

const items = (count: number) => (count === 1 ? '1 item' : `${count} items`)

function lineOfShipment(shipment: ShipmentRow, ordered: readonly ItemRow[]): Line {
  const shippedCount = quantityOf(shipment.items)
  const orderedCount = quantityOf(ordered)
  const carrier = shipment.carrier_name ?? shipment.carrier
  const tracking = [carrier, shipment.tracking_number].filter((part) => part !== null && part !== '').join(' ')
  const what = shippedCount === orderedCount ? items(orderedCount) : `${shippedCount} of ${items(orderedCount)}`
  return {
    id: shipment.id,
    at: shipment.created,
    type: 'shipped',
    text: `Shipped ${what}${tracking === '' ? '' : `, ${toOneLine(tracking)}`}`,
    detail: shipment.tracking_url,
  }
}

/** A status that was set on the item itself. Shipments have their own lines. */
function lineOfItem(item: ItemRow, { content, shipments }: OrderRow): Line[] {
  const { id, updated: at, quantity, quantity_fulfilled: delivered } = item
  const name = content.lines.find((line) => line.id === item.line_item_id)?.product_name ?? 'Goods'
  const what = (count: number) => `${count} × ${toOneLine(name)}`
  if (item.is_returned) return [{ id, at, type: 'returned', text: `Came back: ${what(delivered)}` }]
  const shipped = quantityOf(shipments.flatMap((shipment) => shipment.items).filter(({ item_id }) => item_id === id))
  if (delivered > shipped) return [{ id, at, type: 'delivered', text: `Marked as delivered: ${what(quantity)}` }]
  if (delivered < shipped) return [{ id, at, type: 'undelivered', text: `Marked as not delivered: ${what(quantity)}` }]
  return []
}

// Refunds: one line per request, across all of its charges.

type Refund = { readonly id: string; readonly parts: readonly TransactionRow[]; readonly request: RefundRow | null }

/** Parts that an older release made have no request; each is a refund of its own. */
function refundsOf({ transactions, refunds }: OrderRow): Refund[] {
  const parts = transactions.filter(({ type }) => type === 'refund')
  const orphanParts = parts.filter(({ refund_id: id }) => id === null || !refunds.some((request) => request.id === id))
  return [
    ...orphanParts.map((part) => ({ id: part.id, parts: [part], request: null })),
    ...refunds.map((request) => ({
      id: request.id,
      parts: parts.filter(({ refund_id: id }) => id === request.id),
      request,
    })),
  ]
}

function lineOfRefund({ id, parts, request }: Refund, show: Show): Line[] {
  const status = request?.status ?? (parts[0]?.status === 'complete' ? 'complete' : parts[0]?.status)
  const countedParts = status === 'complete' ? parts.filter((part) => part.status === 'complete') : parts
  const credit = request !== null && status !== 'failed' ? request.credit : 0
  const sum = show(countedParts.reduce((total, { amount }) => total + amount, credit))
  const startedAt = parts[0]?.created ?? timeOf(id)
  const endedAt = countedParts.reduce((last, { completed, updated }) => Math.max(last, completed ?? updated), startedAt)
  const detail = parts.find(({ reason }) => reason !== null)?.reason ?? null
  const toCard = credit > 0 ? `, ${show(credit)} of it to the gift card` : ''
  if (status === 'complete') return [{ id, at: endedAt, type: 'refunded', text: `Refunded ${sum}${toCard}`, detail }]
  if (status === 'pending')
    return [{ id, at: startedAt, type: 'refund_open', text: `Refund of ${sum} under way${toCard}`, detail }]
  return [{ id, at: endedAt, type: 'refund_failed', text: `Refund of ${sum} failed`, detail }]
}

/** A refund that goes entirely to a gift card has no parts, so only its id tells the time. */
const timeOf = (id: string): number => (isId('refund', id) ? Math.floor(timeOfId('refund', id) / 1_000) : 0)

const DISPUTE_ENDS: Partial<Record<DisputeRow['status'], string>> = {
  won: 'was won',
  lost: 'was lost',
  closed: 'has ended',
}

function linesOfDispute({ id, status, amount, reason, created, updated }: DisputeRow, show: Show): Line[] {
  const sum = show(amount)
  const openingLine: Line = { id, at: created, type: 'disputed', text: `The customer disputes ${sum}`, detail: reason }
  const endText = DISPUTE_ENDS[status]
  return endText === undefined
    ? [openingLine]
    : [openingLine, { id, at: updated, type: 'dispute_ended', text: `The dispute about ${sum} ${endText}` }]
}

function linesOfCancel({ id, cancelled, cancelling, cancel_reason: detail, restocked }: OrderRow): Line[] {
  if (cancelled !== null) {
    const restockedQuantity = quantityOf(restocked ?? [])
    const text = restockedQuantity === 0 ? 'Cancelled' : `Cancelled; ${items(restockedQuantity)} went back into stock`
    return [{ id, at: cancelled, type: 'cancelled', text, detail }]
  }
  if (cancelling === null) return []
  return [{ id, at: cancelling, type: 'cancelling', text: 'Being cancelled; what was paid is given back', detail }]
}

// Events add changes that leave no row, and the actor of those that do.

/** Events that report each kind of line at the same time, by the last word of their names. Other kinds have no event. */
const EVENT_WORDS: Partial<Record<TimelineEntry['type'], readonly string[]>> = {
  placed: ['create'],
  paid: ['update', 'create'],
  payment_failed: ['update'],
  payment_released: ['update'],
  shipped: ['shipment'],
  returned: ['update'],
  delivered: ['update'],
  undelivered: ['update'],
  refunded: ['refund', 'cancel'],
  cancelled: ['cancel'],
}

const lastWordOf = ({ name }: OrderEventRow): string => name.slice(name.lastIndexOf('.') + 1)

const isEventOfLine = (event: OrderEventRow, line: Line): boolean =>
  event.created === line.at && (EVENT_WORDS[line.type]?.includes(lastWordOf(event)) ?? false)

const actorOf = (line: Line, events: readonly OrderEventRow[]): string | null =>
  events.find((event) => (line.id === event.id || isEventOfLine(event, line)) && event.actor !== null)?.actor ?? null

/** Skips an update that one of the order's own lines already reports. */
const linesOfEvents = (events: readonly OrderEventRow[], own: readonly Line[]): [Line, TimelinePosition][] =>
  events.flatMap((event): [Line, TimelinePosition][] => {
    const { id, name, created: at } = event
    const position = positionOfEvent(event)
    if (name === 'orders.receipt.resend')
      return [[{ id, at, type: 'receipt_asked', text: 'Asked for the receipt to be sent again' }, position]]
    if (name !== 'orders.update' || own.some((line) => isEventOfLine(event, line))) return []
    return [[{ id, at, type: 'changed', text: 'Order details changed' }, position]]
  })

const MAILS: Readonly<Record<string, string>> = {
  receipt: 'Receipt',
  shipment: 'Mail about the shipment',
  refund: 'Mail about the refund',
  cancellation: 'Mail about the cancellation',
}

function lineOfHistory({ id, kind, content, person, created: at }: HistoryRow): Line {
  if (kind === 'mail') return { id, at, type: 'mail', text: `${MAILS[content] ?? 'Mail'} sent to ${toOneLine(person)}` }
  return { id, at, type: 'note', text: `Note by ${person}: ${content}`, by: person, detail: content }
}
