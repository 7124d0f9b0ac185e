// Data that sandbox and live share, and who writes it, with the reason. Add new tables and fields here; shared-tables.test.ts checks it.

/**
 * `perMode`: each mode has its own. `byLive`: both modes see it, and only callers who may write live change it; catalogue and terms only
 * once a shop sells live. `harmless`: shared, but a sandbox key cannot change what live shoppers see or where they pay.
 */
export type Group = 'perMode' | 'byLive' | 'harmless'

type Entries = Readonly<Record<string, string>>

const each = (names: string, reason: string): Entries =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, reason]),
  )

export const TABLES: Readonly<Record<Group, Entries>> = {
  perMode: {
    ...each('cart_lines cart_looks', 'Belongs to a cart, which has a mode.'),
    ...each('checkout_lines', 'Belongs to a checkout token, which has a mode.'),
    ...each('customer_addresses customer_spending', 'Belongs to a customer, who has a mode.'),
    ...each(
      `downloads order_disputes order_history order_items order_refunds order_transactions shipment_items shipments`,
      'Belongs to an order, which has a mode.',
    ),
    ...each('held_stock test_charges', 'Belongs to an attempt to pay, which has a mode.'),
    ...each('deliveries', 'Belongs to a webhook, which has a mode.'),
    ...each('events', 'Its column `sandbox` is the mode; null for what both modes share.'),
    ...each('product_batch_entries', 'Belongs to a batch, which has a mode.'),
    ...each('provider_messages', 'Belongs to a gateway, which has a mode.'),
  },
  byLive: {
    ...each('merchants', "The shop's settings. `sandbox_own` holds those of the sandbox."),
    ...each(
      `assets attributes categories category_assets category_counts extra_fields option_assets product_assets product_attributes
       product_categories product_packages products related_products variant_assets variant_groups variant_options variants`,
      'The catalogue.',
    ),
    ...each(
      'discounts gift_cards shipping_methods shipping_zones tax_zones',
      'The terms. Uses and balances have a mode.',
    ),
  },
  harmless: {
    ...each('attempts decline_counters', 'Counts requests, guesses and declined payments, for limits.'),
    ...each('catalogue_stamps', 'A cache key: raised by every change, stock of either mode included.'),
    ...each(
      'dashboard_accounts dashboard_devices dashboard_links dashboard_sessions dashboard_waits',
      'The team and its sessions. No key reaches them, and only owners change the team.',
    ),
    ...each('holdings', 'Counts carts and tokens of a shop, for the sweeps.'),
    ...each('jobs', 'Work that waits. Each job names the mode that it is about.'),
    ...each('revisions schedules schema_migrations', "The service's own."),
    ...each(
      'session_keys signing_secrets',
      'Signs tokens and links of both modes; each names its mode. Nobody sets them.',
    ),
  },
}

/** Fields of PUT /v1/merchants. All are per mode: a sandbox key sets them for the sandbox only. */
export const SETTINGS: Readonly<Record<Group, Entries>> = {
  perMode: each(
    `name description business_name business_description support_email country logo cover logo_shape analytics tax allowed_origins version
     notifications colors address orders checkout time_zone`,
    'Shown to shoppers, mailed to, or led to: the sandbox has its own value over that of the shop.',
  ),
  byLive: {},
  harmless: each('currency', 'Cannot be changed.'),
}

/** Columns of live-visible rows that a sandbox may change. */
export const PASSED_OVER: Readonly<Record<string, readonly string[]>> = {
  merchants: ['sandbox_own', 'full_sandbox', 'updated_at'],
  // Written once a minute, by any request.
  api_keys: ['last_used_at'],
}

/** Totals of lists that both modes share, such as gateways. */
export const UNCOMPARED: ReadonlySet<string> = new Set(['kept_counts'])
