// All events: name, kind of payload, and the status of the request that usually causes the event. Code that emits an
// event passes only its name and payload.

/** `isShared`: sandbox and live share the object of the event, so the event belongs to neither mode. */
type EventEntry = { readonly kind: string; readonly responseCode: number; readonly isShared: boolean }

/** An event that lets its reader log in as a customer. Only webhooks that name it receive it. */
export const LOGIN_TOKEN_EVENT = 'customers.login.token'

/** Subscription to every event except `LOGIN_TOKEN_EVENT`. */
export const EVERY_EVENT = '*'

/** Sent on request, to one webhook only. */
export const TEST_EVENT = 'test.webhook'

/** Payload field with the object's id, if it is not `id`. The object of a shipment event is the order. */
const OBJECT_FIELDS: Readonly<Record<string, string>> = { shipment: 'order_id' }

/** Id of the object that an event is about; null if the payload has no id, like that of a login. */
export function objectIdOf(kind: string, payload: unknown): string | null {
  const id = (payload as Readonly<Record<string, unknown>> | null)?.[OBJECT_FIELDS[kind] ?? 'id']
  return typeof id === 'string' ? id : null
}

const sharedEvent = <Code extends number>(kind: string, responseCode: Code) =>
  ({ kind, responseCode, isShared: true }) as const satisfies EventEntry

const modeEvent = <Code extends number>(kind: string, responseCode: Code) =>
  ({ kind, responseCode, isShared: false }) as const satisfies EventEntry

export const EVENTS = {
  'assets.create': sharedEvent('asset', 201),
  'assets.update': sharedEvent('asset', 200),
  'assets.delete': sharedEvent('asset', 204),
  'attributes.create': sharedEvent('attribute', 201),
  'attributes.update': sharedEvent('attribute', 200),
  'attributes.delete': sharedEvent('attribute', 204),
  'carts.abandoned': modeEvent('cart', 200),
  'categories.create': sharedEvent('category', 201),
  'categories.update': sharedEvent('category', 200),
  'categories.delete': sharedEvent('category', 204),
  'customers.create': modeEvent('customer', 201),
  'customers.update': modeEvent('customer', 200),
  'customers.delete': modeEvent('customer', 204),
  'customers.login.token': modeEvent('login_token_event', 200),
  'discounts.create': sharedEvent('discount', 201),
  'discounts.update': sharedEvent('discount', 200),
  'discounts.delete': sharedEvent('discount', 204),
  'giftcards.create': sharedEvent('gift_card', 201),
  'giftcards.update': sharedEvent('gift_card', 200),
  'giftcards.delete': sharedEvent('gift_card', 204),
  'orders.create': modeEvent('order', 200),
  'orders.update': modeEvent('order', 200),
  'orders.paid': modeEvent('order', 200),
  'orders.refund': modeEvent('order', 200),
  'orders.cancel': modeEvent('order', 200),
  'orders.dispute': modeEvent('order', 200),
  'orders.receipt.resend': modeEvent('order', 200),
  'orders.physical.shipment': modeEvent('shipment', 201),
  'products.create': sharedEvent('product', 201),
  'products.update': sharedEvent('product', 200),
  'products.delete': sharedEvent('product', 204),
  'test.webhook': modeEvent('test_event', 200),
  'variants.create': sharedEvent('variant', 201),
  'variants.update': sharedEvent('variant', 200),
  'variants.delete': sharedEvent('variant', 204),
} as const satisfies Readonly<Record<string, EventEntry>>

export type EventName = keyof typeof EVENTS
