// Documentation of the events for receivers: when each one is sent, and the page docs/events.md. The page is built from this and from the
// payload schemas.

import { EVENTS, type EventName, LOGIN_TOKEN_EVENT, TEST_EVENT } from './catalogue.ts'

/** One sentence per event. An event without one does not compile. */
const WHEN: Readonly<Record<EventName, string>> = {
  'assets.create': 'An asset was made. One that is to be uploaded is `pending` until its file is there.',
  'assets.update': 'An asset was changed, its upload was finished, or its file was fetched at last.',
  'assets.delete': 'An asset was deleted, or its upload was not finished within a day.',
  'attributes.create': 'An attribute was made.',
  'attributes.update': 'An attribute or one of its options was changed.',
  'attributes.delete': 'An attribute was deleted.',
  'carts.abandoned':
    'A cart with lines was left: 24 hours have passed since its last change, and no order was made of it. Once for each cart.',
  'categories.create': 'A category was made.',
  'categories.update': 'A category was changed, or was moved because one above it was changed or deleted.',
  'categories.delete': 'A category was deleted.',
  'customers.create': 'A customer was made, by the API or with a first order.',
  'customers.update': 'A customer or one of their addresses was changed.',
  'customers.delete': 'A customer was deleted.',
  'customers.login.token':
    'A customer has asked for a login link. Where you have switched our mail off, `url` is the link, and it is yours to send.',
  'discounts.create': 'A discount code was made.',
  'discounts.update': 'A discount code was changed; not when an order uses it.',
  'discounts.delete': 'A discount code was deleted.',
  'giftcards.create': 'A gift card was issued.',
  'giftcards.update': 'A gift card was changed by the API; not when it pays for an order.',
  'giftcards.delete': 'A gift card was deleted.',
  'orders.create': 'A checkout was captured. Look at `status_payment`: it may be paid, authorized or still to be paid.',
  'orders.paid': 'The whole amount of an order has arrived. Once for each order, also for one that costs nothing.',
  'orders.update':
    'An order was changed: its fields, a payment, an item of its fulfillment, a download; or a refund that has failed.',
  'orders.refund': 'Money of an order was given back, wholly or in part, by you or at the payment provider.',
  'orders.cancel': 'An order was cancelled.',
  'orders.dispute': 'A payment of an order was disputed at its provider, or a dispute has moved on.',
  'orders.receipt.resend': 'You have asked for the receipt of an order to be mailed again.',
  'orders.physical.shipment': 'A shipment of an order was recorded.',
  'products.create': 'A product was made.',
  'products.update':
    'A product was changed, or what belongs to it: variants, options, assets. Not when a sale moves its stock.',
  'products.delete': 'A product was deleted.',
  'variants.create': 'A variant was made, by itself or with the others of a product.',
  'variants.update':
    'A variant was changed, or no longer fits the options of its product. Not when a sale moves its stock.',
  'variants.delete': 'A variant was deleted, also with its product.',
  'test.webhook': 'You have asked for a test of this webhook.',
}

/** An event as receivers see it. */
export type EventDescription = {
  readonly name: string
  readonly when: string
  /** Kind of its payload. */
  readonly kind: string
  readonly responseCode: number
  readonly isShared: boolean
  /** True if the object is deleted. Its deliveries then also have `model_ids`. */
  readonly isDeletion: boolean
}

export const describeEvents = (): EventDescription[] =>
  Object.entries(EVENTS).map(([name, entry]) => ({
    name,
    when: WHEN[name as EventName],
    ...entry,
    isDeletion: entry.responseCode === 204,
  }))

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** A named schema of the API. */
type NamedSchema = { readonly $id: string }

/** The page in Markdown. `kinds` holds all named schemas of the API, including payloads and their parts. */
export function eventsPage(kinds: readonly NamedSchema[]): string {
  const byName = new Map(kinds.map((kind) => [kind.$id, kind as NamedSchema & Schema]))
  const events = describeEvents()
  const payloads = [...new Set(events.map(({ kind }) => kind))].sort()
  const lines = [
    '# Events',
    '',
    '<!-- Written by `npm run events` from src/events/reference.ts and the schemas of the API; a test compares the two. -->',
    '',
    '[Webhooks](webhooks.md) are sent these. A payload is the object as it was at that moment, in the version of the webhook; below it is shown in',
    'the newest one. Of `both` modes: sandbox and live share the object, and webhooks of either hear of it. `own`: only webhooks of the mode in',
    'which it happened. A `*.delete` has `model_ids`, a list with the id, beside its `payload`.',
    '',
    '| Event | Sent when | Mode | Payload | `response_code` |',
    '|---|---|---|---|---|',
    ...events.map((event) => eventLine(event)),
    '',
    `\`*\` subscribes to all of them but \`${LOGIN_TOKEN_EVENT}\`, which holds a login and has to be named. \`${TEST_EVENT}\` cannot be subscribed to: it goes to`,
    'the webhook that is tested.',
    '',
    '## Payloads',
    '',
    ...payloads.flatMap((name) => kindLines(name, byName)),
    '## What stands in them',
    '',
    ...findInnerKinds(payloads, byName).flatMap((name) => kindLines(name, byName)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

const eventLine = ({ name, when, kind, isShared, responseCode }: EventDescription) =>
  `| \`${name}\` | ${when} | ${isShared ? 'both' : 'own'} | ${linkTo(kind)} | ${responseCode} |`

const linkTo = (kind: string) => `[${kind}](#${kind})`

function kindLines(name: string, byName: ReadonlyMap<string, Schema>): string[] {
  const { properties = {}, required = [] } = byName.get(name) ?? {}
  const rows = Object.entries(properties).map(([field, schema]) => {
    const note = [required.includes(field) ? '' : 'Not always there.', schema.description ?? '']
      .filter(Boolean)
      .join(' ')
    return `| \`${field}\` | ${typeOf(schema)} | ${note.replaceAll('|', '\\|')} |`
  })
  return [`### ${name}`, '', '| Field | Type | |', '|---|---|---|', ...rows, '']
}

/** Examples: `list of [price](#price)`, `text or null`, `object: width, height`. */
function typeOf(schema: Schema): string {
  const { $ref: reference, anyOf, items, properties } = schema
  if (reference !== undefined) return linkTo(reference.replace(/#$/, ''))
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return 'any'
  return types
    .map((type) => {
      if (type === 'array') return items === undefined || typeOf(items) === 'any' ? 'list' : `list of ${typeOf(items)}`
      if (type === 'object' && properties !== undefined)
        return `object: ${Object.entries(properties).map(describeField).join(', ')}`
      return type === 'string' ? 'text' : type
    })
    .join(' or ')
}

/** Name of a field, with its type if that links to a kind. */
function describeField([field, schema]: [string, Schema]): string {
  const type = typeOf(schema)
  return type.includes('](#') ? `${field} (${type})` : field
}

/** Kinds that payloads refer to and that are not payloads themselves. */
function findInnerKinds(payloads: readonly string[], byName: ReadonlyMap<string, Schema>): string[] {
  const kinds = new Set(payloads)
  for (const name of kinds)
    for (const [, inner = ''] of JSON.stringify(byName.get(name) ?? {}).matchAll(/"\$ref":"(\w+)#"/g)) kinds.add(inner)
  return [...kinds].filter((name) => !payloads.includes(name)).sort()
}
