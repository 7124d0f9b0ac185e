// Every plain resource has the same life cycle, from create to gone. Each change and its one event are stored together.

import { afterEach, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { EVENTS } from '../../src/events/catalogue.ts'
import type { Ids } from '../access/objects.ts'
import { stateReader } from '../access/state.ts'
import { eventsOf, unixNow } from '../support/shop.ts'
import { type Operation, openProperties, operations } from './support.ts'

const shop = await openProperties()
const { app, world } = shop

/** Deletable things that are not plain resources, each with the tests that cover them. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  'keys.revoke': 'A key is shown once: test/api/keys.',
  'variant_options.delete': 'Its group shows it: test/api/products.',
  'carts.delete': 'A GET creates it: test/api/carts.',
  'carts.empty': 'It deletes the lines of a cart: test/api/carts.',
  'carts.remove_line': 'It deletes a line of a cart: test/api/carts.',
  'orders.delete_note': 'The timeline shows it: test/api/orders.',
}

type Resource = { create: Operation; list: Operation; get: Operation; update: Operation; remove: Operation }

const at = (route: string): Operation => {
  const operation = operations.find((each) => each.route === route)
  if (operation === undefined) throw new Error(`There is no ${route}: say in NOT_PLAIN why.`)
  return operation
}

const resources = operations
  .filter(({ endpoint, name }) => endpoint.method === 'DELETE' && !(name in NOT_PLAIN))
  .map((remove): [string, Resource] => {
    const { path } = remove.endpoint
    const all = path.replace(/\/:\w+$/, '')
    return [
      remove.name.replace(/[._]delete.*/, ''),
      { create: at(`POST ${all}`), list: at(`GET ${all}`), get: at(`GET ${path}`), update: at(`PUT ${path}`), remove },
    ]
  })

/** The resource that the last path parameter names, such as `attribute`. */
const idNameOf = ({ remove: { row, endpoint } }: Resource) => row.path[endpoint.path.split('/:').at(-1) ?? ''] ?? ''

const parentsFor = async ({ create: post, remove }: Resource): Promise<Ids> => ({
  ...(await shop.newIds(remove)),
  ...(await shop.newIds(post)),
})

/** Creates an object through the API; returns its ids and those of its parents. */
async function create(resource: Resource): Promise<Ids> {
  const operation = resource.create
  const parents = await parentsFor(resource)
  const answer = await shop.send(operation, { ids: parents, body: shop.bodyOf(operation, parents) })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return { ...parents, [idNameOf(resource)]: (answer.body as { id: string }).id }
}

const statusOf = async (operation: Operation, ids: Ids) =>
  (await shop.send(operation, { ids, body: shop.bodyOf(operation, ids) })).status

const read = async ({ get }: Resource, ids: Ids) => {
  const { status, body } = await shop.send(get, { ids })
  expect(status).toBe(200)
  return unsigned(body)
}

/** Removes signatures, which depend on the time, and the sandbox flag, because events link to the live shop's pages. */
const unsigned = (body: unknown) =>
  JSON.parse(JSON.stringify(body).replaceAll(/\?expires=\d+&signature=[\w-]+|[?&]sandbox=true/g, ''))

/** Returns the times of creation and of the last change. */
const timesOf = ({ created, created_at: createdAt = created, updated, updated_at: updatedAt = updated }: Times) => [
  createdAt,
  updatedAt,
]
type Times = { created?: number; created_at?: number; updated?: number; updated_at?: number }

const eventNames = ({ create: { name } }: Resource) =>
  ['create', 'update', 'delete'].map((change) => `${name.split('.')[0]}.${change}`)

/** Addresses and variant groups have no events of their own; their parent object has. */
const hasEvents = (resource: Resource) =>
  eventNames(resource).every((name) => name in EVENTS) && !/_address|variant_groups/.test(resource.create.name)

const eventsAbout = async (id: unknown) =>
  (await eventsOf(app.db, world.shop.id)).filter(({ payload }) => (payload as { id: string }).id === id)

const refuseEvents = statement(
  'test.refuse_events',
  `create or replace function refuse_event() returns trigger language plpgsql as
     $$ begin raise exception 'no event today' using errcode = '23514'; end $$;`,
)
const addTrigger = statement(
  'test.add_refusal',
  'create trigger refuse_events before insert on events for each row execute function refuse_event()',
)
const dropTrigger = statement('test.drop_refusal', 'drop trigger if exists refuse_events on events')
const readState = await stateReader(app.db)
await app.db.run(refuseEvents, {})
afterEach(() => app.db.run(dropTrigger, {}))

describe.each(resources)('%s', (_, resource) => {
  const { create: post, list, update, remove, get } = resource
  const idName = idNameOf(resource)

  it('is created, read, listed, changed, deleted, and then gone', async () => {
    const ids = await create(resource)
    const id = ids[idName]
    const listed = async () => (await shop.send(list, { ids, query: 'limit=200' })).text.includes(String(id))
    const created = await read(resource, ids)
    const now = unixNow(app)
    expect([created.id, timesOf(created)]).toEqual([id, [now, now]])
    expect(await listed()).toBe(true)

    app.clock.advance(60)
    expect(await statusOf(update, ids)).toBe(200)
    const updated = await read(resource, ids)
    expect([updated.id, timesOf(updated)]).toEqual([id, [now, now + 60]])

    app.clock.advance(60)
    const removed = await shop.send(remove, { ids })
    expect([removed.status, removed.text, removed.headers['content-type']]).toEqual([204, '', undefined])
    for (const operation of [get, update, remove]) expect(await statusOf(operation, ids)).toBe(404)
    expect(await listed()).toBe(false)

    if (!hasEvents(resource)) return
    const told = (await eventsAbout(id)).map((event) => ({ ...event, payload: unsigned(event.payload) }))
    expect(told.map(({ name, response_code }) => [name, response_code])).toEqual(
      eventNames(resource).map((name, index) => [name, [201, 200, 204][index]]),
    )
    expect(told.map(({ payload }) => payload)).toMatchObject([created, updated, updated])
  })

  it('is deleted by one of two who delete it at the same moment', async () => {
    const ids = await create(resource)
    const statuses = await Promise.all([statusOf(remove, ids), statusOf(remove, ids)])
    expect(statuses.sort()).toEqual([204, 404])
    if (hasEvents(resource))
      expect((await eventsAbout(ids[idName])).filter(({ response_code: code }) => code === 204)).toHaveLength(1)
  })

  it('is deleted whatever the body says', async () => {
    const ids = await create(resource)
    const answer = await app.call('DELETE', pathOf(resource, ids), { key: shop.key, body: null })
    expect(answer.status).toBe(204)
  })

  if (!hasEvents(resource)) return

  it('stays as it was where its event cannot be written', async () => {
    const [ids, parents] = [await create(resource), await parentsFor(resource)]
    await app.db.run(addTrigger, {})
    const before = await readState()
    for (const operation of [update, remove]) expect(await statusOf(operation, ids)).toBe(500)
    expect(await statusOf(post, parents)).toBe(500)
    expect(await readState()).toEqual(before)
    await app.db.run(dropTrigger, {})
    expect(await statusOf(remove, ids)).toBe(204)
  })
})

function pathOf({ remove }: Resource, ids: Ids): string {
  return remove.endpoint.path.replace(/:(\w+)/g, (_, name: string) => ids[remove.row.path[name] ?? ''] ?? '')
}
