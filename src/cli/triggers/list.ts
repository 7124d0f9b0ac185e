// Every trigger there is, by its event; and those of customers and of webhooks themselves, which are short.

import { Refusal } from '../client/call.ts'
import { catalogueTriggers } from './catalogue.ts'
import { orderTriggers } from './orders.ts'
import { lifeOf, type Triggers } from './trigger.ts'

const customerTriggers: Triggers = {
  ...lifeOf({
    events: 'customers',
    path: 'customers',
    name: 'customer',
    body: (mark) => ({ email: `trigger-${mark}@example.com`, firstname: 'Ada', lastname: 'Lovelace' }),
    change: () => ({ firstname: 'Augusta' }),
  }),
  'customers.login.token': {
    sends: ['customer', 'login'],
    async run(shop) {
      const { email } = await shop.make<{ readonly id: string; readonly email: string }>('/v1/customers', 'customer', {
        email: `trigger-${shop.mark}@example.com`,
      })
      // Neither this machine nor an address of the shop: so the mail is kept in the outbox, whatever mail server there is.
      const login = { email, base_url: 'https://trigger.example/login?token={token}' }
      await shop.send('POST', '/v1/customers/email-token', 'login', login)
    },
  },
}

type Listed = { readonly id: string; readonly created: number }

const webhookTriggers: Triggers = {
  'test.webhook': {
    sends: [],
    async run(shop) {
      const newest = await newestWebhook((page) =>
        shop.ask<{ readonly data: readonly Listed[] }>('GET', `/v1/webhooks?limit=100&page=${page}`),
      )
      if (newest === null)
        throw new Refusal(
          'There is no webhook that it could be sent to: make one with cartwright webhooks create, or run cartwright listen.',
          404,
        )
      const { delivery } = await shop.ask<{ readonly delivery: string }>('POST', `/v1/webhooks/${newest.id}/test`)
      shop.made('delivery', delivery)
    },
  },
}

async function newestWebhook(read: (page: number) => Promise<{ readonly data: readonly Listed[] }>) {
  let newest: Listed | null = null
  for (let page = 1; ; page++) {
    const { data } = await read(page)
    for (const webhook of data) if (newest === null || webhook.created >= newest.created) newest = webhook
    if (data.length < 100) return newest
  }
}

export const TRIGGERS: Triggers = {
  ...catalogueTriggers,
  ...customerTriggers,
  ...orderTriggers,
  ...webhookTriggers,
}
