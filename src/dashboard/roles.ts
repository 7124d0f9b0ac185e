// Permissions of a shop's team: one table with every operation. docs/dashboard.md shows it, and a test keeps both complete.

import type { Db } from '../db/db.ts'
import type { Caller, Role } from '../http/endpoint/endpoint.ts'
import { ApiError } from '../lib/errors.ts'
import { findPeopleWithRoles } from './store.ts'

export const ROLES = ['owner', 'manager', 'packer', 'developer'] as const satisfies readonly Role[]

/**
 * Modes in which an operation is allowed. Data that both modes share may be changed from the sandbox only until the shop sells live. Secret
 * keys follow the same rule.
 */
type AllowedModes = 'both' | 'sandbox' | 'none'

/** Owners are missing, because they may do everything. */
type ModesByRole = Readonly<Record<Exclude<Role, 'owner'>, AllowedModes>>

/** Groups of operations with the same permissions. Each operation is in one group. */
const GROUPS = {
  /** Everything a packer needs: products, orders and customers. */
  see: { manager: 'both', packer: 'both', developer: 'both' },
  pack: { manager: 'both', packer: 'both', developer: 'sandbox' },
  /** Revenue, settings and integrations. */
  read: { manager: 'both', packer: 'none', developer: 'both' },
  write: { manager: 'both', packer: 'none', developer: 'sandbox' },
  build: { manager: 'both', packer: 'none', developer: 'both' },
  /** Gateways are set up with secrets of the shop. */
  gateways: { manager: 'none', packer: 'none', developer: 'sandbox' },
  /** The key endpoints limit developers further, to keys of the sandbox. */
  keys: { manager: 'none', packer: 'none', developer: 'both' },
  team: { manager: 'none', packer: 'none', developer: 'none' },
} as const satisfies Readonly<Record<string, ModesByRole>>

type Group = keyof typeof GROUPS

/** Operations of each group: the name before the dot, then the names after it. */
const OPERATIONS: Readonly<Record<Group, Readonly<Record<string, string>>>> = {
  see: {
    assets: 'get list list_uses',
    attributes: 'get list',
    categories: 'get list',
    customers: 'get get_address get_order list list_addresses list_orders',
    locale: 'list_countries list_shipping_countries list_shipping_subdivisions list_subdivisions',
    merchants: 'get',
    orders: 'get get_fulfillments get_package get_timeline list list_packages',
    products: 'get list',
    variant_groups: 'get list',
    variants: 'get list',
  },
  pack: {
    orders: 'add_note create_shipment delete_note resend_receipt update_item',
  },
  read: {
    carts: 'get list_lines',
    customers: 'get_spending',
    checkouts: 'fields get live location_from_ip protect receipt shipping_options validation',
    discounts: 'export get list',
    gateways: 'get list list_types test',
    giftcards: 'export get list list_entries',
    orders: 'export',
    products: 'export get_batch',
    reports: 'overview products stock',
    shipping_zones: 'for_address get list',
    tax_zones: 'get list',
  },
  write: {
    assets: 'create delete update',
    attributes: 'create delete update',
    carts: 'add create delete empty remove_line update update_line',
    categories: 'create delete update',
    checkouts: `
      capture check_discount check_giftcard check_is_free check_pay_what_you_want check_quantity check_shipping check_variant create set_tax_zone
      update`,
    customers: `
      create create_address delete delete_address email_token exchange_token issue_session issue_token update update_address`,
    discounts: 'create delete update',
    giftcards: 'create delete update',
    merchants: 'update',
    orders: 'cancel preview_refund refund update update_package update_transaction',
    products: 'add_assets create create_batch delete import replace_assets update',
    shipping_zones: 'create delete update',
    tax_zones: 'create delete update',
    variant_groups: 'create delete update',
    variant_options: 'create delete update',
    variants: 'create delete generate update',
  },
  build: {
    developer: 'get_log get_mail list_logs list_mails mail_setup preview_mail test_mail',
    events: 'get list resend',
    versions: 'list',
    webhooks: `
      answer_delivery create delete get get_delivery list list_arrivals list_deliveries pull replay replay_delivery rotate test update`,
  },
  gateways: { gateways: 'create delete update' },
  keys: { keys: 'create list revoke' },
  team: { team: 'invite list remove update' },
}

/** The group of each operation. */
export const OPERATION_GROUPS: ReadonlyMap<string, Group> = new Map(
  Object.entries(OPERATIONS).flatMap(([kind, resources]) =>
    Object.entries(resources).flatMap(([resource, verbs]) =>
      verbs
        .trim()
        .split(/\s+/)
        .map((verb) => [`${resource}.${verb}`, kind as Group] as const),
    ),
  ),
)

/** Modes in which a role may run an operation. Operations missing from the table are for owners only. */
export function allowedModesOf(role: Role, operation: string): AllowedModes {
  if (role === 'owner') return 'both'
  const kind = OPERATION_GROUPS.get(operation)
  return kind === undefined ? 'none' : GROUPS[kind][role]
}

export function canRunOperation(role: Role, operation: string, is_sandbox: boolean): boolean {
  const reach = allowedModesOf(role, operation)
  return reach === 'both' || (reach === 'sandbox' && is_sandbox)
}

/** All operations that a role may run in a mode, sorted by name. */
export const operationsOf = (role: Role, is_sandbox: boolean): string[] =>
  [...OPERATION_GROUPS.keys()].filter((operation) => canRunOperation(role, operation, is_sandbox)).sort()

const NOBODY: readonly Role[] = []

/** The error names the roles that may, and people who have one, so the reader knows whom to ask. */
export async function refuseRole(db: Db, operation: string, caller: Caller): Promise<void> {
  const { account, is_sandbox } = caller
  if (account === undefined || canRunOperation(account.role, operation, is_sandbox)) return
  const roles = ROLES.filter((role) => canRunOperation(role, operation, is_sandbox))
  const people = await findPeopleWithRoles(db, caller, roles.length === 0 ? NOBODY : roles)
  const mode = allowedModesOf(account.role, operation) === 'sandbox' ? ' with live data' : ''
  throw new ApiError(403, 'forbidden', `As ${account.role} you may not do this${mode}: ${joinRoles(roles)} may.`, {
    shown: {
      may: { roles, people: people.map(({ name, email, role }) => ({ name: name === '' ? email : name, role })) },
    },
  })
}

const joinRoles = (roles: readonly Role[]): string =>
  roles.length < 2 ? roles.join('') : `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`
