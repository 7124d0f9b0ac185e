// All triggers by event, and the short ones for customers and webhooks.

import { ApiRefusal } from '../client/call.ts'
import { catalogueTriggers } from './catalogue.ts'
import { orderTriggers } from './orders.ts'
import { lifecycleTriggers, type Triggers } from './trigger.ts'

const customerTriggers: Triggers = {
  ...lifecycleTriggers({
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
      // The address belongs neither to this machine nor to the shop. So the mail stays in the outbox, even with a mail server.
      const login = { email, base_url: 'https://trigger.example/login?token={token}' }
      await shop.send('POST', '/v1/customers/email-token', 'login', login)
    },
  },
}

type ListedWebhook = { readonly id: string; readonly created: number }

const webhookTriggers: Triggers = {
  'test.webhook': {
    sends: [],
    async run(shop) {
      const newest = await findNewestWebhook((page) =>
        shop.callApi<{ readonly data: readonly ListedWebhook[] }>('GET', `/v1/webhooks?limit=100&page=${page}`),
      )
      if (newest === null)
        throw new ApiRefusal(
          'There is no webhook to send it to. Create one with cartwright webhooks create, or run cartwright listen.',
          404,
        )
      const { delivery } = await shop.callApi<{ readonly delivery: string }>('POST', `/v1/webhooks/${newest.id}/test`)
      shop.reportCreated('delivery', delivery)
    },
  },
}

async function findNewestWebhook(readPage: (page: number) => Promise<{ readonly data: readonly ListedWebhook[] }>) {
  let newest: ListedWebhook | null = null
  for (let page = 1; ; page++) {
    const { data } = await readPage(page)
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
