// Texts about webhooks, their deliveries and events, and the filters by them.

import type { Delivery, Webhook } from '../../../../src/api/webhooks/schema.ts'
import type { EventName } from '../../../../src/events/catalogue.ts'
import type { FilterDeclaration } from '../../parts/list/filter-fields.tsx'
import type { Tone } from '../../parts/show/values.tsx'

export const webhookName = ({ url, description, transport }: Webhook): string =>
  url ?? (description || (transport === 'listen' ? 'A machine that listens' : 'Webhook'))

export const DELIVERY_STATES: Readonly<Record<Delivery['state'], readonly [tone: Tone, text: string]>> = {
  delivered: ['good', 'Delivered'],
  pending: ['open', 'Waiting'],
  sending: ['open', 'Being sent'],
  retrying: ['open', 'Retrying'],
  failed: ['bad', 'Failed'],
  skipped: ['calm', 'Not sent: was off'],
}

export const isUnderWay = ({ state }: Pick<Delivery, 'state'>): boolean =>
  ['pending', 'sending', 'retrying'].includes(state)

const POLL_SECONDS = 2

/** Interval for `useQuery`: polls deliveries under way until they have arrived. */
export const pollUntilDelivered = (deliveries: readonly Delivery[]): number | undefined =>
  deliveries.some(isUnderWay) ? POLL_SECONDS : undefined

const ANSWERS: Readonly<Record<number, string>> = {
  400: 'it called the request wrong',
  401: 'it asks for a login',
  403: 'it refused',
  404: 'there is nothing at this address',
  405: 'it takes no POST there',
  408: 'it was too slow',
  410: 'it is gone for good',
  413: 'the body was too long for it',
  429: 'it asks for a pause',
  500: 'it broke',
  502: 'its proxy got no answer',
  503: 'it is not available',
  504: 'its proxy waited too long',
}

/** "It answered 500: it broke." */
export function answerText({
  last_status: status,
  last_error: error,
}: Pick<Delivery, 'last_status' | 'last_error'>): string {
  if (status === null) return error === null ? 'There was no answer yet.' : `There was no answer: ${error}`
  if (status >= 200 && status < 300) return `It answered ${status}.`
  if (status >= 300 && status < 400) return `It answered ${status}: it leads elsewhere, which is not followed.`
  return `It answered ${status}${ANSWERS[status] === undefined ? '' : `: ${ANSWERS[status]}`}.`
}

/** The meaning of each event. The type requires a text for every event. */
const EVENT_TEXTS: Readonly<Record<EventName, string>> = {
  'orders.create': 'An order was placed',
  'orders.paid': 'An order is paid in full',
  'orders.update': 'An order was changed',
  'orders.physical.shipment': 'Goods were shipped',
  'orders.refund': 'An order was refunded',
  'orders.cancel': 'An order was cancelled',
  'orders.dispute': 'A payment is disputed',
  'orders.receipt.resend': 'A receipt is to be sent again',
  'customers.create': 'A customer is new',
  'customers.update': 'A customer was changed',
  'customers.delete': 'A customer was deleted',
  'customers.login.token': 'A customer asked to log in; holds the login',
  'carts.abandoned': 'A cart was left for a day',
  'products.create': 'A product is new',
  'products.update': 'A product was changed',
  'products.delete': 'A product was deleted',
  'variants.create': 'A variant is new',
  'variants.update': 'A variant was changed',
  'variants.delete': 'A variant was deleted',
  'categories.create': 'A category is new',
  'categories.update': 'A category was changed',
  'categories.delete': 'A category was deleted',
  'assets.create': 'A file is new',
  'assets.update': 'A file was changed',
  'assets.delete': 'A file was deleted',
  'attributes.create': 'An attribute is new',
  'attributes.update': 'An attribute was changed',
  'attributes.delete': 'An attribute was deleted',
  'discounts.create': 'A discount is new',
  'discounts.update': 'A discount was changed',
  'discounts.delete': 'A discount was deleted',
  'giftcards.create': 'A gift card is new',
  'giftcards.update': 'A gift card was changed',
  'giftcards.delete': 'A gift card was deleted',
  'test.webhook': 'A test',
}

export const eventText = (event: string): string => EVENT_TEXTS[event as EventName] ?? event

export const EVENT_FILTER: FilterDeclaration = {
  name: 'event',
  label: 'Event',
  options: [['', 'All'], ...Object.keys(EVENT_TEXTS).map((name) => [name, name] as const)],
}

export const OBJECT_FILTER: FilterDeclaration = { name: 'object', label: 'Object, such as ord_…', is: 'text' }

/** Events that a webhook can subscribe to, grouped by their objects. */
export const EVENT_GROUPS: readonly (readonly [thing: string, names: readonly string[]])[] = Object.entries(
  Object.keys(EVENT_TEXTS)
    .filter((name) => name !== 'test.webhook')
    .reduce<Record<string, string[]>>((groups, name) => {
      const thing = name.slice(0, name.indexOf('.'))
      groups[thing] = [...(groups[thing] ?? []), name]
      return groups
    }, {}),
)

/** "All events", "orders.create and 2 more" */
export function eventsText({ subscribed_events: [first = '', ...rest] }: Webhook): string {
  if (first === '*' && rest.length === 0) return 'All events'
  if (rest.length === 0) return first
  return rest.length === 1 ? `${first}, ${rest[0]}` : `${first} and ${rest.length} more`
}
