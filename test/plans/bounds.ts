// Limits of the rows that a statement may visit in any node of its plan: one row by its key, unless it is listed here with a reason.

import { VARIANTS } from './many-variants.ts'

/**
 * Rows of the large shop in each table that grows. With 100,000 (`npm run proof:plans`) the run takes two minutes more. A twentieth finds
 * an extra row as well, since bounds do not grow with the tables.
 */
export const ROWS = Number(process.env.PLANS_ROWS ?? 5_000)

export const PAGE = 20
export const BATCH = 100
export const SHOPS = 10
/** Lines of a cart, a checkout token or an order. */
const LINES = 3
/** Options of a group, and of a product. */
const OPTIONS = 3
/** Categories of a product: twelve, and the small one of full-tables.ts. */
const CATEGORIES = 13
/** Pictures of a product. */
const PICTURES = 2
const SESSION_KEYS = 3
/** Members of a shop's team. */
export const PEOPLE = 12
/** Webhooks of a shop in each mode, and the number of modes. */
const WEBHOOKS = 3
const MODES = 2
/** Rows that a page of a filtered list by key may visit. */
export const REACH = 2_000
/** Low-stock items to search for active products. */
const LOW_REACH = 1_000
const NEWEST_MAILS = 50
const MIGRATIONS = 100
const TABLES_AND_INDEXES = 500
/** Running payment attempts that hold the same thing. */
const OPEN = 5
/** Both ends of an index, or a table and its companion, or an old row version that was not vacuumed yet. */
const TWICE = 2

/** One row by its key, and the one that is read or written with it. */
export const LOOK_UP = TWICE
const PARTS = TWICE * Math.max(LINES, OPTIONS)
const THING = TWICE * LINES * OPTIONS
const WHOLE_PAGE = PAGE * Math.max(LINES, OPEN)
const ONE_MORE = PAGE + 1

/** `statements`: names, separated by whitespace. */
type Bound = readonly [most: number, because: string, statements: string]

const BOUNDS: readonly Bound[] = [
  [
    TWICE * MODES * WEBHOOKS,
    'Each webhook of the shop, of both modes: whether it wants the event, or has a delivery of it. There are 20 of a mode at most.',
    'events.find events.insert orders.insert webhooks.count webhooks.list webhooks.list_on',
  ],
  [
    PARTS,
    'A cart, an order, a token or a product, with its lines, or its options.',
    `capture.find_held capture.finish_attempt carts.empty carts.find carts.join_lines carts.remove_line
      carts.settle_looks checkouts.find_chosen checkouts.find_in_cart checkouts.find_of_cart lines.find_combinations
      lines.find_goods export.find_rows orders.find orders.find_by_checkout orders.find_many orders.find_of_customer
      orders.insert_shipment products.clear_variant_options products.count_variants products.delete_variant_option
      products.find_stamp products.find_stamp_by_permalink products.find_stamp_by_sku products.find_variant
      products.find_variant_groups products.find_variants products.touch_variants`,
  ],
  [
    THING,
    'The same, with what each line or option names: its product, its stock, its price.',
    `capture.give_stock_back carts.find_with_wish checkouts.find checkouts.find_capture_facts checkouts.find_terms
      stock.find_restock_places stock.restock`,
  ],
  [
    TWICE * PEOPLE,
    'The team of a shop, or an address with the shops that it is of; and the sessions of one account.',
    `dashboard_accounts.list_by_email dashboard_accounts.list_members dashboard_accounts.list_with_roles
      dashboard_accounts.lock_by_email dashboard_accounts.lock_team dashboard_devices.delete_of_account
      dashboard_links.delete_of_account dashboard_sessions.delete_oldest dashboard_sessions.delete_others
      dashboard_sessions.list merchants.find_password_hash`,
  ],
  [
    TWICE * VARIANTS,
    'Each variant of a product, when one or a group has changed: whether it is valid, and has stock of its own.',
    'products.find_variant_validity products.tell_variants',
  ],
  [CATEGORIES, 'A product, with its options and its categories.', 'products.find products.find_many'],
  [
    TWICE * SESSION_KEYS,
    'The keys that sessions are signed with, old ones included, are few, and read as a whole.',
    'session_keys.delete_others session_keys.delete_replaced session_keys.insert_unless_young session_keys.list',
  ],
  [
    TWICE * CATEGORIES,
    'The tree of categories is small, and read as a whole.',
    `categories.known categories.list categories.list_children categories.list_top categories.lock_tree
      categories.measure_depth categories.place categories.read categories.read_slug categories.release
      categories.way_up`,
  ],
  [
    ONE_MORE,
    'A page, and the row that tells whether there is another.',
    `assets.list assets.list_newest assets.list_unreachable attributes.list customer_addresses.list
      deliveries.delete_of_webhook deliveries.list_of_state deliveries.replay_many deliveries.skip_line
      deliveries.take_line events.list_of_order merchants.list_keys merchants.list_keys_in_use orders.list_history
      payment_methods.list shipping.list_zones tax.list_zones`,
  ],
  [
    WHOLE_PAGE,
    'A page. It is read from the index only, where entries of orders that were decided about lately are looked up and passed over.',
    'orders.list_unpaid',
  ],
  [
    WHOLE_PAGE,
    'A page of things, each with what belongs to it.',
    'gift_cards.export gift_cards.list products.list_variants',
  ],
  [
    TWICE * BATCH,
    'A batch of what is due, old or too much, at both ends of an index, with what goes with each of it.',
    `capture.find_due_attempts capture.find_old_drafts carts.find_due_looks carts.find_made carts.note_looks
      deliveries.find_due reports.list_products sales.find_due spending.find_due jobs.count_waiting jobs.find_by_shop
      jobs.find_due payment_methods.list_deleted_of_all payment_methods.list_of_all quotas.count_carts
      quotas.count_sandbox quotas.delete_oldest_carts quotas.delete_oldest_checkouts
      quotas.delete_oldest_deleted_carts quotas.delete_oldest_orders quotas.find_shops_by_orders
      quotas.find_shops_by_carts quotas.find_shops_by_tokens quotas.raise_ceiling sweep.attempts_found
      sweep.capture_attempts_found sweep.carts_found sweep.checkouts_found sweep.decline_counters_found
      sweep.dashboard_devices_found sweep.dashboard_links_found sweep.dashboard_sessions_found
      sweep.dashboard_waits_found sweep.deliveries_found sweep.events_found sweep.failed_jobs_found
      sweep.find_pending_assets sweep.find_sandbox_customers sweep.find_sandbox_orders sweep.idempotency_keys_found
      sweep.login_tokens_found sweep.mails_found sweep.open_cancels sweep.deleted_payment_methods_found
      sweep.product_batches_found sweep.provider_messages_found sweep.released_attempts_found sweep.undecided_payments
      test_charges.delete_old_found webhooks.find_lines webhooks.list_failing webhooks.list_of_all`,
  ],
  [
    REACH,
    'A filtered page of a list by key: so many rows are looked at, then it says where to go on.',
    `capture.count_recent_attempts deliveries.list deliveries.list_of_object webhooks.list_arrivals events.list
      events.list_of_object events.list_of_request`,
  ],
  [
    LOW_REACH,
    'What a shop is to do is counted up to a hundred, what is not counted yet up to five hundred, and goods that run out are looked for among a thousand.',
    'reports.list_stock reports.overview',
  ],
  [
    BATCH,
    'As many requests as it is told to look at, whatever they are filtered by.',
    'request_log.count_by_version request_log.list',
  ],
  [BATCH, 'A batch with all its entries, of which there are 20 here.', 'products.find_batch'],
  [Number.POSITIVE_INFINITY, 'Whatever shows a file is counted.', 'assets.find_uses'],
  [PAGE, 'The next entries of a batch that wait.', 'products.list_waiting_entries'],
  [
    NEWEST_MAILS,
    'The newest mails of the sandbox, among which one that is not of a new order is looked for.',
    'mails.find_newest',
  ],
  [
    SHOPS,
    "An operator's list of all shops; of those whose sandbox is full.",
    'merchants.list_all quotas.find_full_shops',
  ],
  [
    TWICE * SHOPS,
    'The shops that it is told, each in both modes: one order of each, if there is one.',
    'sweep.merchants_with_due_orders',
  ],
  [MIGRATIONS, 'The migrations that there are.', 'migrations.list_applied'],
  [TABLES_AND_INDEXES, 'The tables that there are, and their indexes.', 'growth.read_sizes'],
]

/** Lists with SQL built per request; their names show the filters. */
const LISTS: readonly (readonly [most: number, because: string, members: RegExp])[] = [
  [
    Number.POSITIVE_INFINITY,
    'Of what is nearly gone each item is looked at, and a product may have a thousand.',
    /^products\.list_(\w+_)?l(_[pb])?$/,
  ],
  [
    TWICE * PICTURES * ROWS,
    'Nothing tells which products have no picture but a look at all; each table is read once.',
    /^products\.list_\w+_[pb]$/,
  ],
  [Number.POSITIVE_INFINITY, 'A table of products shows all that match, however many.', /^products\.ids_\w+$/],
  [
    WHOLE_PAGE,
    'A list of products tells in which state each is, which hangs on its options and stock.',
    /^products\.list_(sort_order|name|price|created)_(asc|desc)(_\w+)?$/,
  ],
  [ONE_MORE, 'A page of orders.', /^orders\.(live|test|own)_(asc|desc)(_\w+)?$/],
  [
    TWICE * ONE_MORE,
    'A part of an export, and what is thrown away of it: cancelled orders, old versions of rows. It tells no total by which these could be known.',
    /^export\.(live|test)_(asc|desc)(_\w+)?$/,
  ],
  [ONE_MORE, 'A page of customers.', /^customers\.list_(live|test)_(asc|desc)(_\w+)?$/],
  [ONE_MORE, 'A page of codes.', /^discounts\.(list|export)(_text)?(_expired|_current)?$/],
  [
    WHOLE_PAGE,
    'A page of gift cards, each with what is held of it, or of what moved one.',
    /^gift_cards\.((list|export)_text|list_entries)$/,
  ],
  [ONE_MORE, 'A page of mails.', /^mails\.list(_to)?$/],
]
const FILTERS =
  /_(id|ids|text|start|open|gone|pay|ship|payment|goods|customer|after|before|in|slug|in_all|slugs|expired|current|to|entries|a\d|l|p|b)(_|$)/

const listOf = (name: string) => LISTS.find(([, , members]) => members.test(name))

/** True for a list that shows only some rows. Its total is counted, while the total of an unfiltered list is stored. */
export const isFiltered = (name: string): boolean =>
  listOf(name) !== undefined && (FILTERS.test(name) || name.startsWith('orders.own'))

const written = BOUNDS.flatMap(([most, , statements]) =>
  statements
    .trim()
    .split(/\s+/)
    .map((name) => [name, most] as const),
)
const byName = new Map<string, number>(written)

/** `matches`: rows that a filtered list matches. Each may be visited once for the total and once for the page. */
export function boundOf(name: string, matches: number): number {
  const [most] = listOf(name) ?? []
  if (most !== undefined) return most + (isFiltered(name) ? TWICE * matches : 0)
  return byName.get(name) ?? LOOK_UP
}

/** Returns sentences about bounds of unknown statements, and about statements with two bounds. */
export function wrongBounds(known: ReadonlySet<string>): string[] {
  const names = written.map(([name]) => name)
  const again = names.filter((name, place) => names.indexOf(name) !== place || listOf(name))
  return [
    ...names.filter((name) => !known.has(name)).map((name) => `${name} has a bound in bounds.ts, but no longer exists`),
    ...again.map((name) => `${name} has two bounds in bounds.ts`),
  ]
}
