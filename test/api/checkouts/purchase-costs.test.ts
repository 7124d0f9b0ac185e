// What a purchase asks of the database: the statements, and the round trips that they go in. Each costs both sides time, also where nothing
// waits. Fewer are welcome; more need a reason.

import { expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { openCaptureShop } from './capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const thing = await shop.product({ name: 'Thing', price: 12, inventory: { managed: true, available: 1_000 } })

/** The round trips, each with its connection and the names of its statements. */
const tripsOf = async (work: () => Promise<unknown>) =>
  (await roundTripsOf(work))
    .map(({ client, statements }) => ({ client, names: statements.map(({ name, text }) => name ?? text) }))
    // Its callers are known after the first request, and asked about again when the heartbeat falls silent.
    .filter(({ names: [first] }) => !/^(?:merchants\.|heartbeat|revisions|jobs|schedules)/.test(first ?? ''))

it('captures with eleven statements of its own in seven round trips, one of them to count it no longer as under way', async () => {
  await shop.order(await shop.token({ id: thing.id }), shop.body())
  const token = await shop.token({ id: thing.id })
  const trips = await tripsOf(() => shop.order(token, shop.body()))
  // The statement that inserts the order puts in its mails, too.
  expect(trips.map(({ names }) => names)).toEqual([
    ['capture.find_kept_attempt', 'checkouts.find'],
    ['checkouts.find_capture_facts'],
    ['capture.begin_whole_attempt'],
    ['test_charges.enter'],
    ['orders.take_number'],
    ['begin', 'capture.finish_attempt', 'orders.begin'],
    ['orders.insert', 'capture.give_slots_back', 'counts.add', 'commit'],
  ])
  // The number is taken on the connection of the transaction that makes the order.
  expect(new Set(trips.slice(-3).map(({ client }) => client)).size).toBe(1)
})

it('captures with ten where a server does not say whom it speaks for: nothing is counted per network', async () => {
  const { secret } = shop.keys.sandbox
  await shop.order(await shop.token({ id: thing.id }), shop.body(), secret)
  const token = await shop.token({ id: thing.id })
  const trips = await tripsOf(() => shop.order(token, shop.body(), secret))
  expect(trips.at(-1)?.names).toEqual(['orders.insert', 'counts.add', 'commit'])
  expect(trips).toHaveLength(7)
})
