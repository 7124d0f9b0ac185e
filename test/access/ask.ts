// Calls a route as a caller for certain objects, and lists objects of others to try.

import type { TestApp } from '../support/app.ts'
import { type Caller, isBySession } from './callers.ts'
import { type Ids, unknownOf } from './objects.ts'
import { methodOf, pathOf, type Row } from './table-row.ts'

export type Asked = {
  /** The customer whose token is used, and the objects in the path unless `target` differs. */
  readonly own: Ids
  readonly target?: Ids
  readonly version?: string
  readonly isHead?: boolean
}

export type Answered = { readonly status: number; readonly text: string; readonly headers: Record<string, unknown> }

/** Headers that differ with each request. */
const OF_ONE_REQUEST = new Set(['date', 'x-request-id'])

/** The only address that the app trusts as a proxy. */
export const PROXY = '10.0.0.1'

let bodies = 0

export async function ask(app: TestApp, row: Row, caller: Caller, asked: Asked): Promise<Answered> {
  const { own, target = own, version, isHead = false } = asked
  const { type, payload } = payloadOf(row, target)
  const response = await app.server.inject({
    method: isHead ? 'HEAD' : methodOf(row),
    url: `${isBySession(caller) ? '/dashboard/api' : ''}${addressOf(row, target)}`,
    remoteAddress: caller.isHttps ? PROXY : '127.0.0.1',
    headers: {
      ...(await caller.headers(own)),
      ...(caller.isHttps ? { 'x-forwarded-proto': 'https' } : {}),
      ...(version === undefined ? {} : { 'service-version': version }),
      ...(type === null ? {} : { 'content-type': type }),
    },
    ...(payload === null || isHead ? {} : { payload }),
  })
  const headers = Object.entries(response.headers).filter(([name]) => !OF_ONE_REQUEST.has(name))
  return { status: response.statusCode, text: response.body, headers: Object.fromEntries(headers) }
}

export function addressOf(row: Row, ids: Ids): string {
  const path = pathOf(row).replace(/:(\w+)|\*/g, (sign, name = sign) => {
    const value = row.literals[name] ?? ids[row.path[name] ?? '']
    if (value === undefined) throw new Error(`${row.route}: say in the table what ${name} is.`)
    return encodeURIComponent(value)
  })
  return row.query ? `${path}?${row.query(ids)}` : path
}

function payloadOf(row: Row, ids: Ids): { type: string | null; payload: string | Buffer | null } {
  if (row.bytes) return row.bytes()
  if (!row.body) return { type: null, payload: null }
  return { type: 'application/json', payload: JSON.stringify(row.body(ids, ++bodies)) }
}

/** Somebody else's object, and an unknown object: the responses must be the same. */
export type Pair = {
  readonly name: string
  readonly theirs: Ids
  readonly unknown: Ids
  readonly status: number
  /** True if the path names another customer. */
  readonly isOtherCustomer: boolean
}

export const hasObjects = ({ path, named }: Row) => Object.keys(path).length + Object.keys(named).length > 0

/** Replaces all objects by unknown ones. */
export const nothingOf = (row: Row, own: Ids): Ids => ({
  ...own,
  ...Object.fromEntries(objectsOf(row).map((what) => [what, unknownOf(own[what] ?? '')])),
})

const objectsOf = ({ path, named }: Row) => [...Object.values(path), ...Object.keys(named)]

/** `foreign`: objects of another merchant. `sibling`: other objects of the same merchant. */
export function pairsOf(row: Row, own: Ids, foreign: Ids, sibling: Ids): Pair[] {
  const inPath = Object.values(row.path)
  const pair = (name: string, whats: readonly string[], source: Ids, status: number): Pair => {
    const other = (value: (what: string) => string) => ({
      ...own,
      ...Object.fromEntries(whats.map((what) => [what, value(what)])),
    })
    return {
      name,
      theirs: other((what) => source[what] ?? ''),
      unknown: other((what) => unknownOf(own[what] ?? '')),
      status,
      isOtherCustomer: whats.includes('customer') && inPath.includes('customer'),
    }
  }
  return [
    ...inPath.map((what) => pair(`foreign ${what}`, [what], foreign, row.missing)),
    ...Object.entries(row.named).map(([what, status]) => pair(`foreign ${what}`, [what], foreign, status)),
    // An object of the same merchant that does not belong to its parent in the path.
    ...(row.isBearer ? [] : inPath.slice(1).map((what) => pair(`another's ${what}`, [what], sibling, row.missing))),
    ...Object.entries(row.alsoHidden).map(([what, hidden]) =>
      pair(`the ${hidden}`, [what], { [what]: own[hidden] ?? '' }, row.missing),
    ),
    ...(row.isBearer || inPath.length < 2 ? [] : [pair('foreign all', inPath, foreign, row.missing)]),
  ]
}
