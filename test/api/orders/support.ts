// What the tests of orders share: drafts of orders, a shop that makes real orders of them without a capture, the form of refusals, and
// a look into events.

import { expect } from 'vitest'
import { createOrderAddresses, type OrderOwner } from '../../../src/api/orders/links.ts'
import { type CapturedPayment, makeOrder, type OrderDraft } from '../../../src/api/orders/make.ts'
import type { OrderContent, OrderLineRow } from '../../../src/api/orders/read-store.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { takeOrderNumber } from '../../../src/api/orders/store.ts'
import { NO_SEALING_KEY } from '../../../src/api/payment-methods/credentials.ts'
import type { PaymentRequest } from '../../../src/api/payments/calls.ts'
import type { AppOptions } from '../../../src/app.ts'
import type { GatewayAdapter, PaymentGateways, RefundRequest } from '../../../src/gateways/gateway.ts'
import { manual } from '../../../src/gateways/manual.ts'
import { testJournal } from '../../../src/gateways/sandbox/journal-store.ts'
import { testGateway } from '../../../src/gateways/sandbox/test-gateway.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { newId } from '../../../src/lib/ids.ts'
import { priceOf } from '../../../src/lib/money.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { gatewayPorts } from '../../support/gateways.ts'
import { changeRows, selectRow, sql } from '../../support/rows.ts'
import { type BareShop, type Draft, missing, ORIGIN, openShopAt, type TestEvent } from '../../support/shop.ts'

export const UNKNOWN_ID = `ord_${'0'.repeat(26)}`

export const usd = (minor: number) => priceOf(minor, 'USD')

const LINE: OrderLineRow = {
  id: 'item_mug',
  product_id: 'prod_mug',
  product_name: 'Mug',
  sku: 'MUG-1',
  permalink: 'mug',
  quantity: 2,
  unit_price: 1_000,
  line_total: 2_000,
  discount_share: 0,
  variant: null,
  selected_options: [],
  tax: { is_taxable: true, taxable_amount: 2_000, amount: 0, parts: [] },
  image: null,
  is_physical: true,
  stock_item_id: null,
  packages: [],
  lifespan: null,
}

export const physical = (more: Partial<OrderLineRow> = {}): OrderLineRow => ({ ...LINE, ...more })

/** A book of one file, unless `packages` say otherwise. */
export const digital = (more: Partial<OrderLineRow> = {}): OrderLineRow => ({
  ...LINE,
  id: 'item_book',
  product_id: 'prod_book',
  product_name: 'Book',
  sku: null,
  quantity: 1,
  line_total: 1_000,
  is_physical: false,
  packages: [{ asset_id: 'ast_book', name: 'The book', ext: 'pdf', size_in_bytes: 39_639, is_sample: false }],
  ...more,
})

/** A draft and its content in one, as it is easier to say what differs. */
export type DraftFields = Omit<OrderDraft, 'content'> & OrderContent

/** 20.00 for two mugs, unless lines say otherwise: what they cost is what is due. */
export function draftOf(more: Partial<DraftFields> = {}): DraftFields {
  const lines = more.lines ?? [physical()]
  const subtotal = lines.reduce((sum, { line_total }) => sum + line_total, 0)
  const nothing = { taxable: 0, untaxable: 0, total: 0, entries: [] }
  return {
    checkout_id: newId('checkoutToken', new Date()),
    cart_id: 'cart_1',
    currency: 'USD',
    lines,
    subtotal,
    discount: null,
    shipping: { id: null, description: null, price: 0, provider: null },
    tax: {
      amount: 0,
      is_included: false,
      provider: 'chec',
      parts: [],
      zone: { country: 'US', region: null, postal_code: null, ip_address: null },
    },
    adjustments: nothing,
    total: subtotal,
    total_with_tax: subtotal,
    total_due: subtotal,
    gift_card: null,
    pay_what_you_want: { is_enabled: false, minimum: null, customer_set_price: null },
    customer: { id: null, email: 'jane@example.com', firstname: 'Jane', lastname: null, phone: null, meta: null },
    shipping_address: null,
    billing_address: null,
    extra_fields: [],
    collected: { fullname: true },
    redirect: null,
    client_details: {
      ip_address: '192.0.2.1',
      country_code: null,
      country_name: null,
      region_code: null,
      region_name: null,
      city: null,
      postal_zip_code: null,
    },
    meta: null,
    captured_by: null,
    ...more,
  }
}

const ORDER_FIELDS = [
  ...['checkout_id', 'cart_id', 'currency', 'total_due', 'customer', 'shipping_address', 'billing_address', 'meta'],
  'captured_by',
]

export function orderDraft(fields: DraftFields): OrderDraft {
  const isOfOrder = ([field]: [string, unknown]) => ORDER_FIELDS.includes(field)
  const entries = Object.entries(fields)
  const content = Object.fromEntries(entries.filter((entry) => !isOfOrder(entry)))
  return { ...Object.fromEntries(entries.filter(isOfOrder)), content } as OrderDraft
}

const SOURCE = { type: 'card', brand: 'Visa', country: 'US', zip: '94103' }

export type PaidBy = 'card' | 'authorized' | 'manual' | 'nothing'

function paymentOf(paidBy: PaidBy, amount: number, attemptId: string): CapturedPayment | null {
  if (paidBy === 'nothing') return null
  const common = { paymentMethodId: null, isSimulated: false, amount }
  if (paidBy === 'manual')
    return { ...common, kind: 'pending', gateway: 'manual', transactionId: null, reference: null, source: null }
  return {
    ...common,
    kind: paidBy === 'card' ? 'charged' : 'authorized',
    gateway: 'test_gateway',
    transactionId: `test_${attemptId}`,
    reference: '4242',
    source: SOURCE,
  }
}

export type Shop = BareShop & {
  owner: OrderOwner
  /** What a request of the merchant hands to the rules that move money, with gateways of the test's own. */
  request(payments: Omit<PaymentGateways, 'credentials'>): PaymentRequest
  /** An order as capture makes it, a second after the one before; what the test gateway has charged is in its books. */
  order(draft?: Partial<DraftFields>, paidBy?: PaidBy, owner?: Partial<OrderOwner>): Promise<Order>
  /** The order as it is read now. */
  get(id: string): Promise<Order>
  /** Ships so many of the first item. */
  ship(order: Order, quantity?: number, more?: object): Promise<Answer>
  /** Says that a charge has been paid: the first one, unless another is named. */
  complete(order: Order, body?: object, id?: string): Promise<Answer>
  /** The test gateway's record of an order's charge. */
  books(order: Order): Promise<Books>
  /** The events so far, oldest first: of all, or of one order. */
  events(order?: Order): Promise<TestEvent[]>
  /** The names of the events of an order, oldest first; at one moment by their names. */
  told(order: Order): Promise<string[]>
}

const selectEvents = sql<TestEvent>`
  select name, kind, sandbox, payload, response_code from events
  where merchant_id = :merchant_id order by created_at, name`

type Books = { state: string; taken: number | null; refunded: number }

/** An event about an order of the sandbox. */
export const orderEvent = (name: string, payload: unknown, response_code = 200) => ({
  name,
  kind: 'order',
  sandbox: true,
  payload,
  response_code,
})

/** For a test about the mails of customers alone: the merchant gets none. */
export const WITHOUT_OWN_MAILS: Draft = { settings: { merchant_mails: { orders: false } } }

export async function openShop(app: TestApp, draft: Draft = {}): Promise<Shop> {
  const shop = await openShopAt(app, 'orders', draft)
  const { id, succeed } = shop
  const signingSecret = signingSecrets(app.db, app.clock)
  const owner: OrderOwner = {
    merchant_id: id,
    is_sandbox: true,
    addresses: await createOrderAddresses({ signingSecret }, ORIGIN),
  }
  const caller = { merchant_id: id, is_sandbox: true, isSecret: true } as PaymentRequest['caller']
  const events = async (order?: Order) => {
    const all = await app.db.many(selectEvents, { merchant_id: id })
    return order ? all.filter(({ payload }) => (payload as Order).id === order.id) : all
  }
  return {
    ...shop,
    owner,
    request: (payments) => ({
      db: app.db,
      clock: app.clock,
      payments: { credentials: NO_SEALING_KEY, ...payments },
      signal: new AbortController().signal,
      caller,
      origin: ORIGIN,
      lastingOrigin: ORIGIN,
      signingSecret,
    }),
    async order(more = {}, paidBy = 'card', other = {}) {
      app.clock.advance(1)
      const wanted = draftOf(more)
      const attemptId = newId('paymentAttempt', app.clock.now())
      const payment = paymentOf(wanted.total_due === 0 ? 'nothing' : paidBy, wanted.total_due, attemptId)
      if (payment?.gateway === 'test_gateway')
        await testJournal(app.db, app.clock).enter(id, attemptId, {
          state: payment.kind === 'charged' ? 'charged' : 'authorized',
          amount: payment.amount,
          currency: wanted.currency,
          details: {},
        })
      const whose = { ...owner, ...other }
      return app.db.transactionAfter(
        (db) => takeOrderNumber(db, whose),
        (tx, number) =>
          makeOrder(tx, app.clock, whose, orderDraft(wanted), payment, {
            attemptId,
            bodyDigest: Buffer.alloc(32),
            number,
          }),
      )
    },
    get: (orderId) => succeed<Order>(200, 'GET', `/${orderId}`),
    ship: (order, quantity = 1, more = {}) =>
      shop.call('POST', `/${order.id}/fulfillments/physical/shipments`, {
        items: [{ id: order.fulfillment.physical.items[0]?.id, quantity }],
        ...more,
      }),
    complete: (order, body = {}, transaction = order.transactions[0]?.id) =>
      shop.call('PUT', `/${order.id}/transactions/${transaction}`, { status: 'complete', ...body }),
    books: ({ transactions }) => {
      const key = transactions[0]?.gateway_transaction_id?.replace('test_', '')
      return selectRow<Books>(app.db, 'state, taken, refunded from test_charges', { merchant_id: id, key })
    },
    events,
    told: async (order) => (await events(order)).map(({ name }) => name),
  }
}

/** Marks every job of the shop as failed for good. */
export const giveUp = (app: TestApp, merchant_id: number) =>
  changeRows(app.db, 'update jobs set failed_at = :failed_at', { merchant_id }, { failed_at: app.clock.now() })

const selectJobs = sql<{ count: number }>`
  select count(*) from jobs
  where merchant_id = :merchant_id and kind like 'orders.%' and failed_at is null and due_at < :soon`

/** How many jobs of a shop's orders wait, but for what is looked at in a day. */
export async function waitingJobs(app: TestApp, merchant_id: number): Promise<number> {
  const soon = new Date(app.clock.now().getTime() + 3_600_000)
  return (await app.db.one(selectJobs, { merchant_id, soon })).count
}

/** Lets the worker run, when every job of the shop is due that is due soon, until none of these waits. */
export async function runOrderJobs(app: TestApp, merchant_id: number) {
  app.clock.advance(31)
  const worker = app.startJobs()
  for (let waited = 0; waited < 6_000 && (await waitingJobs(app, merchant_id)) > 0; waited++) {
    worker.poke()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await worker.stop()
  expect(await waitingJobs(app, merchant_id)).toBe(0)
}

type Refund = GatewayAdapter['refund']

/** Gateways that give money back as usual, unless `refund` says otherwise. */
export async function appWithRefunds(options: Partial<AppOptions> = {}) {
  const gateways: { refund: ((usual: Refund, request: RefundRequest) => ReturnType<Refund>) | null } = { refund: null }
  const app: TestApp = await testApp({
    trustProxy: () => true,
    ...options,
    findAdapter: (code) => {
      const usual = [manual, testGateway].find((gateway) => gateway.code === code)?.createAdapter?.(gatewayPorts(app))
      if (usual === undefined) return undefined
      return { ...usual, refund: (request) => gateways.refund?.(usual.refund, request) ?? usual.refund(request) }
    },
  })
  return { app, gateways }
}

export const NOT_FOUND = (thing = 'order') => missing(thing)
