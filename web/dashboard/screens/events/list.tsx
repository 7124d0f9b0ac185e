// All events of the shop, as they happen.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Event as ShopEvent } from '../../../../src/api/events/schema.ts'
import { FilterFields, filterNames } from '../../parts/list/filter-fields.tsx'
import { useLastAddress } from '../../parts/list/last-address.ts'
import { ListTable, useList } from '../../parts/list/list.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { None, When } from '../../parts/show/values.tsx'
import { useMode } from '../../session.tsx'
import { EVENT_FILTER, eventText, OBJECT_FILTER } from '../webhooks/webhook.ts'

const FILTERS = [EVENT_FILTER, OBJECT_FILTER]

const COLUMNS: readonly Column<ShopEvent>[] = [
  { label: 'Event', cell: ({ event }) => event },
  { label: 'What happened', phone: 'none', cell: ({ event }) => eventText(event) },
  {
    label: 'Object',
    cell: ({ object_id: object }) => (object === null ? <None /> : <code>{object}</code>),
  },
  {
    label: 'Caused by',
    phone: 'none',
    cell: ({ request_id: id }) => (id === null ? 'The shop itself' : 'A request'),
  },
  { label: 'When', phone: 'aside', cell: ({ created }) => <When at={created} /> },
]

const POLL_SECONDS = 2

export function EventList() {
  const [mode] = useMode()
  const [isPaused, setPaused] = useState(false)
  const isOlder = Boolean(useLocation().query.after)
  // Older pages do not change.
  const isLive = !isPaused && !isOlder
  const list = useList<ShopEvent>('/v1/events', [...filterNames(FILTERS), 'after'], {
    every: isLive ? POLL_SECONDS : undefined,
  })
  useLastAddress('/dashboard/events')
  return (
    <Page
      title="Events"
      intro={`Every change in ${mode}, and what both modes share, newest first. Kept for 30 days.`}
      actions={
        !isOlder && (
          <Button
            words={isPaused ? 'Go on' : 'Pause'}
            icon={isPaused ? 'event' : 'circle'}
            onClick={() => setPaused(!isPaused)}
          />
        )
      }
    >
      <FilterFields filters={list.filters} declared={FILTERS} />
      <p class="live" role="status">
        {!isOlder && <span class={`badge-dot ${isLive ? 'good' : 'calm'}`} aria-hidden="true" />}
        {isOlder ? 'Older events' : isLive ? 'Live: new ones appear by themselves' : 'Paused'}
      </p>
      <ListTable
        list={list}
        caption="Events"
        things={['event', 'events']}
        columns={COLUMNS}
        hrefOf={({ id }) => `/dashboard/events/${id}`}
        noMatch="An object is found by its whole id."
        empty={{
          title: 'Nothing has happened yet',
          icon: 'event',
          text: 'Change a product or place an order, and it appears here within two seconds.',
        }}
      />
    </Page>
  )
}
