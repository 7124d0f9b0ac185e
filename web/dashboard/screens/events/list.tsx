// All events of the shop, as they happen.

import { useState } from 'preact/hooks'
import { FilterBar, FilterPick, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import { CursorPager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { None, When } from '../../parts/show/values.tsx'
import { useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { type CursorPage, EVENT_TEXTS, eventText } from '../webhooks/webhook.ts'

export type ShopEvent = {
  readonly id: string
  readonly event: string
  readonly object_id: string | null
  /** Null where both modes share the object. */
  readonly sandbox: boolean | null
  readonly request_id: string | null
  readonly response_code: number
  readonly created: number
}

const NAMES = [['', 'All'], ...Object.keys(EVENT_TEXTS).map((name) => [name, name])] as [string, string][]

/** Polling interval. */
const SECONDS = 2

export function EventList() {
  const filters = useFilters(['event', 'object', 'after'])
  const [isPaused, setPaused] = useState(false)
  const [mode] = useMode()
  const { values } = filters
  // Older pages do not change.
  const isLive = !isPaused && values.after === ''
  const query = useQuery<CursorPage<ShopEvent>>(`/v1/events?${filters.query({ limit: '50' })}`, {
    keepsPrevious: true,
    ...(isLive ? { every: SECONDS } : {}),
  })
  return (
    <Page
      title="Events"
      intro={`Every change in ${mode}, and what both modes share, newest first. Kept for 30 days.`}
      actions={
        values.after === '' && (
          <Button icon={isPaused ? 'event' : 'circle'} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
        )
      }
    >
      <FilterBar filters={filters}>
        <FilterPick label="Event" value={values.event} options={NAMES} onPick={(event) => filters.set({ event })} />
        <SearchBox label="Object, such as ord_…" value={values.object} onSearch={(object) => filters.set({ object })} />
      </FilterBar>
      <p class="live" role="status">
        {values.after === '' && <span class={isLive ? 'live-dot is-on' : 'live-dot'} aria-hidden="true" />}
        {values.after !== '' ? 'Older events' : isLive ? 'Live: new ones appear by themselves' : 'Paused'}
      </p>
      <Loaded query={query}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              filters.isNarrowed ? (
                <Empty title="Nothing matches" action={<Button onClick={filters.clear}>Clear the filters</Button>}>
                  <p>An object is found by its whole id.</p>
                </Empty>
              ) : (
                <Empty title="Nothing has happened yet" icon="event">
                  <p>Change a product or place an order, and it appears here within two seconds.</p>
                </Empty>
              )
            ) : (
              <Table
                caption="Events"
                rows={data}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/events/${id}`}
                columns={[
                  { label: 'Event', cell: ({ event }) => event },
                  { label: 'What happened', phone: 'none', cell: ({ event }) => eventText(event) },
                  {
                    label: 'Object',
                    cell: ({ object_id: object }) => (object === null ? <None /> : <code class="id">{object}</code>),
                  },
                  {
                    label: 'Caused by',
                    phone: 'none',
                    cell: ({ request_id: id }) => (id === null ? 'The shop itself' : 'A request'),
                  },
                  { label: 'When', phone: 'aside', cell: ({ created }) => <When at={created} /> },
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
