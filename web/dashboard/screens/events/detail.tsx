// One event: its payload, its deliveries, and the request that caused it.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { CodeSection, indentedJson } from '../../parts/show/code.tsx'
import { None, plural, When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { DeliveryBadge } from '../webhooks/deliveries.tsx'
import { type Delivery, eventText, OPEN_DELIVERY_STATES, type Webhook, webhookName } from '../webhooks/webhook.ts'
import type { ShopEvent } from './list.tsx'

type Details = ShopEvent & { readonly payload: unknown; readonly deliveries: readonly Delivery[] }

const BACK = { href: '/dashboard/events', label: 'Events' }

export function EventDetail({ id }: { id: string }) {
  const path = `/v1/events/${id}`
  const query = useQuery<Details>(path)
  const may = useMay()
  const [isSending, setSending] = useState(false)
  const event = query.data
  useQuery(event?.deliveries.some(({ state }) => OPEN_DELIVERY_STATES.includes(state)) ? path : null, { every: 2 })
  return (
    <Page
      title={event?.event ?? 'Event'}
      back={BACK}
      actions={
        may('events.resend') &&
        event !== undefined &&
        event.event !== 'test.webhook' && (
          <Button icon="refund" onClick={() => setSending(true)}>
            Send again
          </Button>
        )
      }
    >
      <Loaded query={query} back={BACK}>
        {(loaded) => (
          <>
            <Section title="About it" hidesTitle>
              <Facts
                facts={[
                  ['What happened', eventText(loaded.event)],
                  ['When', <When at={loaded.created} isFull />],
                  [
                    'Object',
                    loaded.object_id === null ? (
                      <None />
                    ) : (
                      <a href={`/dashboard/events?object=${encodeURIComponent(loaded.object_id)}`}>
                        {loaded.object_id}
                      </a>
                    ),
                  ],
                  [
                    'Caused by',
                    loaded.request_id === null ? (
                      'The shop itself: no request of the API'
                    ) : (
                      <a href={`/dashboard/requests/${loaded.request_id}`}>{loaded.request_id}</a>
                    ),
                  ],
                  ['Mode', loaded.sandbox === null ? 'Both share it' : loaded.sandbox ? 'Sandbox' : 'Live'],
                  ['Id', <code>{loaded.id}</code>],
                ]}
              />
            </Section>
            <DeliveriesOf event={loaded} />
            <CodeSection text={indentedJson(loaded.payload)} what="Payload" />
            {isSending && <ResendDialog event={loaded} onClose={() => setSending(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Names of webhooks by their ids. */
function useWebhookNames() {
  const { data } = useQuery<{ data: readonly Webhook[] }>('/v1/webhooks?limit=50')
  return (id: string) => {
    const webhook = data?.data.find((each) => each.id === id)
    return webhook === undefined ? id : webhookName(webhook)
  }
}

function DeliveriesOf({ event }: { event: Details }) {
  const nameBy = useWebhookNames()
  return (
    <Section title="Deliveries">
      {event.deliveries.length === 0 ? (
        <p class="hint">
          No webhook has asked for it. <a href="/dashboard/webhooks">See the webhooks</a>
        </p>
      ) : (
        <Table
          caption="Deliveries"
          rows={event.deliveries}
          keyOf={({ id }) => id}
          hrefOf={({ id, webhook_id }) => `/dashboard/webhooks/${webhook_id}/deliveries/${id}`}
          columns={[
            { label: 'Webhook', cell: ({ webhook_id }) => nameBy(webhook_id) },
            { label: 'State', phone: 'aside', cell: ({ state }) => <DeliveryBadge state={state} /> },
            { label: 'Attempts', cell: ({ attempts_made: attempts }) => plural(attempts, 'attempt') },
            { label: 'Last change', cell: ({ updated }) => <When at={updated} /> },
          ]}
        />
      )}
    </Section>
  )
}

function ResendDialog({ event, onClose }: { event: Details; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Send ${event.event} again`}
      verb="Send again"
      says={[
        'Goes to every webhook that is on and has asked for it, also where it has arrived before.',
        'It has the same webhook-id, so a server that keeps these does nothing twice.',
      ]}
      run={(_, { idempotencyKey }) =>
        call<{ data: readonly Delivery[] }>('POST', `/v1/events/${event.id}/resend`, { body: {}, idempotencyKey })
      }
      onDone={({ data }) => {
        invalidateQueries('/v1/events', '/v1/webhooks')
        showToast(data.length === 0 ? 'No webhook wants it' : `On its way to ${plural(data.length, 'webhook')}`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}
