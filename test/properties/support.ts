// One app with two shops, and every operation with its row of the access table. Property tests derive their cases from the schemas.

import type { TProperties } from 'typebox'
import { slices } from '../../src/app.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { addressOf, PROXY } from '../access/ask.ts'
import { type Ids, openWorld } from '../access/objects.ts'
import { TABLE } from '../access/table.ts'
import type { Row } from '../access/table-row.ts'
import { Browser } from '../dashboard/support.ts'
import { type Answer, testApp } from '../support/app.ts'

export type Operation = {
  readonly name: string
  readonly route: string
  readonly endpoint: Endpoint
  readonly row: Row
}

export type Body = Record<string, unknown>

export type Sent = {
  readonly ids?: Ids
  readonly body?: unknown
  readonly query?: string
  readonly headers?: Record<string, string>
  /** The default is the shop's secret key, or the owner's session if the operation accepts no key. */
  readonly key?: string
}

export const endpoints: readonly Endpoint[] = slices.flatMap((slice) => slice.endpoints)

export const operations: readonly Operation[] = endpoints.map((endpoint) => {
  const route = `${endpoint.method} ${endpoint.path}`
  const row = TABLE.find((each) => each.route === route)
  if (row === undefined) throw new Error(`${route} is missing in test/access/table.ts.`)
  return { name: endpoint.operation, route, endpoint, row }
})

/** For `it.each`: the name comes first, for the title. */
export const titled = (chosen: readonly Operation[]) => chosen.map((operation) => [operation.name, operation] as const)

export const fieldsOf = ({ endpoint }: Operation): TProperties => (endpoint.body?.properties ?? {}) as TProperties

export type Shop = Awaited<ReturnType<typeof openProperties>>

export async function openProperties() {
  const app = await testApp({ trustProxy: [PROXY] })
  const world = await openWorld(app)
  const owner = new Browser(app)
  await owner.logIn(world.shop.dashboard.email, world.shop.dashboard.password)
  let bodies = 0

  const bodyOf = ({ row }: Operation, ids: Ids): Body => row.body?.(ids, ++bodies) ?? {}

  const send = async (operation: Operation, sent: Sent = {}): Promise<Answer> => {
    const { endpoint, row } = operation
    const { ids = {}, query, headers = {}, key = world.shop.keys.sandbox.secret } = sent
    const body = endpoint.method === 'GET' || endpoint.method === 'DELETE' ? undefined : sent.body
    const path = addressOf(query === undefined ? row : { ...row, query: () => query }, ids)
    if (endpoint.access === 'session')
      return owner.send(endpoint.method, `/dashboard/api${path}`, { body, headers, mode: 'sandbox' })
    return app.call(endpoint.method, path, { key, headers, ...(body === undefined ? {} : { body }) })
  }

  return {
    app,
    world,
    key: world.shop.keys.sandbox.secret,
    send,
    /** The smallest body that the operation accepts. It differs with every call if two equal ones would collide. */
    bodyOf,
    /** Creates new objects for a request of the operation. */
    newIds: ({ row }: Operation): Promise<Ids> => (row.of ? world.make(row.of) : Promise.resolve({})),
    /** Shared objects, for operations that change nothing. */
    sharedIds: ({ row }: Operation): Promise<Ids> => (row.of ? world.shared(row.of) : Promise.resolve({})),
  }
}
