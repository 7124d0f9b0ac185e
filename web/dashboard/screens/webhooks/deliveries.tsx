// Deliveries of a webhook, with all filters of the API.

import { FilterBar, FilterDate, FilterPick, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import { CursorPager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Section } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { Badge, None, plural, type Tone, When } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import {
  type CursorPage,
  DELIVERY_STATE_TEXTS,
  type Delivery,
  type DeliveryState,
  EVENT_TEXTS,
  OPEN_DELIVERY_STATES,
} from './webhook.ts'

const TONES: Readonly<Record<DeliveryState, Tone>> = {
  delivered: 'good',
  pending: 'open',
  sending: 'open',
  retrying: 'open',
  failed: 'bad',
  skipped: 'calm',
}

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const words = DELIVERY_STATE_TEXTS.find(([each]) => each === state)?.[1] ?? state
  return <Badge tone={TONES[state] ?? 'calm'}>{words}</Badge>
}

const EVENT_OPTIONS = [['', 'All'], ...Object.keys(EVENT_TEXTS).map((name) => [name, name])] as [string, string][]
const STATUS_OPTIONS = [
  ['', 'All'],
  ...[200, 301, 400, 401, 404, 410, 429, 500, 502, 503].map((code) => [`${code}`, `${code}`]),
] as [string, string][]

export function Deliveries({ webhookId }: { webhookId: string }) {
  const zone = useSession().merchant.time_zone
  const filters = useFilters(['state', 'event', 'status', 'object', 'from', 'to', 'after'])
  const { values } = filters
  const search = new URLSearchParams({ limit: '25' })
  for (const name of ['state', 'event', 'status', 'object', 'after'] as const)
    if (values[name] !== '') search.set(name, values[name])
  if (values.from !== '') search.set('from', String(startOfDay(values.from, zone)))
  if (values.to !== '') search.set('to', String(startOfDay(dayAfter(values.to), zone) - 1))
  const path = `/v1/webhooks/${webhookId}/deliveries?${search}`
  const first = useQuery<CursorPage<Delivery>>(path, { keepsPrevious: true })
  const isPolling = first.data?.data.some(({ state }) => OPEN_DELIVERY_STATES.includes(state)) ?? false
  // Deliveries under way are polled until they have arrived.
  useQuery(isPolling ? path : null, { every: 2 })
  return (
    <Section title="Deliveries" kind="deliveries">
      <FilterBar filters={filters}>
        <FilterPick
          label="State"
          value={values.state}
          options={[['', 'All'], ...DELIVERY_STATE_TEXTS]}
          onPick={(state) => filters.set({ state })}
        />
        <FilterPick
          label="Event"
          value={values.event}
          options={EVENT_OPTIONS}
          onPick={(event) => filters.set({ event })}
        />
        <FilterPick
          label="Answer"
          value={values.status}
          options={STATUS_OPTIONS}
          onPick={(status) => filters.set({ status })}
        />
        <FilterDate label="From" value={values.from} onPick={(from) => filters.set({ from })} />
        <FilterDate label="To" value={values.to} onPick={(to) => filters.set({ to })} />
        <SearchBox label="Object, such as ord_…" value={values.object} onSearch={(object) => filters.set({ object })} />
      </FilterBar>
      <Loaded query={first} lines={4}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              filters.isNarrowed ? (
                <Empty title="Nothing matches" action={<Button onClick={filters.clear}>Clear the filters</Button>} />
              ) : (
                <Empty title="Nothing was sent yet">
                  <p>Send a test event, or do something in the shop that it hears of.</p>
                </Empty>
              )
            ) : (
              <Table
                caption="Deliveries"
                rows={data}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/webhooks/${webhookId}/deliveries/${id}`}
                isBusy={first.isLoading && !isPolling}
                columns={[
                  { label: 'Event', cell: ({ event }) => event },
                  {
                    label: 'State',
                    phone: 'aside',
                    cell: ({ state }) => <DeliveryBadge state={state} />,
                  },
                  {
                    label: 'Object',
                    phone: 'none',
                    cell: ({ object_id: object }) => (object === null ? <None /> : <code class="id">{object}</code>),
                  },
                  { label: 'Answer', cell: (delivery) => <LastAnswer delivery={delivery} /> },
                  {
                    label: 'Attempts',
                    cell: ({ attempts_made: attempts }) => plural(attempts, 'attempt'),
                    phone: 'none',
                  },
                  { label: 'When', cell: ({ created }) => <When at={created} /> },
                ]}
              />
            )}
            <CursorPager next={next} after={values.after} hrefOf={(after) => filters.hrefWith({ after })} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** True if the attempt is due and waits for a worker. */
export const isPast = (at: number): boolean => at * 1_000 <= Date.now()

function LastAnswer({
  delivery: { last_status: status, last_error: error, next_attempt: next, state },
}: {
  delivery: Delivery
}) {
  return (
    <>
      {status ?? error ?? <None />}
      {state === 'retrying' && next !== null && (
        <span class="hint"> · again {isPast(next) ? 'any moment' : <When at={next} />}</span>
      )}
    </>
  )
}
