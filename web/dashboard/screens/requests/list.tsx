// The request log: requests of the last days, their senders and their responses.

import { useLocation } from 'preact-iso/router'
import type { LogLine } from '../../../../src/api/developer/logs.ts'
import type { ApiVersions } from '../../../../src/api/developer/versions.ts'
import type { ApiKeyList } from '../../../../src/api/keys/schema.ts'
import { FilterPick, type Filters } from '../../parts/list/filters.tsx'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Button } from '../../parts/page/button.tsx'
import { CodeBlock } from '../../parts/show/code.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { Badge, None, When } from '../../parts/show/values.tsx'
import { useMay, useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { shortKey } from '../keys/key.ts'

const STATUS_CODES = ['400', '401', '402', '403', '404', '409', '422', '429', '500', '503']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const RequestList = listScreen<LogLine>({
  screen: '/dashboard/requests',
  path: '/v1/developer/logs',
  title: 'Request log',
  caption: 'Requests',
  intro: ({ mode }) =>
    `What was asked of the API in ${mode}, newest first, for some days. Secrets are left out, and so is what this dashboard reads.`,
  things: ['request', 'requests'],
  isByCursor: true,
  lines: 6,
  actions: ({ query }) => (
    <Button
      words="Look again"
      icon="refund"
      isBusy={query.isLoading && query.data !== undefined}
      onClick={query.reload}
    />
  ),
  filters: [
    {
      name: 'status',
      label: 'Answer',
      options: [
        ['', 'All'],
        ['2xx', '2xx: done'],
        ['4xx', '4xx: refused'],
        ['5xx', '5xx: broke'],
        ...STATUS_CODES.map((code) => [code, code] as const),
      ],
    },
    { name: 'method', label: 'Method', options: [['', 'All'], ...METHODS.map((name) => [name, name] as const)] },
    { names: ['key'], Filter: KeyFilter },
    { names: ['version'], Filter: VersionFilter },
    { name: 'from', label: 'From', is: 'day' },
    { name: 'to', label: 'To', is: 'day' },
    { name: 'path', label: 'Path, such as /v1/carts', is: 'text' },
    { names: [], Filter: OpenById },
  ],
  toApi: ({ path = '', from, to, ...values }, { merchant }) => ({
    ...values,
    path: path === '' || path.startsWith('/') ? path : `/${path}`,
    from: from ? String(startOfDay(from, merchant.time_zone)) : '',
    to: to ? String(startOfDay(dayAfter(to), merchant.time_zone)) : '',
  }),
  columns: [
    {
      label: 'Request',
      cell: ({ method, url }) => (
        <span>
          <span class="hint verb">{method}</span> {url.split('?')[0]}
          {url.includes('?') && <span class="request-query">{url.slice(url.indexOf('?'))}</span>}
        </span>
      ),
    },
    { label: 'Answer', phone: 'aside', cell: ({ status_code: code }) => <StatusCodeBadge code={code} /> },
    { label: 'By', cell: ({ key_used: key }) => (key === null ? <None /> : <span class="hint">{key}</span>) },
    { label: 'Version', phone: 'none', cell: ({ version }) => <span class="nowrap">{version}</span> },
    { label: 'Took', phone: 'none', isNumber: true, cell: ({ ms }) => `${Math.round(ms)} ms` },
    {
      label: 'When',
      cell: ({ created }) => (
        <span class="nowrap">
          <When at={created} />
        </span>
      ),
    },
  ],
  empty: {
    title: 'No requests yet',
    icon: 'log',
    text: (
      <p>
        Send one with a secret key of <a href="/dashboard/keys">yours</a>, then look again.
      </p>
    ),
  },
  foot: ({ query, filters }, { mode }) =>
    query.data?.data.length === 0 &&
    !filters.isNarrowed && (
      <CodeBlock
        text={`curl ${location.origin}/v1/products -H 'X-Authorization: ${mode === 'sandbox' ? 'sk_test_…' : 'sk_…'}'`}
        what="A first request"
      />
    ),
})

export function StatusCodeBadge({ code }: { code: number }) {
  return <Badge tone={code >= 500 ? 'bad' : code >= 400 ? 'open' : 'good'}>{code}</Badge>
}

type FilterProps = { readonly filters: Filters<string> }

function KeyFilter({ filters }: FilterProps) {
  const may = useMay()
  const [mode] = useMode()
  const { data } = useQuery<ApiKeyList>(may('keys.list') ? '/v1/keys' : null)
  const { key: value = '' } = filters.values
  if (data === undefined && value === '') return null
  const keys = (data?.data ?? []).filter(({ sandbox }) => sandbox === (mode === 'sandbox'))
  const activeKeys = keys.map((key) => [key.id, shortKey(key)] as const)
  // A key that was revoked since.
  const revoked = value === '' || activeKeys.some(([id]) => id === value) ? [] : [[value, value] as const]
  return (
    <FilterPick
      label="Key"
      value={value}
      options={[['', 'All'], ...activeKeys, ...revoked]}
      onPick={(key) => filters.set({ key })}
    />
  )
}

function VersionFilter({ filters }: FilterProps) {
  const { data } = useQuery<ApiVersions>('/v1/versions')
  if (data === undefined) return null
  return (
    <FilterPick
      label="Version"
      value={filters.values.version ?? ''}
      options={[['', 'All'], ...data.data.map(({ date }) => [date, date] as const)]}
      onPick={(version) => filters.set({ version })}
    />
  )
}

/** Opens a request by its id, such as from an error. */
function OpenById() {
  const { route } = useLocation()
  return (
    <form
      class="by-id"
      onSubmit={(event) => {
        event.preventDefault()
        const id = String(new FormData(event.currentTarget).get('id') ?? '').trim()
        if (id !== '') route(`/dashboard/requests/${encodeURIComponent(id)}`)
      }}
    >
      <input name="id" aria-label="Request id" placeholder="Request id: req_…" autocomplete="off" />
      <Button words="Open" type="submit" />
    </form>
  )
}
