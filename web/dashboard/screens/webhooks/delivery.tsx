// One delivery: its payload, and the response to each attempt. Responses come from strangers, so they are shown as text.

import type { DeliveryDetails, Webhook } from '../../../../src/api/webhooks/schema.ts'
import { post } from '../../parts/form/change.ts'
import { CopyButton } from '../../parts/page/button.tsx'
import { ChangeButton } from '../../parts/page/change-button.tsx'
import { Facts, Note, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { CodeBlock, CodeSection, indentedJson } from '../../parts/show/code.tsx'
import { Badge, None, When } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'
import { curlText } from '../requests/curl.ts'
import { isPast } from './deliveries.tsx'
import { DeliveryBadge, RequestLink } from './state.tsx'
import { answerText, DELIVERY_STATES, eventText, isUnderWay, pollUntilDelivered, webhookName } from './webhook.ts'

type Attempt = DeliveryDetails['attempts'][number]

type DeliveryProps = { readonly delivery: DeliveryDetails; readonly webhook: Webhook | undefined }

export function DeliveryDetail({ id, deliveryId }: ScreenProps) {
  const query = useQuery<DeliveryDetails>(`/v1/webhooks/${id}/deliveries/${deliveryId}`, {
    every: (delivery) => pollUntilDelivered([delivery]),
  })
  const { data: webhook } = useQuery<Webhook>(`/v1/webhooks/${id}`)
  return (
    <ObjectPage
      of={query}
      title={({ event }) => event}
      untitled="Delivery"
      back={{ href: `/dashboard/webhooks/${id}`, label: webhook === undefined ? 'Webhook' : webhookName(webhook) }}
      aside={({ state }) => <DeliveryBadge state={state} />}
      actions={(delivery) => <Actions delivery={delivery} webhook={webhook} />}
    >
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
                ['Caused by', <RequestLink id={delivery.request_id} none="No request of the API" />],
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
    </ObjectPage>
  )
}

function Actions({ delivery, webhook }: DeliveryProps) {
  if (delivery.payload === null) return null
  // A delivery that waits for its next attempt is tried now. Its other attempts stay as they are.
  const isRetry = delivery.state === 'retrying'
  const canSend = isRetry ? webhook?.transport === 'http' : !isUnderWay(delivery)
  return (
    <>
      {webhook?.url && <CopyButton words="Copy as curl" text={curlOf(delivery, webhook)} what="curl line" />}
      {canSend && webhook?.active !== false && (
        <ChangeButton
          words={isRetry ? 'Try now' : 'Send again'}
          kind="primary"
          icon="refund"
          permission="webhooks.replay_delivery"
          request={post(`/v1/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}/replay`)}
          done={isRetry ? 'It is tried now' : 'It is on its way again'}
        />
      )}
    </>
  )
}

function Verdict({ delivery, webhook }: DeliveryProps) {
  const [tone] = DELIVERY_STATES[delivery.state]
  return (
    <Note tone={tone}>
      <p>
        <VerdictText delivery={delivery} webhook={webhook} />
      </p>
    </Note>
  )
}

function VerdictText({ delivery, webhook }: DeliveryProps) {
  const { state, next_attempt: next } = delivery
  const answer = answerText(delivery)
  switch (state) {
    case 'delivered':
      return (
        <>
          It arrived <When at={delivery.updated} />. {answer}
        </>
      )
    case 'failed':
      return <>It did not arrive, and nothing further is tried. {answer}</>
    case 'skipped':
      return (
        <>
          It was not sent: the webhook was off.
          {webhook?.active === false && ' Switch the webhook on to send it.'}
        </>
      )
    default:
      return (
        <>
          {delivery.attempts_made === 0 ? 'It is on its way.' : answer}
          {state === 'retrying' && next !== null && (
            <> The next attempt is due {isPast(next) ? 'any moment' : <When at={next} isFull />}.</>
          )}
          {state === 'retrying' && next === null && ' It waits in line until another delivery has arrived.'}
        </>
      )
  }
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
      <div class="stack">
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

/** The request as it was sent, but without signatures: the key is not known here. */
function curlOf(delivery: DeliveryDetails, { id, url }: Webhook): string {
  const headers = Object.entries(delivery.attempts.at(-1)?.request_headers ?? { 'content-type': 'application/json' })
  const body = { id, created: delivery.created, event: delivery.event, response_code: 200, payload: delivery.payload }
  return curlText({
    method: 'POST',
    url: url ?? '',
    headers: headers.filter(([name]) => !/signature|content-length|^host$/i.test(name)),
    body: JSON.stringify(body),
  })
}
