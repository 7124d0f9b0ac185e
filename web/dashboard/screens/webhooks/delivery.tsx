// One delivery: its payload, and the response to each attempt. Responses come from strangers, so they are shown as text.

import { useState } from 'preact/hooks'
import { call, problemOf } from '../../api.ts'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { Facts, Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { CodeBlock, CodeSection, indentedJson } from '../../parts/show/code.tsx'
import { Badge, None, When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { DeliveryBadge, isPast } from './deliveries.tsx'
import {
  type Attempt,
  answerText,
  type DeliveryDetails,
  eventText,
  OPEN_DELIVERY_STATES,
  type Webhook,
  webhookName,
} from './webhook.ts'

export function DeliveryDetail({ id, deliveryId }: { id: string; deliveryId: string }) {
  const path = `/v1/webhooks/${id}/deliveries/${deliveryId}`
  const query = useQuery<DeliveryDetails>(path)
  const { data: webhook } = useQuery<Webhook>(`/v1/webhooks/${id}`)
  const isPolling = query.data !== undefined && OPEN_DELIVERY_STATES.includes(query.data.state)
  // Poll until it has arrived.
  useQuery(isPolling ? path : null, { every: 2 })
  const back = { href: `/dashboard/webhooks/${id}`, label: webhook === undefined ? 'Webhook' : webhookName(webhook) }
  return (
    <Page
      title={query.data?.event ?? 'Delivery'}
      back={back}
      aside={query.data && <DeliveryBadge state={query.data.state} />}
      actions={query.data && <Actions delivery={query.data} webhook={webhook} />}
    >
      <Loaded query={query} back={back}>
        {(delivery) => (
          <>
            <Verdict delivery={delivery} webhook={webhook} />
            <Section title="About it" hidesTitle>
              <Facts
                facts={[
                  ['What happened', eventText(delivery.event)],
                  ['When', <When at={delivery.created} isFull />],
                  ['Event', <a href={`/dashboard/events/${delivery.event_id}`}>{delivery.event_id}</a>],
                  ['Object', delivery.object_id === null ? <None /> : <code>{delivery.object_id}</code>],
                  [
                    'Caused by',
                    delivery.request_id === null ? (
                      'No request of the API'
                    ) : (
                      <a href={`/dashboard/requests/${delivery.request_id}`}>{delivery.request_id}</a>
                    ),
                  ],
                ]}
              />
            </Section>
            <Section title="Attempts">
              {delivery.attempts.length === 0 ? (
                <p class="hint">None yet.</p>
              ) : (
                <ol class="attempts">
                  {delivery.attempts.toReversed().map((attempt, index) => (
                    <li key={`${attempt.number} ${attempt.at}`}>
                      <AttemptEntry attempt={attempt} isOpen={index === 0} />
                    </li>
                  ))}
                </ol>
              )}
            </Section>
            {delivery.payload === null ? (
              <Section title="Payload">
                <p class="hint">It is gone: events are kept for 30 days.</p>
              </Section>
            ) : (
              <CodeSection text={indentedJson(delivery.payload)} what="Payload" />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Actions({ delivery, webhook }: { delivery: DeliveryDetails; webhook: Webhook | undefined }) {
  const may = useMay()
  const [isBusy, setBusy] = useState(false)
  // A delivery that waits for its next attempt is tried now. Its other attempts stay as they are.
  const isRetry = OPEN_DELIVERY_STATES.includes(delivery.state)
  const sendAgain = async () => {
    setBusy(true)
    try {
      await call('POST', `/v1/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/replay`)
      invalidateQueries(`/v1/webhooks/${delivery.webhook_id}`)
      showToast(isRetry ? 'It is tried now' : 'It is on its way again')
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <>
      {webhook?.url && delivery.payload !== null && (
        <CopyButton text={curlOf(delivery, webhook)} what="curl line">
          Copy as curl
        </CopyButton>
      )}
      {may('webhooks.replay_delivery') &&
        delivery.state !== 'sending' &&
        (isRetry ? delivery.state === 'retrying' && webhook?.transport === 'http' : true) &&
        (webhook?.active ?? true) &&
        delivery.payload !== null && (
          <Button kind="primary" icon="refund" isBusy={isBusy} onClick={sendAgain}>
            {isRetry ? 'Try now' : 'Send again'}
          </Button>
        )}
    </>
  )
}

function Verdict({ delivery, webhook }: { delivery: DeliveryDetails; webhook: Webhook | undefined }) {
  const { state, next_attempt: next } = delivery
  if (state === 'delivered')
    return (
      <Note tone="good">
        <p>
          It arrived <When at={delivery.updated} />. {answerText(delivery)}
        </p>
      </Note>
    )
  if (state === 'failed')
    return (
      <Note tone="bad">
        <p>It did not arrive, and nothing further is tried. {answerText(delivery)}</p>
      </Note>
    )
  if (state === 'skipped')
    return (
      <Note>
        <p>
          It was not sent: the webhook was off.
          {webhook?.active === false && ' Switch the webhook on to send it.'}
        </p>
      </Note>
    )
  return (
    <Note tone="open">
      <p>
        {delivery.attempts_made === 0 ? 'It is on its way.' : answerText(delivery)}
        {state === 'retrying' && next !== null && (
          <> The next attempt is due {isPast(next) ? 'any moment' : <When at={next} isFull />}.</>
        )}
        {state === 'retrying' && next === null && ' It waits in line until another delivery has arrived.'}
      </p>
    </Note>
  )
}

function AttemptEntry({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const isGood = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
  return (
    <details class="attempt" open={isOpen}>
      <summary>
        <span>Attempt {attempt.number}</span>
        <Badge tone={isGood ? 'good' : 'bad'}>{attempt.status ?? 'No answer'}</Badge>
        <span class="hint">
          <When at={attempt.at} /> · {attempt.ms} ms
        </span>
      </summary>
      <div class="attempt-body">
        {attempt.error !== null && <p>{attempt.error}</p>}
        {attempt.answer === null || attempt.answer === '' ? (
          <p class="hint">{attempt.status === null ? 'No answer came.' : 'The answer had no body.'}</p>
        ) : (
          <CodeBlock text={attempt.answer} what="Answer, its first 2 KB" />
        )}
        <CodeBlock
          text={Object.entries(attempt.request_headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
          what="Headers that were sent"
        />
      </div>
    </details>
  )
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as it was sent, but without signatures: the key is not known here. */
function curlOf(delivery: DeliveryDetails, { id, url }: Webhook): string {
  const headers = Object.entries(delivery.attempts.at(-1)?.request_headers ?? { 'content-type': 'application/json' })
  const body = { id, created: delivery.created, event: delivery.event, response_code: 200, payload: delivery.payload }
  return [
    `curl -X POST ${quote(url ?? '')}`,
    ...headers
      .filter(([name]) => !/signature|content-length|^host$/i.test(name))
      .map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`),
    `  -d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n')
}
