// Dialogs for a webhook: change its signing key, send deliveries again, switch it on or off, delete it.

import type { Replay, Webhook } from '../../../../src/api/webhooks/schema.ts'
import { call } from '../../api.ts'
import { del, post, put } from '../../parts/form/change.ts'
import { Checkbox, Field } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { momentText, plural, shopDay } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { skippedText, useSkippedDeliveries } from './state.tsx'
import { webhookName } from './webhook.ts'

type DialogProps = { readonly webhook: Webhook; readonly onClose: () => void }

type RotateProps = DialogProps & { readonly onNewKey: (webhook: Webhook) => void }

const ONE_KEY = 'Only the new key signs now'

export function RotateDialog({ webhook, onNewKey, onClose }: RotateProps) {
  return (
    <ActionDialog
      title="Change the signing key"
      verb="Make a new key"
      says={[
        'You see the new key once, right after this.',
        'For 24 hours both keys sign the header webhook-signature: put the new one into your server meanwhile.',
        'The signature inside of the body is the former key’s until you finish the change.',
      ]}
      request={post(`/v1/webhooks/${webhook.id}/rotate`)}
      // If this finishes a change under way, there is no new key.
      onDone={(changed: Webhook) => (changed.signing_key === undefined ? showToast(ONE_KEY) : onNewKey(changed))}
      onClose={onClose}
    >
      <Checkbox
        name="finish_now"
        label="The former key has leaked: end it at once"
        hint="Your server refuses what arrives until it has the new key; what it refuses is tried again."
      />
    </ActionDialog>
  )
}

export function FinishDialog({ webhook, onClose }: DialogProps) {
  return (
    <ActionDialog
      title="Finish the change of the key"
      verb="Finish the change"
      says={['From now on only the new key signs.', 'A server that still has the former one refuses what arrives.']}
      request={post(`/v1/webhooks/${webhook.id}/rotate`, { finish_now: true })}
      done={ONE_KEY}
      onClose={onClose}
    />
  )
}

const replayText = ({ replayed, is_done: isDone }: Replay) =>
  replayed === 0
    ? 'There was nothing to send again'
    : `${plural(replayed, 'delivery', 'deliveries')} on the way again${isDone ? '' : ', and more follow'}`

export function ReplayDialog({ webhook, onClose }: DialogProps) {
  const { time_zone: zone } = useSession().merchant
  return (
    <ActionDialog
      title="Send again what did not arrive"
      verb="Send again"
      says={[
        `All that failed, or came while the webhook was off, in these days goes to ${webhookName(webhook)}.`,
        'Each has the same webhook-id as before, so a server that keeps these does nothing twice.',
      ]}
      request={post(`/v1/webhooks/${webhook.id}/replay`, ({ from, to }) => ({
        from: startOfDay(String(from), zone),
        ...(to === undefined ? {} : { to: startOfDay(dayAfter(String(to)), zone) - 1 }),
      }))}
      done={replayText}
      onClose={onClose}
    >
      <Field name="from" label="From" type="date" value={shopDay(zone, -1)} hint="Events are kept for 30 days." />
      <Field
        name="to"
        label="To"
        type="date"
        value={shopDay(zone)}
        empty="leave"
        hint={`The day is included. ${zone}`}
      />
    </ActionDialog>
  )
}

export function SwitchOnDialog({ webhook, onClose }: DialogProps) {
  const { time_zone: zone } = useSession().merchant
  const skipped = useSkippedDeliveries(webhook)
  const since = webhook.last_delivered ?? webhook.created
  return (
    <ActionDialog
      title="Switch the webhook on"
      verb={skipped === null ? 'Switch on' : 'Switch on and send what was missed'}
      says={[
        'It hears of what happens from now on.',
        ...(skipped === null
          ? []
          : [`Sends the ${skippedText(skipped)} that it missed since ${momentText(since, zone)}, with their old ids.`]),
      ]}
      run={async (_, { idempotencyKey }) => {
        await call('PUT', `/v1/webhooks/${webhook.id}`, { body: { active: true } })
        if (skipped === null) return null
        return call<Replay>('POST', `/v1/webhooks/${webhook.id}/replay`, { body: { from: since }, idempotencyKey })
      }}
      done={(result) => (result === null ? 'The webhook is on' : replayText(result))}
      onClose={onClose}
    />
  )
}

export function SwitchOffDialog({ webhook, onClose }: DialogProps) {
  return (
    <ActionDialog
      title="Switch the webhook off"
      verb="Switch off"
      says={[
        `Nothing is sent to ${webhookName(webhook)} any more.`,
        'What happens meanwhile is noted, and can be sent when it is switched on again.',
      ]}
      request={put(`/v1/webhooks/${webhook.id}`, { active: false })}
      done="The webhook is off"
      onClose={onClose}
    />
  )
}

export function DeleteWebhookDialog({ webhook, onClose }: DialogProps) {
  return (
    <ActionDialog
      title="Delete the webhook"
      verb="Delete the webhook"
      says={[
        `Nothing is sent to ${webhookName(webhook)} any more, and what is known of its deliveries is deleted.`,
        'This cannot be taken back. To pause it, switch it off.',
      ]}
      request={del(`/v1/webhooks/${webhook.id}`)}
      done="The webhook is deleted"
      leadsTo="/dashboard/webhooks"
      onClose={onClose}
    />
  )
}
