// The rule that one slice or module writes each table. Other code calls the owner's store, or embeds an SQL fragment that the owner's store
// exports. The embedding statement counts as the writer, so GUESTS lists it with a reason.

import { parseSync } from 'libpg-query'
import { isTree, textAt } from '../tenancy/tree.ts'
import { roomOf, words } from './source.ts'

/** `path`: the declaring file, relative to src. */
export type Declared = { name: string; text: string; path: string }

/** Tables that each slice or module writes. */
export type Owners = Readonly<Record<string, string>>

/** Statements outside the owner that write its tables, with the reason. */
export type Guest = { tables: string; room: string; statements: string; reason: string }

export const OWNERS: Owners = {
  assets: 'assets',
  attributes: 'attributes',
  capture: 'capture_attempts decline_counters held_stock payment_references',
  carts: 'carts cart_lines cart_looks',
  catalogue: 'catalogue_stamps',
  categories: 'categories category_assets category_counts',
  checkouts: 'checkouts checkout_lines',
  customers: 'customers customer_addresses login_tokens',
  dashboard: 'dashboard_accounts dashboard_sessions dashboard_devices dashboard_links dashboard_waits',
  // The counting fragment is part of each statement that adds or deletes rows.
  db: 'kept_counts',
  discounts: 'discounts discount_uses usable_discounts',
  // One statement writes an event and its deliveries.
  events: 'events deliveries',
  fulfillment: 'order_items downloads shipments shipment_items',
  gateways: 'test_charges',
  'gift-cards': 'gift_cards gift_card_balances gift_card_entries',
  http: 'idempotency_keys',
  jobs: 'jobs schedules',
  keys: 'session_keys signing_secrets',
  limits: 'attempts',
  mail: 'mails',
  merchants: 'merchants api_keys revisions',
  orders: 'orders order_counters order_digests order_history',
  'payment-methods': 'deleted_payment_methods payment_methods',
  payments: 'order_transactions order_refunds order_disputes',
  'provider-messages': 'provider_messages',
  products: `
    products product_categories product_assets product_attributes product_packages extra_fields related_products
    variant_groups variant_options option_assets variants variant_assets stock product_batches product_batch_entries`,
  reports: 'order_days sales_days customer_spending',
  'request-log': 'request_log',
  retention: 'holdings',
  shipping: 'shipping_zones shipping_methods',
  tax: 'tax_zones',
  webhooks: 'webhooks',
}

const MAKES_THE_ORDER = 'An order comes into being with all that belongs to it in one statement.'
const TELLS_OF_IT =
  'The event of a new order is part of the statement that makes it, and so are its deliveries: they exist exactly when the order does.'
const STORES_THE_STATUS = 'What is paid and fulfilled is derived, and stored with its cause in one statement.'
const COUNTS_A_GUESS = 'The guess is counted by the statement that looks the secret up, so that none is free.'
const GOES_TOGETHER = 'The oldest go together with what belongs to them; deleting is all that retention does.'

export const GUESTS: readonly Guest[] = [
  {
    tables: 'dashboard_accounts',
    room: 'merchants',
    statements: 'merchants.insert_dashboard_account',
    reason: 'A shop is opened with its owner, and merchants come before the dashboard.',
  },
  {
    tables: 'order_transactions order_items downloads jobs events',
    room: 'orders',
    statements: 'orders.insert',
    reason: MAKES_THE_ORDER,
  },
  { tables: 'deliveries', room: 'orders', statements: 'orders.insert', reason: TELLS_OF_IT },
  { tables: 'customers', room: 'orders', statements: 'orders.begin', reason: MAKES_THE_ORDER },
  {
    tables: 'orders',
    room: 'fulfillment',
    statements: 'orders.insert_shipment orders.update_item orders.update_download',
    reason: STORES_THE_STATUS,
  },
  {
    tables: 'orders',
    room: 'payments',
    statements: 'orders.update_transaction orders.settle_refunds orders.write_dispute orders.keep',
    reason: STORES_THE_STATUS,
  },
  {
    tables: 'downloads',
    room: 'payments',
    statements: 'orders.update_transaction',
    reason: 'What is paid may be downloaded from that moment on.',
  },
  {
    tables: 'orders',
    room: 'reports',
    statements: 'sales.mark spending.mark',
    reason: 'What is counted of an order is noted with the counting: in one transaction, or it could be counted twice.',
  },
  { tables: 'attempts', room: 'discounts', statements: 'discounts.guess_usable', reason: COUNTS_A_GUESS },
  { tables: 'attempts', room: 'gift-cards', statements: 'gift_cards.guess_usable', reason: COUNTS_A_GUESS },
  { tables: 'attempts', room: 'customers', statements: 'customers.use_login_token', reason: COUNTS_A_GUESS },
  {
    tables: 'carts',
    room: 'retention',
    statements: 'quotas.delete_oldest_carts quotas.delete_forgotten_carts quotas.delete_oldest_deleted_carts',
    reason: GOES_TOGETHER,
  },
  {
    tables: 'checkouts',
    room: 'retention',
    statements: `
      quotas.delete_oldest_checkouts quotas.delete_forgotten_checkouts quotas.delete_oldest_orders
      sweep.sandbox_orders`,
    reason: GOES_TOGETHER,
  },
  {
    tables: 'orders capture_attempts',
    room: 'retention',
    statements: 'quotas.delete_oldest_orders sweep.sandbox_orders',
    reason: GOES_TOGETHER,
  },
  {
    tables: 'capture_attempts',
    room: 'provider-messages',
    statements: 'provider_messages.note provider_messages.hasten',
    reason: 'A message is noted and hastens its attempt in one statement: many come at once.',
  },
  { tables: 'customers', room: 'retention', statements: 'quotas.delete_oldest_orders', reason: GOES_TOGETHER },
  {
    tables: 'order_transactions',
    room: 'orders',
    statements: 'orders.cancel',
    reason: 'A cancelled order keeps no charge that waits: both change in one statement.',
  },
  {
    tables: 'stock',
    room: 'capture',
    statements: 'capture.begin_whole_attempt capture.take_stock capture.give_stock_back',
    reason:
      'What is taken from stock is noted as held in the same statement. The fragments that write stock are those of products.',
  },
  {
    tables: 'orders',
    room: 'customers',
    statements: 'customers.vouch_for_email customers.use_login_token',
    reason:
      'A customer who proves an address is shown the orders made with it from that moment on; customers come before orders.',
  },
]

export function tableProblems(declared: readonly Declared[], owners = OWNERS, guests = GUESTS): string[] {
  const ownerOf = new Map(
    Object.entries(owners).flatMap(([room, tables]) => words(tables).map((table) => [table, room])),
  )
  const writes = declared.flatMap(({ name, text, path }) =>
    writtenBy(text).map((table) => ({ name, path, table, room: roomOf(path) })),
  )
  const hasGuest = ({ name, table, room }: (typeof writes)[number]) =>
    guests.some(
      (guest) => guest.room === room && words(guest.tables).includes(table) && words(guest.statements).includes(name),
    )
  const problems = writes.flatMap((write) => {
    const { name, path, table, room } = write
    const owner = ownerOf.get(table)
    if (owner === undefined) return `${table} has no owner: say in test/architecture/tables.ts which room writes it.`
    if (owner === room || owner === 'db' || hasGuest(write)) return []
    return `${path}: ${name} writes ${table}, which belongs to ${owner}. Call a function of ${owner}'s store, or embed the fragment it exports and list the statement in test/architecture/tables.ts.`
  })
  const idleOwners = [...ownerOf.keys()]
    .filter((table) => !writes.some((write) => write.table === table))
    .map((table) => `${table} is written by no statement: take it out of OWNERS in test/architecture/tables.ts.`)
  const idleGuests = guests.flatMap(({ tables, room, statements }) =>
    words(tables).flatMap((table) =>
      words(statements)
        .filter((name) => !writes.some((write) => write.name === name && write.table === table && write.room === room))
        .map(
          (name) => `${name} of ${room} does not write ${table}: take it out of GUESTS in test/architecture/tables.ts.`,
        ),
    ),
  )
  return [...new Set([...problems, ...idleOwners, ...idleGuests])]
}

const WRITES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'TruncateStmt']

/** Returns the tables that a text inserts into, updates or deletes from, at any depth. */
export function writtenBy(text: string): string[] {
  return [...new Set(targetsIn(parseSync(text)))]
}

function targetsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(targetsIn)
  if (!isTree(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(WRITES.includes(key) && isTree(inner) ? relationsOf(inner) : []),
    ...targetsIn(inner),
  ])
}

function relationsOf({ relation, relations }: { readonly [key: string]: unknown }): string[] {
  if (isTree(relation)) return [textAt(relation, 'relname')]
  return Array.isArray(relations)
    ? relations.filter(isTree).map((each) => textAt(each.RangeVar as never, 'relname'))
    : []
}
