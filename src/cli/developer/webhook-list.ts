// Webhooks as the API shows them, read page by page.

import type { Call } from '../service/call.ts'

export type Webhook = {
  readonly id: string
  readonly url: string | null
  readonly transport: 'http' | 'listen'
  readonly subscribed_events: readonly string[]
  readonly description: string
  readonly active: boolean
  readonly state: string
  readonly disabled_reason: string | null
  readonly created: number
  readonly signing_key?: string
}

const PAGE = 100

export async function* eachWebhook(call: Call): AsyncGenerator<Webhook> {
  for (let page = 1; ; page++) {
    const { data } = await call<{ data: readonly Webhook[] }>('GET', `/v1/webhooks?limit=${PAGE}&page=${page}`)
    yield* data
    if (data.length < PAGE) return
  }
}
