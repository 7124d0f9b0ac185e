// Webhooks of the current mode: URL, events and status of each.

import { useState } from 'preact/hooks'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay, useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { loadWhenIdle } from '../later.tsx'
import { VerificationSection } from './samples.tsx'
import { arrivalsText, SigningKeyDialog, useArrivals, WebhookState } from './state.tsx'
import { eventsText, type Webhook, webhookName } from './webhook.ts'

const WebhookDialog = loadWhenIdle(async () => (await import('./edit-dialog.tsx')).WebhookDialog)

export function WebhookList() {
  const query = useQuery<{ data: readonly Webhook[] }>('/v1/webhooks?limit=50')
  const may = useMay()
  const [mode] = useMode()
  const [isMaking, setMaking] = useState(false)
  const [newHook, setNewHook] = useState<Webhook | null>(null)
  const newButton = may('webhooks.create') && (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      actions={newButton}
      intro="Your server hears of every order: each event is posted to the addresses that you set, signed, and tried again for three days when it does not arrive."
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <>
              <Empty title={`No webhooks in ${mode}`} icon="webhook" action={newButton}>
                <p>
                  Add the address of your server, send it a test, and see what it answers. On your own machine nothing
                  has to be set up: <code>cartwright listen --forward-to http://localhost:3000/hooks</code>
                </p>
              </Empty>
              <VerificationSection />
            </>
          ) : (
            <Table
              caption="Webhooks"
              rows={data}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/dashboard/webhooks/${id}`}
              columns={[
                { label: 'Address', cell: (webhook) => webhookName(webhook) },
                { label: 'State', phone: 'aside', cell: (webhook) => <WebhookState webhook={webhook} /> },
                {
                  label: 'Events',
                  cell: (webhook) => <span class="nowrap">{eventsText(webhook)}</span>,
                },
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
              ]}
            />
          )
        }
      </Loaded>
      {isMaking && (
        <WebhookDialog
          onClose={() => setMaking(false)}
          onFailed={() => setMaking(false)}
          onSaved={(webhook) => {
            setMaking(false)
            setNewHook(webhook)
          }}
        />
      )}
      {newHook?.signing_key !== undefined && <SigningKeyDialog webhook={newHook} onClose={() => setNewHook(null)} />}
    </Page>
  )
}

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
