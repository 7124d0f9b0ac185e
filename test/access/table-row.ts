// The fields of a row in the access table, and short ways to write one.

import type { FamilyName, Ids } from './objects.ts'

/**
 * `public`: any key. `secret`: only the secret key. `customer`: the secret key, or the token of the customer in the path. `open`: no key,
 * and browsers may call from any site. `plain`: no key, and not for scripts of other sites. `session`: a dashboard session, and no key.
 * Routes that need a key also accept a dashboard session, within its role.
 */
export type Access = 'public' | 'secret' | 'customer' | 'session' | 'open' | 'plain'

export type Row = {
  readonly route: string
  readonly access: Access
  /** The family of objects to create for it. */
  readonly of?: FamilyName
  /** The object that each path parameter names. */
  readonly path: Readonly<Record<string, string>>
  /** Path parameters that are no objects. */
  readonly literals: Readonly<Record<string, string>>
  /** Objects that the body or the query names, and the status if one is unknown. */
  readonly named: Readonly<Record<string, number>>
  readonly query?: (ids: Ids) => string
  /** The smallest valid body, so that only the access rules can refuse it. */
  readonly body?: (ids: Ids, count: number) => Record<string, unknown>
  /** Sent as raw bytes instead of a JSON body. */
  readonly bytes?: () => { type: string; payload: Buffer | string }
  readonly served: number
  /** Status for a foreign or unknown object. */
  readonly missing: number
  /** False for a GET without a HEAD, because it creates or saves something. */
  readonly hasHead: boolean
  /** True if the request changes something. */
  readonly changes: boolean
  /** True if the request uses the object up, so that each caller needs a new one. */
  readonly isSpent: boolean
  /** True for a list or record that each mode has separately; objects are split by family. */
  readonly isSplit: boolean
  /** For sandbox-only routes: the error message for a live key. */
  readonly refusesLive?: string
  /** Other objects of the same merchant that must stay hidden, by the object that they replace. */
  readonly alsoHidden: Readonly<Record<string, string>>
  /** True if refusals count as guesses. Only ten a minute are allowed, so the test resets the count. */
  readonly isCounted: boolean
  /** True if knowing the whole URL grants access, whichever merchant it names. */
  readonly isBearer: boolean
}

export type Details = Partial<Omit<Row, 'route' | 'access'>>

export function row(access: Access, route: string, details: Details = {}): Row {
  const isRead = route.startsWith('GET ')
  return {
    route,
    access,
    path: {},
    literals: {},
    named: {},
    served: 200,
    missing: 404,
    hasHead: isRead,
    changes: !isRead,
    isSpent: route.startsWith('DELETE '),
    isSplit: false,
    alsoHidden: {},
    isCounted: false,
    isBearer: false,
    ...details,
  }
}

export const secret = (route: string, details?: Details) => row('secret', route, details)
export const open = (route: string, details?: Details) => row('public', route, details)
export const session = (route: string, details?: Details) => row('session', route, details)
export const customer = (route: string, details?: Details) => row('customer', route, details)

/** A GET of carts and checkouts: it is not cached and has no HEAD. */
export const unstored = (route: string, details?: Details) => row('public', route, { hasHead: false, ...details })

export const methodOf = ({ route }: Row) => route.slice(0, route.indexOf(' ')) as 'GET' | 'POST' | 'PUT' | 'DELETE'
export const pathOf = ({ route }: Row) => route.slice(route.indexOf(' ') + 1)
