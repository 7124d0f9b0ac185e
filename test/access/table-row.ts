// What a row of the access table says of a route, and short ways to write one.

import type { FamilyName, Ids } from './objects.ts'

/**
 * `public`: any key. `secret`: the secret key alone. `customer`: the secret key, or the token of the customer in the address. `open`: no
 * key, and browsers may ask from anywhere. `plain`: no key, and not for the scripts of other sites. `session`: a session of the dashboard, and no
 * key. Where a key is asked for, a session of the dashboard may call too, as far as its role goes.
 */
export type Access = 'public' | 'secret' | 'customer' | 'session' | 'open' | 'plain'

export type Row = {
  readonly route: string
  readonly access: Access
  /** What is made for it: an object, with those that it hangs on. */
  readonly of?: FamilyName
  /** Which of those each parameter of the path names. */
  readonly path: Readonly<Record<string, string>>
  /** Parameters of the path that are no objects. */
  readonly literals: Readonly<Record<string, string>>
  /** Objects that the body or the query names, and the status when one is unknown. */
  readonly named: Readonly<Record<string, number>>
  readonly query?: (ids: Ids) => string
  /** The least that is accepted, so that nothing but the access can refuse it. */
  readonly body?: (ids: Ids, count: number) => Record<string, unknown>
  /** Sent as it is instead of a body in JSON. */
  readonly bytes?: () => { type: string; payload: Buffer | string }
  readonly served: number
  /** The status for an object that is foreign or unknown. */
  readonly missing: number
  /** A GET without a HEAD: it creates or saves. */
  readonly hasHead: boolean
  /** The answer changes something. */
  readonly changes: boolean
  /** The answer uses the object up, so that each caller needs one of its own. */
  readonly isSpent: boolean
  /** A list or a record that each mode has of its own; objects know it by their family. */
  readonly isSplit: boolean
  /** Only for the sandbox: what a live key is told. */
  readonly refusesLive?: string
  /** Further objects of the same merchant that are to be hidden, by what they are asked for instead of. */
  readonly alsoHidden: Readonly<Record<string, string>>
  /** What is refused for an object counts as a guess, and ten in a minute are the end: each is asked for a minute later. */
  readonly isCounted: boolean
  /** Whoever knows the whole address may use it, whichever merchant it names. */
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

/** A GET of carts and checkouts: no cache keeps it and no HEAD goes with it. */
export const unstored = (route: string, details?: Details) => row('public', route, { hasHead: false, ...details })

export const methodOf = ({ route }: Row) => route.slice(0, route.indexOf(' ')) as 'GET' | 'POST' | 'PUT' | 'DELETE'
export const pathOf = ({ route }: Row) => route.slice(route.indexOf(' ') + 1)
