// The request log: requests of the last days, their senders and their responses.

import { useLocation } from 'preact-iso/router'
import { FilterBar, FilterDate, FilterPick, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import { CursorPager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { CodeBlock } from '../../parts/show/code.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { Badge, None, When } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { type ApiKey, shortKey } from '../keys/key.ts'

export type LogLine = {
  readonly id: string
  readonly created: number
  readonly version: string
  readonly key_used: string | null
  readonly key_id: string | null
  readonly sandbox: boolean
  readonly token_id: string | null
  readonly method: string
  readonly url: string
  readonly route: string | null
  readonly secure: boolean
  readonly ip_address: string
  readonly status_code: number
  readonly ms: number
  readonly user_agent: string | null
  readonly idempotency_key: string | null
}

const STATUSES = [
  ['', 'All'],
  ['2xx', '2xx: done'],
  ['4xx', '4xx: refused'],
  ['5xx', '5xx: broke'],
  ...['400', '401', '402', '403', '404', '409', '422', '429', '500', '503'].map((code) => [code, code] as const),
] as [string, string][]

const METHODS = ['', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((name) => [name, name || 'All'] as const)

const NAMES = ['status', 'method', 'path', 'key', 'version', 'from', 'to', 'after'] as const

export function RequestList() {
  const zone = useSession().merchant.time_zone
  const [mode] = useMode()
  const filters = useFilters(NAMES)
  const { values } = filters
  const search = new URLSearchParams({ limit: '50' })
  for (const name of NAMES) if (values[name] !== '') search.set(name, values[name])
  if (values.from !== '') search.set('from', String(startOfDay(values.from, zone)))
  if (values.to !== '') search.set('to', String(startOfDay(dayAfter(values.to), zone)))
  const query = useQuery<{ data: readonly LogLine[]; next: string | null }>(`/v1/developer/logs?${search}`, {
    keepsPrevious: true,
  })
  return (
    <Page
      title="Request log"
      intro={`What was asked of the API in ${mode}, newest first, for some days. Secrets are left out, and so is what this dashboard reads.`}
      actions={
        <Button icon="refund" isBusy={query.isLoading && query.data !== undefined} onClick={query.reload}>
          Look again
        </Button>
      }
    >
      <FilterBar filters={filters}>
        <FilterPick
          label="Answer"
          value={values.status}
          options={STATUSES}
          onPick={(status) => filters.set({ status })}
        />
        <FilterPick
          label="Method"
          value={values.method}
          options={METHODS}
          onPick={(method) => filters.set({ method })}
        />
        <KeyPick value={values.key} onPick={(key) => filters.set({ key })} />
        <VersionPick value={values.version} onPick={(version) => filters.set({ version })} />
        <FilterDate label="From" value={values.from} onPick={(from) => filters.set({ from })} />
        <FilterDate label="To" value={values.to} onPick={(to) => filters.set({ to })} />
        <SearchBox
          label="Path, such as /v1/carts"
          value={values.path}
          onSearch={(path) => filters.set({ path: path === '' || path.startsWith('/') ? path : `/${path}` })}
        />
        <ById />
      </FilterBar>
      <Loaded query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <Nothing isNarrowed={filters.isNarrowed} hasMore={next !== null} onClear={filters.clear} />
            ) : (
              <Table
                caption="Requests"
                rows={data}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/requests/${id}`}
                isBusy={query.isLoading}
                columns={[
                  {
                    label: 'Request',
                    cell: ({ method, url }) => (
                      <span class="request-line">
                        <span class="method">{method}</span> {url.split('?')[0]}
                        {url.includes('?') && <span class="request-query">{url.slice(url.indexOf('?'))}</span>}
                      </span>
                    ),
                  },
                  {
                    label: 'Answer',
                    phone: 'aside',
                    cell: ({ status_code: code }) => <StatusCodeBadge code={code} />,
                  },
                  {
                    label: 'By',
                    cell: ({ key_used: key }) => (key === null ? <None /> : <span class="id">{key}</span>),
                  },
                  {
                    label: 'Version',
                    phone: 'none',
                    cell: ({ version }) => <span class="nowrap">{version}</span>,
                  },
                  { label: 'Took', phone: 'none', isNumber: true, cell: ({ ms }) => `${Math.round(ms)} ms` },
                  {
                    label: 'When',
                    cell: ({ created }) => (
                      <span class="nowrap">
                        <When at={created} />
                      </span>
                    ),
                  },
                ]}
              />
            )}
            <CursorPager next={next} after={values.after} hrefOf={(after) => filters.hrefWith({ after })} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

export function StatusCodeBadge({ code }: { code: number }) {
  return <Badge tone={code >= 500 ? 'bad' : code >= 400 ? 'open' : 'good'}>{code}</Badge>
}

type PickProps = { readonly value: string; readonly onPick: (value: string) => void }

function KeyPick({ value, onPick }: PickProps) {
  const may = useMay()
  const [mode] = useMode()
  const { data } = useQuery<{ data: readonly ApiKey[] }>(may('keys.list') ? '/v1/keys' : null)
  if (data === undefined && value === '') return null
  const keys = (data?.data ?? []).filter(({ sandbox }) => sandbox === (mode === 'sandbox'))
  const activeKeys = keys.map((key) => [key.id, shortKey(key)] as const)
  // A key that was revoked since.
  const revoked = value === '' || activeKeys.some(([id]) => id === value) ? [] : [[value, value] as const]
  return <FilterPick label="Key" value={value} options={[['', 'All'], ...activeKeys, ...revoked]} onPick={onPick} />
}

function VersionPick({ value, onPick }: PickProps) {
  const { data } = useQuery<{ data: readonly { date: string }[] }>('/v1/versions')
  if (data === undefined) return null
  return (
    <FilterPick
      label="Version"
      value={value}
      options={[['', 'All'], ...data.data.map(({ date }) => [date, date] as const)]}
      onPick={onPick}
    />
  )
}

/** Opens a request by its id, such as from an error. */
function ById() {
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
      <Button type="submit">Open</Button>
    </form>
  )
}

type NothingProps = { isNarrowed: boolean; hasMore: boolean; onClear: () => void }

function Nothing({ isNarrowed, hasMore, onClear }: NothingProps) {
  const [mode] = useMode()
  if (isNarrowed)
    return (
      <Empty
        title={hasMore ? 'Nothing matches so far' : 'Nothing matches'}
        action={<Button onClick={onClear}>Clear the filters</Button>}
      >
        {hasMore && <p>Older requests were not looked at yet: see “Older” below.</p>}
      </Empty>
    )
  const key = mode === 'sandbox' ? 'sk_test_…' : 'sk_…'
  return (
    <>
      <Empty title="No requests yet" icon="log">
        <p>
          Send one with a secret key of <a href="/dashboard/keys">yours</a>, then look again.
        </p>
      </Empty>
      <CodeBlock text={`curl ${location.origin}/v1/products -H 'X-Authorization: ${key}'`} what="A first request" />
    </>
  )
}
