// One event: its payload, its deliveries, and the request that caused it.

import type { EventDetails, ResentEvent } from '../../../../src/api/events/schema.ts'
import type { Webhook } from '../../../../src/api/webhooks/schema.ts'
import { post } from '../../parts/form/change.ts'
import { backTo } from '../../parts/list/last-address.ts'
import type { ListPage } from '../../parts/list/list.tsx'
import { Table } from '../../parts/list/table.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { CodeSection, indentedJson } from '../../parts/show/code.tsx'
import { None, plural, When } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'
import { DeliveryBadge, RequestLink } from '../webhooks/state.tsx'
import { eventText, pollUntilDelivered, webhookName } from '../webhooks/webhook.ts'

export function EventDetail({ id }: ScreenProps) {
  const query = useQuery<EventDetails>(`/v1/events/${id}`, {
    every: ({ deliveries }) => pollUntilDelivered(deliveries),
  })
  return (
    <ObjectPage
      of={query}
      title={({ event }) => event}
      untitled="Event"
      back={backTo('/dashboard/events', 'Events')}
      actions={(event) =>
        event.event !== 'test.webhook' && (
          <DialogButton
            words="Send again"
            icon="refund"
            permission="events.resend"
            dialog={(close) => <ResendDialog event={event} onClose={close} />}
          />
        )
      }
    >
      {(event) => (
        <>
          <Section title="About it" hidesTitle>
            <Facts
              facts={[
                ['What happened', eventText(event.event)],
                ['When', <When at={event.created} isFull />],
                [
                  'Object',
                  event.object_id === null ? (
                    <None />
                  ) : (
                    <a href={`/dashboard/events?object=${encodeURIComponent(event.object_id)}`}>{event.object_id}</a>
                  ),
                ],
                ['Caused by', <RequestLink id={event.request_id} none="The shop itself: no request of the API" />],
                ['Mode', event.sandbox === null ? 'Both share it' : event.sandbox ? 'Sandbox' : 'Live'],
                ['Id', <code>{event.id}</code>],
              ]}
            />
          </Section>
          <DeliveriesOf event={event} />
          <CodeSection text={indentedJson(event.payload)} what="Payload" />
        </>
      )}
    </ObjectPage>
  )
}

/** Names of webhooks by their ids. */
function useWebhookNames() {
  const { data } = useQuery<ListPage<Webhook>>('/v1/webhooks?limit=50')
  return (id: string) => {
    const webhook = data?.data.find((each) => each.id === id)
    return webhook === undefined ? id : webhookName(webhook)
  }
}

function DeliveriesOf({ event }: { event: EventDetails }) {
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

function ResendDialog({ event, onClose }: { event: EventDetails; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Send ${event.event} again`}
      verb="Send again"
      says={[
        'Goes to every webhook that is on and has asked for it, also where it has arrived before.',
        'It has the same webhook-id, so a server that keeps these does nothing twice.',
      ]}
      request={post(`/v1/events/${event.id}/resend`, {})}
      done={({ data }: ResentEvent) =>
        data.length === 0 ? 'No webhook wants it' : `On its way to ${plural(data.length, 'webhook')}`
      }
      onClose={onClose}
    />
  )
}
