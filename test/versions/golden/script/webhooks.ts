// Whoever wants to hear of what happens: webhooks, what was delivered to them, and the events themselves. They are listened to, so that nothing
// goes over the network; and they have a version of their own, so that what they are sent does not hang on that of the request.

import { HEAD } from '../../../../src/versions/index.ts'
import type { Scene } from '../scene.ts'

type Pulled = { data: { delivery: string }[] }

export async function hearOfEvents(scene: Scene) {
  const { ask, prepare } = scene
  const subscribed_events = ['attributes.create']
  const listening = { transport: 'listen', subscribed_events, description: 'The warehouse', version: HEAD }
  const { id } = await ask('webhooks.create', { body: listening })
  const posted = { url: 'https://example.com/hook', subscribed_events, version: HEAD, active: false }
  const { id: spare } = await ask('webhooks.create', { case: 'posted', status: 201, body: posted })
  const nowhere = { subscribed_events, version: HEAD }
  await ask('webhooks.create', { case: 'nowhere', status: 422, body: nowhere })
  await ask('webhooks.list')
  for (const name of ['Weight', 'Width'])
    await prepare('attributes.create', { body: { name, description: '', type: 'short_text' } })
  const { data } = await ask<Pulled>('webhooks.pull', { params: { id } })
  const [arrived = '', refused = ''] = data.map(({ delivery }) => delivery)
  await answers(scene, id, arrived, refused)
  await ask('webhooks.rotate', { params: { id }, body: {} })
  await events(scene, id, arrived)
  await ask('webhooks.delete', { params: { id: spare } })
}

/** One arrives, the other is told that nobody will ever hear of anything there again. */
async function answers({ ask }: Scene, id: string, arrived: string, refused: string) {
  const of = (delivery_id: string) => ({ id, delivery_id })
  const yes = { attempt: 1, status: 200, ms: 12, error: null, answer: 'Thank you.' }
  await ask('webhooks.answer_delivery', { params: of(arrived), body: yes })
  const gone = { attempt: 1, status: 410, ms: 3, error: null, answer: 'Gone.' }
  await ask('webhooks.answer_delivery', { case: 'gone', status: 200, params: of(refused), body: gone })
  await ask('webhooks.get_delivery', { params: of(arrived) })
  await ask('webhooks.list_deliveries', { params: { id } })
  await ask('webhooks.list_arrivals')
  await ask('webhooks.get', { params: { id } })
  await ask('webhooks.replay_delivery', { case: 'off', status: 422, params: of(refused) })
  await ask('webhooks.update', { params: { id }, body: { active: true, description: 'The new warehouse' } })
  await ask('webhooks.replay', { params: { id }, body: { from: 0 } })
  await ask('webhooks.replay_delivery', { params: of(arrived) })
  await ask('webhooks.test', { params: { id } })
}

async function events({ ask, prepare }: Scene, webhook_id: string, delivery_id: string) {
  const params = { id: webhook_id, delivery_id }
  const { event_id: id, object_id: object } = await prepare<{ event_id: string; object_id: string }>(
    'webhooks.get_delivery',
    { params },
  )
  await ask('events.list', { query: { object } })
  await ask('events.get', { params: { id } })
  await ask('events.resend', { params: { id }, body: { webhook_id } })
}
