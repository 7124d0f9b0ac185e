// Status of a webhook and of its deliveries, for the list and the page of webhooks. Also the dialog that shows a new
// signing key once.

import { OnceDialog } from '../../parts/page/once-dialog.tsx'
import { Badge, plural, Status } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'
import { type CursorPage, type Delivery, type Webhook, webhookName } from './webhook.ts'

export function WebhookState({ webhook: { state, disabled_reason: reason } }: { webhook: Webhook }) {
  if (state === 'failing') return <Badge tone="bad">Failing</Badge>
  if (state === 'disabled') return <Badge tone={reason === 'by_you' ? 'calm' : 'bad'}>Off</Badge>
  return <Status state={state} />
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

/** Deliveries that were skipped while the webhook was off. */
export function useSkippedDeliveries({ id, state }: Webhook) {
  const { data } = useQuery<CursorPage<Delivery>>(
    state === 'disabled' ? `/v1/webhooks/${id}/deliveries?state=skipped&limit=${MOST}` : null,
  )
  return data === undefined ? null : { count: data.data.length, isAll: data.next === null }
}

type Arrivals = {
  readonly webhook_id: string
  readonly deliveries: number
  readonly is_all: boolean
  readonly percentage: number | null
  readonly oldest_waiting: number | null
}

/** Share of the last day's deliveries that arrived. */
export function useArrivals(webhookId: string): Arrivals | null {
  const { data } = useQuery<{ data: readonly Arrivals[] }>('/v1/webhooks/arrivals', { every: 10 })
  return data?.data.find(({ webhook_id }) => webhook_id === webhookId) ?? null
}

/** "98 % of 120 deliveries arrived" */
export const arrivalsText = ({ deliveries, is_all: isAll, percentage }: Arrivals): string =>
  percentage === null
    ? 'Nothing to send'
    : `${percentage} % of ${isAll ? plural(deliveries, 'delivery', 'deliveries') : `the last ${deliveries}`} arrived`
