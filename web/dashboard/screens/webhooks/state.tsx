// Status of a webhook and of its deliveries, for the list and the page of webhooks. Also the dialog that shows a new
// signing key once.

import type { Arrivals, Delivery, Webhook } from '../../../../src/api/webhooks/schema.ts'
import type { CursorPage } from '../../parts/list/list.tsx'
import { OnceDialog } from '../../parts/page/once-dialog.tsx'
import { Badge, plural, Status } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'
import { DELIVERY_STATES, webhookName } from './webhook.ts'

export function WebhookState({ webhook: { state, disabled_reason: reason } }: { webhook: Webhook }) {
  if (state === 'failing') return <Badge tone="bad">Failing</Badge>
  if (state === 'disabled') return <Badge tone={reason === 'by_you' ? 'calm' : 'bad'}>Off</Badge>
  return <Status state={state} />
}

export function DeliveryBadge({ state }: Pick<Delivery, 'state'>) {
  const [tone, text] = DELIVERY_STATES[state]
  return <Badge tone={tone}>{text}</Badge>
}

/** The request that caused an event, or other words if there is none. */
export function RequestLink({ id, none }: { id: string | null; none: string }) {
  return id === null ? none : <a href={`/dashboard/requests/${id}`}>{id}</a>
}

export function SigningKeyDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  return (
    <OnceDialog
      title="Signing key"
      what="Signing key"
      text={webhook.signing_key ?? ''}
      intro={
        <>
          Set it as <code>WEBHOOK_SECRET</code> on the server behind {webhookName(webhook)}: with it your server knows
          that a delivery is ours.
        </>
      }
      onClose={onClose}
    />
  )
}

const MOST = 200

type Skipped = { readonly count: number; readonly isAll: boolean }

/** Deliveries that were skipped while the webhook was off. Null if there are none. */
export function useSkippedDeliveries({ id, state }: Webhook): Skipped | null {
  const { data } = useQuery<CursorPage<Delivery>>(
    state === 'disabled' ? `/v1/webhooks/${id}/deliveries?state=skipped&limit=${MOST}` : null,
  )
  if (data === undefined || data.data.length === 0) return null
  return { count: data.data.length, isAll: data.next === null }
}

/** "3 events", "more than 200 events" */
export const skippedText = ({ count, isAll }: Skipped, moreThan = 'more than'): string =>
  `${isAll ? '' : `${moreThan} `}${plural(count, 'event')}`

/** Share of the last day's deliveries that arrived. */
export function useArrivals(webhookId: string) {
  const { data } = useQuery<Arrivals>('/v1/webhooks/arrivals', { every: 10 })
  return data?.data.find(({ webhook_id }) => webhook_id === webhookId) ?? null
}

/** "98 % of 120 deliveries arrived" */
export const arrivalsText = ({ deliveries, is_all: isAll, percentage }: Arrivals['data'][number]): string =>
  percentage === null
    ? 'Nothing to send'
    : `${percentage} % of ${isAll ? plural(deliveries, 'delivery', 'deliveries') : `the last ${deliveries}`} arrived`
