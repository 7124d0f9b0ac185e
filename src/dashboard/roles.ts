// Permissions of a shop's team: what each role may do, and in which mode. Each endpoint declares the permission that it needs.
// docs/dashboard.md lists all operations, and a test compares it.

import { apiSlices } from '../api/index.ts'
import type { Db } from '../db/db.ts'
import type { Caller, Permission, Role } from '../http/endpoint/endpoint.ts'
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

/** Roles and modes of each permission. */
const MODES = {
  see: { manager: 'both', packer: 'both', developer: 'both' },
  pack: { manager: 'both', packer: 'both', developer: 'sandbox' },
  read: { manager: 'both', packer: 'none', developer: 'both' },
  write: { manager: 'both', packer: 'none', developer: 'sandbox' },
  build: { manager: 'both', packer: 'none', developer: 'both' },
  set_up_payments: { manager: 'none', packer: 'none', developer: 'sandbox' },
  manage_keys: { manager: 'none', packer: 'none', developer: 'both' },
  manage_team: { manager: 'none', packer: 'none', developer: 'none' },
} as const satisfies Readonly<Record<Permission, ModesByRole>>

/** The permission that each operation needs, as its endpoint declares it. The operations listed here are not in a slice of the API. */
export const PERMISSIONS: ReadonlyMap<string, Permission> = new Map<string, Permission>([
  ...apiSlices.flatMap(({ endpoints }) =>
    endpoints.map(({ operation, permission }): [string, Permission] => [operation, permission]),
  ),
  // Only old clients call it (compat/sdk.ts).
  ['checkouts.protect', 'read'],
  ['team.invite', 'manage_team'],
  ['team.list', 'manage_team'],
  ['team.remove', 'manage_team'],
  ['team.update', 'manage_team'],
])

/** Modes in which a role may run an operation. Operations missing from the table are for owners only. */
export function allowedModesOf(role: Role, operation: string): AllowedModes {
  if (role === 'owner') return 'both'
  const permission = PERMISSIONS.get(operation)
  return permission === undefined ? 'none' : MODES[permission][role]
}

export function canRunOperation(role: Role, operation: string, is_sandbox: boolean): boolean {
  const reach = allowedModesOf(role, operation)
  return reach === 'both' || (reach === 'sandbox' && is_sandbox)
}

/** All operations that a role may run in a mode, sorted by name. */
export const operationsOf = (role: Role, is_sandbox: boolean): string[] =>
  [...PERMISSIONS.keys()].filter((operation) => canRunOperation(role, operation, is_sandbox)).sort()

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
