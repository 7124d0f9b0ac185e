// The whole script, in its order: one shop that is set up, filled, sold from and looked after. A new endpoint gets its step in the part
// that it belongs to.

import type { Scene } from '../scene.ts'
import { liveOfCarts } from './carts.ts'
import { fillCatalogue } from './catalogue.ts'
import { checkOut } from './checkouts.ts'
import { customersOf } from './customers.ts'
import { purchase } from './purchase.ts'
import { setUpTerms } from './terms.ts'
import { hearOfEvents } from './webhooks.ts'

export async function playScript(scene: Scene) {
  const terms = await setUpTerms(scene)
  const sold = await fillCatalogue(scene, terms)
  await liveOfCarts(scene, sold)
  await checkOut(scene, terms, sold)
  const order = await purchase(scene, terms, sold)
  await customersOf(scene, order)
  const request = await scene.keepRequest()
  await scene.ask('developer.list_logs', { query: { limit: 5, method: 'POST' } })
  await scene.ask('developer.get_log', { params: { id: request } })
  await scene.ask('versions.list')
  await keysAtTheDashboard(scene)
  // Of no orders, and of days on which nothing was sold: when it was sold differs from run to run.
  await scene.ask('orders.export', { query: { query: 'nobody' } })
  await scene.ask('discounts.export', { query: { query: 'nobody' } })
  await scene.ask('giftcards.export', { query: { query: 'nobody' } })
  const days = { from: '2020-01-01', to: '2020-01-02' }
  await scene.ask('reports.overview', { query: { ...days, compare: 'true' } })
  await scene.ask('reports.products', { query: days })
  await scene.ask('reports.stock', { query: { below: 20 } })
  await hearOfEvents(scene)
}

/** No key opens them. */
async function keysAtTheDashboard({ ask }: Scene) {
  await ask('keys.list', { status: 403 })
  await ask('keys.create', { status: 403, body: { type: 'public', sandbox: true } })
  await ask('keys.revoke', { status: 403, params: { id: 'key_1' } })
}
