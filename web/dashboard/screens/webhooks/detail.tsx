// One webhook: its status, its problems, its deliveries, and all actions on it.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call, problemOf } from '../../api.ts'
import { Button } from '../../parts/page/button.tsx'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { Facts, Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { plural, When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { loadWhenIdle } from '../later.tsx'
import type { WebhookDialogName } from './all-dialogs.tsx'
import { Deliveries } from './deliveries.tsx'
import { VerificationSection } from './samples.tsx'
import { arrivalsText, useArrivals, useSkippedDeliveries, WebhookState } from './state.tsx'
import { answerText, type Delivery, eventsText, type Webhook, webhookName } from './webhook.ts'

const BACK = { href: '/dashboard/webhooks', label: 'Webhooks' }

const WebhookDialogs = loadWhenIdle(async () => (await import('./all-dialogs.tsx')).WebhookDialogs)

type Details = Webhook & { readonly history: { readonly data: readonly Delivery[] } }

export function WebhookDetail({ id }: { id: string }) {
  // Poll, because deliveries may fail at any moment.
  const query = useQuery<Details>(`/v1/webhooks/${id}`, { every: 5 })
  // Null: all are closed, and a new signing key may be shown. Undefined: none is loaded yet.
  const [openDialog, setOpenDialog] = useState<WebhookDialogName | null | undefined>(undefined)
  const webhook = query.data
  return (
    <Page
      title={webhook === undefined ? 'Webhook' : webhookName(webhook)}
      back={BACK}
      aside={webhook && <WebhookState webhook={webhook} />}
      actions={webhook && <Actions webhook={webhook} onOpen={setOpenDialog} />}
    >
      <Loaded query={query} back={BACK}>
        {(loaded) => (
          <>
            <Trouble webhook={loaded} onOpen={setOpenDialog} />
            <Settings webhook={loaded} />
            <Deliveries webhookId={id} />
            <VerificationSection />
            {openDialog !== undefined && (
              <WebhookDialogs
                webhook={loaded}
                opened={openDialog}
                onOpen={setOpenDialog}
                onFailed={() => setOpenDialog(undefined)}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Actions({ webhook, onOpen }: { webhook: Webhook; onOpen: (opened: WebhookDialogName) => void }) {
  const may = useMay()
  const { route } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      const { delivery } = await call<{ delivery: string }>('POST', `/v1/webhooks/${webhook.id}/test`)
      invalidateQueries(`/v1/webhooks/${webhook.id}`)
      route(`/dashboard/webhooks/${webhook.id}/deliveries/${delivery}`)
    } catch (error) {
      setBusy(false)
      showToast(problemOf(error).message, 'bad')
    }
  }
  const isChanging = webhook.previous_key_until !== null && webhook.previous_key_until * 1_000 > Date.now()
  const entries: (MenuEntry | false)[] = [
    may('webhooks.update') && { label: 'Change address or events', onPress: () => onOpen('edit') },
    may('webhooks.rotate') && { label: 'Change the signing key', icon: 'key', onPress: () => onOpen('rotate') },
    may('webhooks.rotate') && isChanging && { label: 'Finish the change of the key', onPress: () => onOpen('finish') },
    may('webhooks.replay') &&
      webhook.active && { label: 'Send again what did not arrive', icon: 'refund', onPress: () => onOpen('replay') },
    may('webhooks.update') &&
      (webhook.active
        ? { label: 'Switch off', onPress: () => onOpen('off') }
        : { label: 'Switch on', onPress: () => onOpen('on') }),
    may('webhooks.delete') && { label: 'Delete', icon: 'close', isDangerous: true, onPress: () => onOpen('delete') },
  ]
  return (
    <>
      {may('webhooks.test') && webhook.active && (
        <Button kind="primary" icon="event" isBusy={isBusy} onClick={test}>
          Send a test event
        </Button>
      )}
      <Menu label="More actions" entries={entries.filter((entry) => entry !== false)} />
    </>
  )
}

const OFF: Readonly<Record<string, string>> = {
  by_you: 'It was switched off here, or by the API.',
  gone: 'Its server answered 410: it does not want anything any more.',
  failures: 'Nothing arrived for five days, so it was switched off.',
}

/** The problem, when it began, and how to solve it. */
function Trouble({ webhook, onOpen }: { webhook: Details; onOpen: (opened: WebhookDialogName) => void }) {
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
          {skipped !== null &&
            skipped.count > 0 &&
            `${skipped.isAll ? '' : 'More than '}${plural(skipped.count, 'event')} ${
              skipped.count === 1 ? 'was' : 'were'
            } missed.`}
        </p>
        {may('webhooks.update') && (
          <p>
            <Button onClick={() => onOpen('on')}>
              {skipped !== null && skipped.count > 0
                ? `Switch on and send what was missed (${skipped.isAll ? '' : '> '}${skipped.count})`
                : 'Switch on'}
            </Button>
          </p>
        )}
      </Note>
    )
  return null
}

function Settings({ webhook }: { webhook: Details }) {
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
          webhook.previous_key_until === null || webhook.previous_key_until * 1_000 < Date.now()
            ? null
            : [
                'Former signing key',
                <>
                  signs until <When at={webhook.previous_key_until} isFull />
                </>,
              ],
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
