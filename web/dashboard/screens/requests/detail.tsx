// One request with everything stored about it: sender, bodies, response, and the events that it caused.

import { CopyButton } from '../../parts/page/button.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { CodeSection, indentedJson } from '../../parts/show/code.tsx'
import { None, When } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'
import { type LogLine, StatusCodeBadge } from './list.tsx'

type Log = LogLine & {
  /** Null if it is not stored; text if it was truncated. */
  readonly request: unknown
  readonly response: unknown
  readonly events: readonly string[]
}

const BACK = { href: '/dashboard/requests', label: 'Request log' }

export function RequestDetail({ id }: { id: string }) {
  const query = useQuery<Log>(`/v1/developer/logs/${encodeURIComponent(id)}`)
  const log = query.data
  return (
    <Page
      title={log === undefined ? 'Request' : `${log.method} ${log.url.split('?')[0]}`}
      back={BACK}
      aside={log && <StatusCodeBadge code={log.status_code} />}
      actions={
        log && (
          <CopyButton text={curlOf(log)} what="curl line">
            Copy as curl
          </CopyButton>
        )
      }
    >
      <Loaded query={query} back={BACK}>
        {(loaded) => (
          <>
            <Section title="About it" hidesTitle>
              <Facts
                facts={[
                  ['When', <When at={loaded.created} isFull />],
                  ['Took', `${loaded.ms} ms`],
                  ['By', loaded.key_used === null ? 'A customer' : <Key log={loaded} />],
                  ['Version', <a href={`/dashboard/requests?version=${loaded.version}`}>{loaded.version}</a>],
                  ['Address', <code>{loaded.url}</code>],
                  loaded.route === null ? null : ['Route', <code>{loaded.route}</code>],
                  ['From', `${loaded.ip_address}${loaded.secure ? '' : ', without HTTPS'}`],
                  loaded.user_agent === null ? null : ['Client', loaded.user_agent],
                  loaded.idempotency_key === null ? null : ['Idempotency-Key', <code>{loaded.idempotency_key}</code>],
                  loaded.token_id === null ? null : ['Checkout token', <code>{loaded.token_id}</code>],
                  [
                    'Id',
                    <span class="key-line">
                      <code>{loaded.id}</code>
                      <CopyButton text={loaded.id} what="Request id" />
                    </span>,
                  ],
                ]}
              />
            </Section>
            <Section title="Events that it caused">
              {loaded.events.length === 0 ? (
                <p class="hint">None: it changed nothing that is told.</p>
              ) : (
                <ul class="event-links">
                  {loaded.events.map((event) => (
                    <li key={event}>
                      <a href={`/dashboard/events/${event}`}>{event}</a>
                    </li>
                  ))}
                </ul>
              )}
            </Section>
            <div class="bodies">
              <Body
                content={loaded.request}
                title="What was sent"
                what="Body of the request"
                isWrite={loaded.method !== 'GET'}
              />
              <Body
                content={loaded.response}
                title="What was answered"
                what="Body of the answer"
                isWrite={loaded.method !== 'GET'}
              />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Key({ log: { key_id: id, key_used: used } }: { log: Log }) {
  if (id === null) return <>{used ?? <None />}</>
  return <a href={`/dashboard/requests?key=${encodeURIComponent(id)}`}>{used}</a>
}

type BodyProps = { content: unknown; title: string; what: string; isWrite: boolean }

function Body({ content, title, what, isWrite }: BodyProps) {
  if (content !== null) return <CodeSection title={title} text={indentedJson(content)} what={what} />
  return (
    <Section title={title}>
      <p class="hint">{isWrite ? 'It had no body.' : 'Not kept: only bodies of writes and of refusals are.'}</p>
    </Section>
  )
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Contains a placeholder for the key, because the log does not store keys. */
function curlOf({ method, url, version, sandbox, key_used: used, request }: Log): string {
  const kind = used?.startsWith('pk_') ? 'pk' : 'sk'
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(location.origin + url)}`,
    `  -H ${quote(`X-Authorization: ${kind}_${sandbox ? 'test_' : ''}…`)}`,
    `  -H ${quote(`Service-Version: ${version}`)}`,
    ...(request === null
      ? []
      : [
          `  -H 'Content-Type: application/json'`,
          `  -d ${quote(typeof request === 'string' ? request : JSON.stringify(request))}`,
        ]),
  ].join(' \\\n')
}
