// Every event there is: its name, the kind of its payload, and the status that the request which caused it is answered with.
// Business code names an event and hands over the payload; the rest follows from this list.

/** `isShared`: of something that sandbox and live have in common, so that the event is of neither. */
type EventEntry = { readonly kind: string; readonly responseCode: number; readonly isShared: boolean }

/** Whoever reads it can log in as somebody. It goes only to those who have asked for it by name. */
export const HOLDS_A_LOGIN = 'customers.login.token'

/** What a webhook says that wants every event but the one above. */
export const EVERY_EVENT = '*'

/** Sent when somebody asks for it, to one webhook alone. */
export const TEST_EVENT = 'test.webhook'

/** The field of a payload that names what the event is about, where that is not `id`: a shipment is about its order. */
const OBJECT_FIELDS: Readonly<Record<string, string>> = { shipment: 'order_id' }

/** The id of what an event is about; null where its payload names none, such as that of a login. */
export function objectIdOf(kind: string, payload: unknown): string | null {
  const id = (payload as Readonly<Record<string, unknown>> | null)?.[OBJECT_FIELDS[kind] ?? 'id']
  return typeof id === 'string' ? id : null
}

const shared = <Code extends number>(kind: string, responseCode: Code) =>
  ({ kind, responseCode, isShared: true }) as const satisfies EventEntry

const ofOneMode = <Code extends number>(kind: string, responseCode: Code) =>
  ({ kind, responseCode, isShared: false }) as const satisfies EventEntry

export const EVENTS = {
  'assets.create': shared('asset', 201),
  'assets.update': shared('asset', 200),
  'assets.delete': shared('asset', 204),
  'attributes.create': shared('attribute', 201),
  'attributes.update': shared('attribute', 200),
  'attributes.delete': shared('attribute', 204),
  'carts.abandoned': ofOneMode('cart', 200),
  'categories.create': shared('category', 201),
  'categories.update': shared('category', 200),
  'categories.delete': shared('category', 204),
  'customers.create': ofOneMode('customer', 201),
  'customers.update': ofOneMode('customer', 200),
  'customers.delete': ofOneMode('customer', 204),
  'customers.login.token': ofOneMode('login_token_event', 200),
  'discounts.create': shared('discount', 201),
  'discounts.update': shared('discount', 200),
  'discounts.delete': shared('discount', 204),
  'giftcards.create': shared('gift_card', 201),
  'giftcards.update': shared('gift_card', 200),
  'giftcards.delete': shared('gift_card', 204),
  'orders.create': ofOneMode('order', 200),
  'orders.update': ofOneMode('order', 200),
  'orders.paid': ofOneMode('order', 200),
  'orders.refund': ofOneMode('order', 200),
  'orders.cancel': ofOneMode('order', 200),
  'orders.dispute': ofOneMode('order', 200),
  'orders.receipt.resend': ofOneMode('order', 200),
  'orders.physical.shipment': ofOneMode('shipment', 201),
  'products.create': shared('product', 201),
  'products.update': shared('product', 200),
  'products.delete': shared('product', 204),
  'test.webhook': ofOneMode('test_event', 200),
  'variants.create': shared('variant', 201),
  'variants.update': shared('variant', 200),
  'variants.delete': shared('variant', 204),
} as const satisfies Readonly<Record<string, EventEntry>>

export type EventName = keyof typeof EVENTS
