// @sampled: `npm test` makes a webhook of every fourth version.
// Every event of the catalogue arrives in every version of the API that a webhook may have been made for: shaped for it, and signed so that
// the two public verifiers accept it, and refuse a changed byte, another secret and an old one.

import { expect, it } from 'vitest'
import { sweepAbandonedCarts } from '../../../src/api/carts/lifetime/abandoned.ts'
import type { Call } from '../../../src/cli/client/call.ts'
import { TRIGGERS } from '../../../src/cli/triggers/list.ts'
import { createTriggerShop } from '../../../src/cli/triggers/trigger.ts'
import { EVENTS, type EventName } from '../../../src/events/catalogue.ts'
import { emit } from '../../../src/events/emit.ts'
import { registerSweep } from '../../../src/jobs/schedule.ts'
import type { JsonData } from '../../../src/versions/change.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { isProof } from '../../support/proof.ts'
import { selectRows } from '../../support/rows.ts'
import { DAY, eventsOf, ORIGIN, openShop } from '../../support/shop.ts'
import { real } from '../../versions/real.ts'
import { frozen } from '../../versions/support.ts'
import { openReceiver, type Received, type Webhook, webhooksOf } from './support.ts'
import { createVerifier } from './verifiers.ts'

const app = await testApp({ connection: await cloneDatabase(), allowPrivateAddresses: true, webhookPollMs: 20 })
app.startJobs()
const receiver = await openReceiver()

const PATIENT = { timeout: 60_000 }

/** The newest and the oldest are among them. */
const dates = real.dates.filter((_, place) => isProof || place % 4 === 0 || place === real.dates.length - 1)
/** A shop can have 20 webhooks: the versions are shared out among two. */
const MOST = 20

const shops = [await causeEverything(dates.slice(0, MOST))]
if (dates.length > MOST) shops.push(await causeEverything(dates.slice(MOST)))

/** A shop with a webhook of each of these versions, in which everything has happened that there are events of. */
async function causeEverything(versions: readonly string[]) {
  const shop = await openShop(app)
  const hooks = webhooksOf(app, shop.keys)
  const webhooks: Webhook[] = []
  const everything = ['*', 'customers.login.token']
  for (const version of versions)
    webhooks.push(await hooks.create({ url: receiver.url, version, subscribed_events: everything }))

  const { id: product } = await shop.product()
  await shop.cart([{ id: product }])
  const call = (async (method, path, body) => {
    app.clock.advance(1)
    return (await hooks.call(method, path.replace('/v1/', ''), body)).body
  }) as Call
  for (const [event, trigger] of Object.entries(TRIGGERS)) {
    const mark = event.replaceAll('.', '-')
    if ('run' in trigger && event !== 'test.webhook')
      await trigger.run(createTriggerShop(call, { sends: trigger.sends, settings: [], mark, made: () => undefined }))
  }
  for (const { id } of webhooks) await hooks.succeed(202, 'POST', `webhooks/${id}/test`)

  // What no call of a shop's causes: a bank says that a payment is disputed, and a cart is left for a day.
  const told = await eventsOf(app.db, shop.id)
  const order = told.find(({ name }) => name === 'orders.create')?.payload
  const scope = { merchant_id: shop.id, is_sandbox: true }
  await app.db.transaction((tx) => emit(tx, scope, 'orders.dispute', order, app.clock.now()))
  const abandoned = sweepAbandonedCarts({ publicUrl: ORIGIN })
  await registerSweep(app.db, abandoned, app.clock.now())
  const sweep = () => abandoned.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
  await sweep()
  app.clock.advance(DAY + 600)
  await sweep()
  return { shop, webhooks }
}

/** What has arrived at a webhook, by the names of the events. */
const arrivedAt = ({ id }: Webhook): Map<string, Received> =>
  new Map(receiver.received.filter(({ body }) => body.id === id).map((one) => [one.body.event, one]))

const all = shops.flatMap(({ shop, webhooks }) =>
  webhooks.map((webhook) => [webhook.version, webhook, shop.id] as const),
)

/** As they were told, by the ids of the events. */
async function payloadsOf(merchant_id: number): Promise<Map<unknown, Record<string, JsonData>>> {
  const rows = await selectRows<{ id: string; payload: Record<string, JsonData> }>(app.db, 'id, payload from events', {
    merchant_id,
  })
  return new Map(rows.map(({ id, payload }) => [id, payload]))
}

it('there is a webhook of every version', () => {
  expect(all.map(([version]) => version)).toEqual(dates)
})

it.each(all)('at %s every event arrives, and both verifiers accept it', async (version, webhook, merchant_id) => {
  await expect.poll(() => [...arrivedAt(webhook).keys()].sort(), PATIENT).toEqual(Object.keys(EVENTS).sort())
  const payloads = await payloadsOf(merchant_id)
  for (const [event, received] of arrivedAt(webhook)) {
    expect(received.headers['service-version']).toBe(version)
    // A receiver looks at once: it is two days later by now.
    const verifier = createVerifier(webhook.signing_key, { now: () => new Date(received.body.created * 1_000) })
    verifier.accepts(received)
    verifier.refusesChanges(received)
    const { kind } = EVENTS[event as EventName]
    const told = frozen(payloads.get(received.headers['webhook-id']) ?? {})
    const shaped = real.ageKind(version, kind, told, { merchant_id, params: {}, facts: {} })
    expect([event, received.body.payload]).toEqual([event, shaped])
  }
})
