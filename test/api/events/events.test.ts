// Events as they are listed and shown, with the request that caused them and their deliveries, and sent again.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { openShop } from '../../support/shop.ts'
import { type Delivery, webhooksOf } from '../webhooks/support.ts'

const app = await testApp({ trustProxy: ['0.0.0.0/0', '::/0'] })
const { keys } = await openShop(app)
const { call, succeed, create, attribute, deliveries } = webhooksOf(app, keys)

type Event = { id: string; event: string; object_id: string | null; request_id: string | null; sandbox: boolean | null }
type Page = { data: Event[]; next: string | null }

const page = (query = '', key?: string) => succeed<Page>(200, 'GET', `events${query}`, undefined, key)

describe('Events', () => {
  it('name what they are about and the request that caused them', async () => {
    const answer = await call('POST', 'attributes', { name: 'Size', description: '', type: 'short_text' })
    const { id } = answer.body as { id: string }
    const { data } = await page(`?object=${id}`)
    expect(data).toMatchObject([
      { event: 'attributes.create', object_id: id, request_id: answer.headers['x-request-id'], sandbox: null },
    ])
    const shown = await succeed<Event & { payload: unknown; deliveries: Delivery[] }>(
      200,
      'GET',
      `events/${data[0]?.id}`,
    )
    expect(shown).toMatchObject({ ...data[0], payload: answer.body, deliveries: [] })
  })

  it('go by key, and each mode sees its own and those of both', async () => {
    app.clock.advance(1)
    await succeed(201, 'POST', 'customers', { email: 'sandbox@example.com' })
    app.clock.advance(1)
    await attribute()
    const first = await page('?limit=1')
    const second = await page(`?limit=1&after=${first.next}`)
    expect([first.data[0]?.event, second.data[0]?.event]).toEqual(['attributes.create', 'customers.create'])
    expect((await page('?event=customers.create', keys.live.secret)).data).toEqual([])
    expect((await page('?event=attributes.create', keys.live.secret)).data).not.toEqual([])
    expect((await page('?event=customers.create')).data.length).toBe(1)
    expect((await call('GET', 'events?after=evt_1')).status).toBe(422)
  })

  it('are sent again to all that want them, or to one', async () => {
    const { id: wanting } = await create({ transport: 'listen', subscribed_events: ['attributes.create'] })
    const { id: other } = await create({ transport: 'listen', subscribed_events: ['orders.create'] })
    app.clock.advance(1)
    await attribute('Again')
    const [event] = (await page('?limit=1')).data
    const resend = (body = {}) => succeed<{ data: Delivery[] }>(202, 'POST', `events/${event?.id}/resend`, body)
    expect((await resend()).data).toMatchObject([{ webhook_id: wanting, state: 'pending' }])
    expect((await resend({ webhook_id: other })).data).toMatchObject([{ webhook_id: other, state: 'pending' }])
    expect((await deliveries(wanting)).length).toBe(1)
    expect((await call('POST', `events/${event?.id}/resend`, { webhook_id: 'wbhk_none' })).status).toBe(404)
  })
})
