// One webhook: its status, its problems, its deliveries, and all actions on it.

import type { FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Webhook, WebhookDetails, WebhookTest } from '../../../../src/api/webhooks/schema.ts'
import { post } from '../../parts/form/change.ts'
import { backTo } from '../../parts/list/last-address.ts'
import { Button } from '../../parts/page/button.tsx'
import { ChangeButton } from '../../parts/page/change-button.tsx'
import type { OpenDialog } from '../../parts/page/dialog.tsx'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { Facts, Note, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { Deliveries } from './deliveries.tsx'
import {
  DeleteWebhookDialog,
  FinishDialog,
  ReplayDialog,
  RotateDialog,
  SwitchOffDialog,
  SwitchOnDialog,
} from './dialogs.tsx'
import { WebhookDialog } from './edit-dialog.tsx'
import { VerificationSection } from './samples.tsx'
import {
  arrivalsText,
  SigningKeyDialog,
  skippedText,
  useArrivals,
  useSkippedDeliveries,
  WebhookState,
} from './state.tsx'
import { answerText, eventsText, webhookName } from './webhook.ts'

export function WebhookDetail({ id }: ScreenProps) {
  // Poll, because deliveries may fail at any moment.
  const query = useQuery<WebhookDetails>(`/v1/webhooks/${id}`, { every: 5 })
  // Both belong to the page: what polling takes off it must take neither a new key nor a change under way along.
  const [isSwitchingOn, setSwitchingOn] = useState(false)
  const [withNewKey, setWithNewKey] = useState<Webhook | null>(null)
  const switchOn = () => setSwitchingOn(true)
  return (
    <>
      <ObjectPage
        of={query}
        title={webhookName}
        untitled="Webhook"
        back={backTo('/dashboard/webhooks', 'Webhooks')}
        aside={(webhook) => <WebhookState webhook={webhook} />}
        actions={(webhook) => <Actions webhook={webhook} onSwitchOn={switchOn} onNewKey={setWithNewKey} />}
      >
        {(webhook) => (
          <>
            <Trouble webhook={webhook} onSwitchOn={switchOn} />
            <Settings webhook={webhook} />
            <Deliveries webhookId={id} />
            <VerificationSection />
            {isSwitchingOn && <SwitchOnDialog webhook={webhook} onClose={() => setSwitchingOn(false)} />}
          </>
        )}
      </ObjectPage>
      {withNewKey !== null && <SigningKeyDialog webhook={withNewKey} onClose={() => setWithNewKey(null)} />}
    </>
  )
}

type ActionsProps = {
  readonly webhook: Webhook
  readonly onSwitchOn: () => void
  readonly onNewKey: (webhook: Webhook) => void
}

function Actions({ webhook, onSwitchOn, onNewKey }: ActionsProps) {
  const { route } = useLocation()
  const open =
    (Dialog: FunctionComponent<{ webhook: Webhook; onClose: () => void }>): OpenDialog =>
    (close) => <Dialog webhook={webhook} onClose={close} />
  const entries: readonly (MenuEntry | false)[] = [
    { label: 'Change address or events', permission: 'webhooks.update', dialog: open(WebhookDialog) },
    {
      label: 'Change the signing key',
      icon: 'key',
      permission: 'webhooks.rotate',
      dialog: (close) => <RotateDialog webhook={webhook} onNewKey={onNewKey} onClose={close} />,
    },
    hasFormerKey(webhook) && {
      label: 'Finish the change of the key',
      permission: 'webhooks.rotate',
      dialog: open(FinishDialog),
    },
    webhook.active && {
      label: 'Send again what did not arrive',
      icon: 'refund',
      permission: 'webhooks.replay',
      dialog: open(ReplayDialog),
    },
    webhook.active
      ? { label: 'Switch off', permission: 'webhooks.update', dialog: open(SwitchOffDialog) }
      : { label: 'Switch on', permission: 'webhooks.update', onPress: onSwitchOn },
    {
      label: 'Delete',
      icon: 'close',
      isDangerous: true,
      permission: 'webhooks.delete',
      dialog: open(DeleteWebhookDialog),
    },
  ]
  return (
    <>
      {webhook.active && (
        <ChangeButton
          words="Send a test event"
          kind="primary"
          icon="event"
          permission="webhooks.test"
          request={post(`/v1/webhooks/${webhook.id}/test`)}
          onDone={({ delivery }: WebhookTest) => route(`/dashboard/webhooks/${webhook.id}/deliveries/${delivery}`)}
        />
      )}
      <Menu label="More actions" entries={entries.filter((entry) => entry !== false)} />
    </>
  )
}

/** True while the former signing key signs too. */
const hasFormerKey = ({ previous_key_until: until }: Webhook) => until !== null && until * 1_000 > Date.now()

const OFF: Readonly<Record<string, string>> = {
  by_you: 'It was switched off here, or by the API.',
  gone: 'Its server answered 410: it does not want anything any more.',
  failures: 'Nothing arrived for five days, so it was switched off.',
}

/** The problem, when it began, and how to solve it. */
function Trouble({ webhook, onSwitchOn }: { webhook: WebhookDetails; onSwitchOn: () => void }) {
  const may = useMay()
  const skipped = useSkippedDeliveries(webhook)
  if (webhook.state === 'failing') {
    const last = webhook.history.data.find(
      ({ last_status, last_error }) => last_error !== null || (last_status ?? 0) >= 300,
    )
    return (
      <Note tone="bad">
        <p>
          <strong>Failing</strong> since <When at={webhook.failing_since} isFull />. {last && answerText(last)}
        </p>
        <p>
          We try again for three days, with longer and longer waits. After five days without any arrival it is switched
          off. Mend the server, then send a test.
        </p>
        {last && (
          <p>
            <a href={`/dashboard/webhooks/${webhook.id}/deliveries/${last.id}`}>See what was sent and what came back</a>
          </p>
        )}
      </Note>
    )
  }
  if (webhook.state === 'disabled')
    return (
      <Note tone={webhook.disabled_reason === 'by_you' ? 'calm' : 'bad'}>
        <p>
          <strong>Off.</strong> {OFF[webhook.disabled_reason ?? ''] ?? ''}{' '}
          {skipped !== null && `${skippedText(skipped, 'More than')} ${skipped.count === 1 ? 'was' : 'were'} missed.`}
        </p>
        {may('webhooks.update') && (
          <p>
            <Button
              words={
                skipped === null
                  ? 'Switch on'
                  : `Switch on and send what was missed (${skipped.isAll ? '' : '> '}${skipped.count})`
              }
              onClick={onSwitchOn}
            />
          </p>
        )}
      </Note>
    )
  return null
}

function Settings({ webhook }: { webhook: Webhook }) {
  const share = useArrivals(webhook.id)
  return (
    <Section title="Settings" hidesTitle>
      <Facts
        facts={[
          ['Last 24 hours', share === null ? '…' : arrivalsText(share)],
          ['Oldest waiting', share?.oldest_waiting ? <When at={share.oldest_waiting} /> : 'Nothing waits'],
          ['Arrived last', webhook.last_delivered === null ? 'Nothing yet' : <When at={webhook.last_delivered} />],
          ['Events', webhook.subscribed_events.length > 2 ? <EventNames webhook={webhook} /> : eventsText(webhook)],
          webhook.description === '' ? null : ['What it is for', webhook.description],
          ['API version', webhook.version],
          ['Made', <When at={webhook.created} />],
          ['Id', <code>{webhook.id}</code>],
          hasFormerKey(webhook)
            ? [
                'Former signing key',
                <>
                  signs until <When at={webhook.previous_key_until} isFull />
                </>,
              ]
            : null,
        ]}
      />
    </Section>
  )
}

function EventNames({ webhook }: { webhook: Webhook }) {
  return (
    <details>
      <summary>{eventsText(webhook)}</summary>
      {webhook.subscribed_events.join(', ')}
    </details>
  )
}
