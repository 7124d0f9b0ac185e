// Webhooks of the current mode: URL, events and status of each.

import type { Webhook } from '../../../../src/api/webhooks/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { When } from '../../parts/show/values.tsx'
import { WebhookDialog } from './edit-dialog.tsx'
import { VerificationSection } from './samples.tsx'
import { arrivalsText, useArrivals, WebhookState } from './state.tsx'
import { eventsText, webhookName } from './webhook.ts'

export const WebhookList = listScreen<Webhook>({
  screen: '/dashboard/webhooks',
  path: '/v1/webhooks',
  title: 'Webhooks',
  intro:
    'Your server hears of every order: each event is posted to the addresses that you set, signed, and tried again for three days when it does not arrive.',
  things: ['webhook', 'webhooks'],
  hidesOnlyPage: true,
  lines: 6,
  add: {
    permission: 'webhooks.create',
    label: 'New webhook',
    dialog: (close) => <WebhookDialog webhook={null} onClose={close} />,
  },
  columns: [
    { label: 'Address', cell: webhookName },
    { label: 'State', phone: 'aside', cell: (webhook) => <WebhookState webhook={webhook} /> },
    { label: 'Events', cell: (webhook) => <span class="nowrap">{eventsText(webhook)}</span> },
    { label: 'Last 24 hours', cell: ({ id }) => <Share webhookId={id} /> },
    {
      label: 'Arrived last',
      phone: 'none',
      cell: ({ last_delivered }) => (
        <span class="nowrap">
          <When at={last_delivered} />
        </span>
      ),
    },
  ],
  empty: ({ mode }) => ({
    title: `No webhooks in ${mode}`,
    icon: 'webhook',
    text: (
      <p>
        Add the address of your server, send it a test, and see what it answers. On your own machine nothing has to be
        set up: <code>cartwright listen --forward-to http://localhost:3000/hooks</code>
      </p>
    ),
  }),
  foot: ({ query }) => query.data?.data.length === 0 && <VerificationSection />,
})

function Share({ webhookId }: { webhookId: string }) {
  const share = useArrivals(webhookId)
  if (share === null) return <span class="hint">…</span>
  if (share.percentage === null && share.oldest_waiting === null) return <span class="hint">{arrivalsText(share)}</span>
  return (
    <>
      {arrivalsText(share)}
      {share.oldest_waiting !== null && (
        <span class="hint">
          {' '}
          · oldest waiting: <When at={share.oldest_waiting} />
        </span>
      )}
    </>
  )
}
