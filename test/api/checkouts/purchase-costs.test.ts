// What a purchase asks of the database: the statements, and the round trips that they go in. Each costs both sides time, also where nothing
// waits. Fewer are welcome; more need a reason.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { openCaptureShop } from './capture-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCaptureShop(app)
const thing = await shop.product({ name: 'Thing', price: 12, inventory: { managed: true, available: 1_000 } })

/** The names of the statements, one list for each round trip. */
const sentBy = async (work: () => Promise<unknown>) =>
  (await roundTripsOf(work))
    .map(({ statements }) => statements.map(({ name, text }) => name ?? text))
    // Its callers are known after the first request, and asked about again when the heartbeat falls silent.
    .filter(([first]) => !/^(?:merchants\.find_caller|heartbeat|revisions|jobs|schedules)/.test(first ?? ''))

it('captures with eleven statements of its own in seven round trips, one of them to count it no longer as under way', async () => {
  await shop.order(await shop.token({ id: thing.id }), shop.body())
  const token = await shop.token({ id: thing.id })
  const sent = await sentBy(() => shop.order(token, shop.body()))
  expect(sent).toEqual([
    ['capture.find_kept_attempt', 'checkouts.find'],
    ['checkouts.find_capture_facts'],
    ['capture.begin_whole_attempt'],
    ['test_charges.enter'],
    ['orders.take_number'],
    ['begin', 'capture.finish_attempt', 'orders.begin'],
    ['orders.insert', 'capture.give_slots_back', 'counts.add', 'commit'],
  ])
})

it('captures with ten where a server does not say whom it speaks for: nothing is counted per network', async () => {
  const { secret } = shop.keys.sandbox
  await shop.order(await shop.token({ id: thing.id }), shop.body(), secret)
  const token = await shop.token({ id: thing.id })
  const sent = await sentBy(() => shop.order(token, shop.body(), secret))
  expect(sent.at(-1)).toEqual(['orders.insert', 'counts.add', 'commit'])
  expect(sent).toHaveLength(7)
})
