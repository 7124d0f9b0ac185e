// Deliveries of a webhook, with all filters of the API.

import type { Delivery } from '../../../../src/api/webhooks/schema.ts'
import { type FilterDeclaration, FilterFields, filterNames } from '../../parts/list/filter-fields.tsx'
import { ListTable, useList } from '../../parts/list/list.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Section } from '../../parts/page/page.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { None, plural, When } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { DeliveryBadge } from './state.tsx'
import { DELIVERY_STATES, EVENT_FILTER, OBJECT_FILTER, pollUntilDelivered } from './webhook.ts'

const ANSWER_CODES = ['200', '301', '400', '401', '404', '410', '429', '500', '502', '503']

const FILTERS: readonly FilterDeclaration[] = [
  {
    name: 'state',
    label: 'State',
    options: [['', 'All'], ...Object.entries(DELIVERY_STATES).map(([state, [, text]]) => [state, text] as const)],
  },
  EVENT_FILTER,
  { name: 'status', label: 'Answer', options: [['', 'All'], ...ANSWER_CODES.map((code) => [code, code] as const)] },
  { name: 'from', label: 'From', is: 'day' },
  { name: 'to', label: 'To', is: 'day' },
  OBJECT_FILTER,
]

const COLUMNS: readonly Column<Delivery>[] = [
  { label: 'Event', cell: ({ event }) => event },
  { label: 'State', phone: 'aside', cell: ({ state }) => <DeliveryBadge state={state} /> },
  {
    label: 'Object',
    phone: 'none',
    cell: ({ object_id: object }) => (object === null ? <None /> : <code>{object}</code>),
  },
  { label: 'Answer', cell: (delivery) => <LastAnswer delivery={delivery} /> },
  { label: 'Attempts', phone: 'none', cell: ({ attempts_made: attempts }) => plural(attempts, 'attempt') },
  { label: 'When', cell: ({ created }) => <When at={created} /> },
]

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { time_zone: zone } = useSession().merchant
  const list = useList<Delivery>(`/v1/webhooks/${webhookId}/deliveries`, [...filterNames(FILTERS), 'after'], {
    limit: 25,
    every: pollUntilDelivered,
    toApi: ({ from, to, ...values }) => ({
      ...values,
      from: from ? String(startOfDay(from, zone)) : '',
      to: to ? String(startOfDay(dayAfter(to), zone) - 1) : '',
    }),
  })
  return (
    <Section title="Deliveries" kind="deliveries">
      <FilterFields filters={list.filters} declared={FILTERS} />
      <ListTable
        list={list}
        lines={4}
        caption="Deliveries"
        things={['delivery', 'deliveries']}
        columns={COLUMNS}
        hrefOf={({ id }) => `/dashboard/webhooks/${webhookId}/deliveries/${id}`}
        empty={{
          title: 'Nothing was sent yet',
          text: 'Send a test event, or do something in the shop that it hears of.',
        }}
      />
    </Section>
  )
}

/** True if the attempt is due and waits for a worker. */
export const isPast = (at: number): boolean => at * 1_000 <= Date.now()

function LastAnswer({ delivery }: { delivery: Delivery }) {
  const { last_status: status, last_error: error, next_attempt: next, state } = delivery
  return (
    <>
      {status ?? error ?? <None />}
      {state === 'retrying' && next !== null && (
        <span class="hint"> · again {isPast(next) ? 'any moment' : <When at={next} />}</span>
      )}
    </>
  )
}
