// One request with everything stored about it: sender, bodies, response, and the events that it caused.

import type { RequestLogEntry } from '../../../../src/api/developer/logs.ts'
import { backTo } from '../../parts/list/last-address.ts'
import { CopyButton } from '../../parts/page/button.tsx'
import { Facts, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { CodeSection, indentedJson } from '../../parts/show/code.tsx'
import { None, When } from '../../parts/show/values.tsx'
import { curlText } from './curl.ts'
import { StatusCodeBadge } from './list.tsx'

export function RequestDetail({ id }: ScreenProps) {
  return (
    <ObjectPage<RequestLogEntry>
      of={`/v1/developer/logs/${encodeURIComponent(id)}`}
      title={({ method, url }) => `${method} ${url.split('?')[0]}`}
      untitled="Request"
      back={backTo('/dashboard/requests', 'Request log')}
      aside={(log) => <StatusCodeBadge code={log.status_code} />}
      actions={(log) => <CopyButton words="Copy as curl" text={curlOf(log)} what="curl line" />}
    >
      {(log) => (
        <>
          <Section title="About it" hidesTitle>
            <Facts
              facts={[
                ['When', <When at={log.created} isFull />],
                ['Took', `${log.ms} ms`],
                ['By', log.key_used === null ? 'A customer' : <Key log={log} />],
                ['Version', <a href={`/dashboard/requests?version=${log.version}`}>{log.version}</a>],
                ['Address', <code>{log.url}</code>],
                log.route === null ? null : ['Route', <code>{log.route}</code>],
                ['From', `${log.ip_address}${log.secure ? '' : ', without HTTPS'}`],
                log.user_agent === null ? null : ['Client', log.user_agent],
                log.idempotency_key === null ? null : ['Idempotency-Key', <code>{log.idempotency_key}</code>],
                log.token_id === null ? null : ['Checkout token', <code>{log.token_id}</code>],
                [
                  'Id',
                  <span class="key-line">
                    <code>{log.id}</code>
                    <CopyButton text={log.id} what="Request id" />
                  </span>,
                ],
              ]}
            />
          </Section>
          <Section title="Events that it caused">
            {log.events.length === 0 ? (
              <p class="hint">None: it changed nothing that is told.</p>
            ) : (
              <ul class="stack tight">
                {log.events.map((event) => (
                  <li key={event}>
                    <a href={`/dashboard/events/${event}`}>{event}</a>
                  </li>
                ))}
              </ul>
            )}
          </Section>
          <div class="bodies column pair">
            <Body log={log} of="request" title="What was sent" what="Body of the request" />
            <Body log={log} of="response" title="What was answered" what="Body of the answer" />
          </div>
        </>
      )}
    </ObjectPage>
  )
}

function Key({ log: { key_id: id, key_used: used } }: { log: RequestLogEntry }) {
  if (id === null) return <>{used ?? <None />}</>
  return <a href={`/dashboard/requests?key=${encodeURIComponent(id)}`}>{used}</a>
}

type BodyProps = {
  readonly log: RequestLogEntry
  readonly of: 'request' | 'response'
  readonly title: string
  readonly what: string
}

function Body({ log, of, title, what }: BodyProps) {
  const content = log[of]
  if (content !== null) return <CodeSection title={title} text={indentedJson(content)} what={what} />
  return (
    <Section title={title}>
      <p class="hint">
        {log.method === 'GET' ? 'Not kept: only bodies of writes and of refusals are.' : 'It had no body.'}
      </p>
    </Section>
  )
}

/** Contains a placeholder for the key, because the log does not store keys. */
function curlOf({ method, url, version, sandbox, key_used: used, request }: RequestLogEntry): string {
  const kind = used?.startsWith('pk_') ? 'pk' : 'sk'
  const headers = [
    ['X-Authorization', `${kind}_${sandbox ? 'test_' : ''}…`],
    ['Service-Version', version],
  ] as const
  if (request === null) return curlText({ method, url: location.origin + url, headers })
  return curlText({
    method,
    url: location.origin + url,
    headers: [...headers, ['Content-Type', 'application/json']],
    body: typeof request === 'string' ? request : JSON.stringify(request),
  })
}
