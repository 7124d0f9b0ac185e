// Dialogs for a webhook: change its signing key, send deliveries again, switch it on or off, delete it.

import { call } from '../../api.ts'
import { Checkbox, Field } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { momentText, plural, shopDay } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { invalidateQueries } from '../../use-query.ts'
import { type Webhook, webhookName } from './webhook.ts'

type DialogProps = { readonly webhook: Webhook; readonly onClose: () => void }

const finish = (text: string, onClose: () => void) => {
  invalidateQueries('/v1/webhooks', '/v1/reports')
  showToast(text)
  onClose()
}

type RotateProps = DialogProps & { readonly onKey: (webhook: Webhook) => void }

export function RotateDialog({ webhook, onKey, onClose }: RotateProps) {
  return (
    <ActionDialog
      title="Change the signing key"
      verb="Make a new key"
      says={[
        'You see the new key once, right after this.',
        'For 24 hours both keys sign the header webhook-signature: put the new one into your server meanwhile.',
        'The signature inside of the body is the former key’s until you finish the change.',
      ]}
      run={({ finish_now }, { idempotencyKey }) =>
        call<Webhook>('POST', `/v1/webhooks/${webhook.id}/rotate`, { body: { finish_now }, idempotencyKey })
      }
      onDone={(webhook) => {
        invalidateQueries('/v1/webhooks')
        onKey(webhook)
      }}
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
      run={(_, { idempotencyKey }) =>
        call('POST', `/v1/webhooks/${webhook.id}/rotate`, { body: { finish_now: true }, idempotencyKey })
      }
      onDone={() => finish('Only the new key signs now', onClose)}
      onClose={onClose}
    />
  )
}

type ReplayResult = { readonly replayed: number; readonly is_done: boolean }

const replayText = ({ replayed, is_done: isDone }: ReplayResult) =>
  replayed === 0
    ? 'There was nothing to send again'
    : `${plural(replayed, 'delivery', 'deliveries')} on the way again${isDone ? '' : ', and more follow'}`

export function ReplayDialog({ webhook, onClose }: DialogProps) {
  const { merchant } = useSession()
  const zone = merchant.time_zone
  return (
    <ActionDialog
      title="Send again what did not arrive"
      verb="Send again"
      says={[
        `All that failed, or came while the webhook was off, in these days goes to ${webhookName(webhook)}.`,
        'Each has the same webhook-id as before, so a server that keeps these does nothing twice.',
      ]}
      run={({ from, to }, { idempotencyKey }) =>
        call<ReplayResult>('POST', `/v1/webhooks/${webhook.id}/replay`, {
          body: {
            from: startOfDay(String(from), zone),
            ...(to === undefined ? {} : { to: startOfDay(dayAfter(String(to)), zone) - 1 }),
          },
          idempotencyKey,
        })
      }
      onDone={(result) => finish(replayText(result), onClose)}
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

type SwitchOnProps = DialogProps & { readonly skipped: { readonly count: number; readonly isAll: boolean } | null }

export function SwitchOnDialog({ webhook, skipped, onClose }: SwitchOnProps) {
  const { merchant } = useSession()
  const since = webhook.last_delivered ?? webhook.created
  const hasSkipped = skipped !== null && skipped.count > 0
  const many = skipped === null ? '' : `${skipped.isAll ? '' : 'more than '}${plural(skipped.count, 'event')}`
  return (
    <ActionDialog
      title="Switch the webhook on"
      verb={hasSkipped ? 'Switch on and send what was missed' : 'Switch on'}
      says={[
        'It hears of what happens from now on.',
        ...(hasSkipped
          ? [`Sends the ${many} that it missed since ${momentText(since, merchant.time_zone)}, with their old ids.`]
          : []),
      ]}
      run={async (_, { idempotencyKey }) => {
        await call('PUT', `/v1/webhooks/${webhook.id}`, { body: { active: true } })
        if (!hasSkipped) return null
        return call<ReplayResult>('POST', `/v1/webhooks/${webhook.id}/replay`, {
          body: { from: since },
          idempotencyKey,
        })
      }}
      onDone={(result) => finish(result === null ? 'The webhook is on' : replayText(result), onClose)}
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
      run={() => call('PUT', `/v1/webhooks/${webhook.id}`, { body: { active: false } })}
      onDone={() => finish('The webhook is off', onClose)}
      onClose={onClose}
    />
  )
}

type DeleteProps = DialogProps & { readonly onDeleted: () => void }

export function DeleteWebhookDialog({ webhook, onDeleted, onClose }: DeleteProps) {
  return (
    <ActionDialog
      title="Delete the webhook"
      verb="Delete the webhook"
      isDangerous
      says={[
        `Nothing is sent to ${webhookName(webhook)} any more, and what is known of its deliveries is deleted.`,
        'This cannot be taken back. To pause it, switch it off.',
      ]}
      run={() => call('DELETE', `/v1/webhooks/${webhook.id}`)}
      onDone={() => {
        onDeleted()
        finish('The webhook is deleted', onClose)
      }}
      onClose={onClose}
    />
  )
}
