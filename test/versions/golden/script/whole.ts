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
  await hearOfEvents(scene)
}
