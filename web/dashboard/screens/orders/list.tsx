// All orders: searched by number, name or e-mail, filtered by status and date. Every view has a URL.

import { useEffect, useId, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Icon } from '../../icons.tsx'
import { ExportButton } from '../../parts/list/export-button.tsx'
import { FilterBar, FilterDate, FilterPick, type Filters, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Tabs } from '../../parts/list/tabs.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { Money, plural, When } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { ShipManyDialog } from './dialogs/ship-many.tsx'
import { type Order, orderCustomerName, orderListView, wantedItems } from './order.ts'
import { OrderDeliveryBadge, PaymentState } from './states.tsx'

type Listed = ListPage<Order>

const NAMES = ['query', 'status', 'status_payment', 'status_fulfillment', 'from', 'to', 'page'] as const
type OrderFilters = Filters<(typeof NAMES)[number]>

const LIST = '/dashboard/orders'
const PER_PAGE = '50'

const VIEWS = [
  ['', 'All'],
  ['unshipped', 'To ship'],
  ['unpaid', 'To be paid'],
  ['cancelled', 'Cancelled'],
] as const

const PAYMENT = [
  ['', 'All'],
  ['paid', 'Paid'],
  ['not_paid', 'Not paid'],
  ['partially_paid', 'Partly paid'],
  ['authorized', 'Held'],
  ['partially_refunded', 'Partly refunded'],
  ['refunded', 'Refunded'],
] as const

const FULFILLMENT = [
  ['', 'All'],
  ['not_fulfilled', 'To ship'],
  ['partially_fulfilled', 'Partly shipped'],
  ['fulfilled', 'Shipped'],
  ['returned', 'Returned'],
] as const

const COLUMNS: readonly Column<Order>[] = [
  { label: 'Order', cell: (order) => order.customer_reference },
  { label: 'Customer', cell: (order) => orderCustomerName(order.customer) },
  { label: 'Placed', cell: (order) => <When at={order.created} /> },
  { label: 'Payment', cell: (order) => <PaymentState order={order} /> },
  { label: 'Delivery', cell: (order) => <OrderDeliveryBadge order={order} /> },
  {
    label: 'Total',
    cell: (order) => <Money price={order.order_value} />,
    isNumber: true,
    phone: 'aside',
  },
]

/** Query for the API; days are those of the shop. */
function apiQueryOf({ values }: OrderFilters, zone: string): URLSearchParams {
  const { from, to, page, ...same } = values
  const question = new URLSearchParams()
  for (const [name, value] of Object.entries(same)) if (value !== '') question.set(name, value)
  // The API excludes the second of each bound.
  if (from !== '') question.set('created_after', String(startOfDay(from, zone) - 1))
  if (to !== '') question.set('created_before', String(startOfDay(dayAfter(to), zone)))
  return question
}

export function OrderList() {
  const filters = useFilters(NAMES)
  const { merchant } = useSession()
  const [mode] = useMode()
  const { url, path } = useLocation()
  const question = apiQueryOf(filters, merchant.time_zone)
  const page = new URLSearchParams([...question, ['limit', PER_PAGE], ['page', filters.values.page || '1']])
  const query = useQuery<Listed>(`/v1/orders?${page}`, { keepsPrevious: true })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    // The list stays mounted until the next screen is loaded, and `url` is already that of the next screen.
    if (path === LIST) orderListView.address = url
    setChosen(new Set())
  }, [url, path, mode])
  return (
    <Page
      title="Orders"
      actions={
        <Export question={question} total={query.data?.meta.pagination.total ?? 0} isNarrowed={filters.isNarrowed} />
      }
    >
      <Tabs
        label="Orders by how they stand"
        tabs={VIEWS.map(([value, label]) => ({
          label,
          href: filters.hrefWith({ status: value }),
          isHere: filters.values.status === value,
        }))}
      />
      <FilterFields filters={filters} />
      <Loaded query={query} lines={12}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <Nothing filters={filters} />
          ) : (
            <>
              <Table
                caption="Orders"
                rows={data}
                columns={COLUMNS}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/orders/${id}`}
                chosen={chosen}
                onChoose={setChosen}
                nameOf={({ customer_reference }) => `order ${customer_reference}`}
                isBusy={query.isLoading}
              />
              <Chosen orders={data.filter(({ id }) => chosen.has(id))} onDone={() => setChosen(new Set())} />
              <Pager
                pagination={pagination}
                things={['order', 'orders']}
                hrefOf={(number) => filters.hrefWith({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function FilterFields({ filters }: { filters: OrderFilters }) {
  const id = useId()
  const { values, set } = filters
  const isSet = [values.status_payment, values.status_fulfillment, values.from, values.to].some(Boolean)
  /** Folded on phones. */
  const [isOpen, setOpen] = useState(isSet)
  return (
    <FilterBar filters={filters}>
      <SearchBox label="Order number, name or e-mail" value={values.query} onSearch={(query) => set({ query })} />
      <button
        type="button"
        class="button plain unfold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="filter" />
        <span>Filters</span>
      </button>
      <div id={id} class={isOpen ? 'folded open' : 'folded'}>
        <FilterPick
          label="Payment"
          value={values.status_payment}
          options={PAYMENT}
          onPick={(value) => set({ status_payment: value })}
        />
        <FilterPick
          label="Delivery"
          value={values.status_fulfillment}
          options={FULFILLMENT}
          onPick={(value) => set({ status_fulfillment: value })}
        />
        <FilterDate label="From" value={values.from} onPick={(from) => set({ from })} />
        <FilterDate label="To" value={values.to} onPick={(to) => set({ to })} />
      </div>
    </FilterBar>
  )
}

function Nothing({ filters }: { filters: OrderFilters }) {
  const [mode] = useMode()
  if (filters.isNarrowed)
    return (
      <Empty title="Nothing matches" icon="search" action={<Button onClick={filters.clear}>Clear the filters</Button>}>
        <p>No order in {mode} is like that.</p>
      </Empty>
    )
  return (
    <Empty title="No orders yet" icon="orders">
      <p>They appear here the moment somebody buys.</p>
      {mode === 'sandbox' && (
        <p>Buy something in your own shop with a sandbox key, or open the page of a product: no money moves here.</p>
      )}
    </Empty>
  )
}

type ExportProps = { readonly question: URLSearchParams; readonly total: number; readonly isNarrowed: boolean }

/** Exports all matching orders, also those of other pages. */
function Export({ question, total, isNarrowed }: ExportProps) {
  const may = useMay()
  if (!may('orders.export') || total === 0) return null
  const orders = plural(total, 'order')
  return (
    <ExportButton
      path={`/v1/orders/export?${question}`}
      name="orders.csv"
      words={isNarrowed ? `Export these ${orders}` : `Export ${orders}`}
      done={`Exported ${orders}`}
    />
  )
}

/** Actions for several orders at once. */
function Chosen({ orders, onDone }: { orders: readonly Order[]; onDone: () => void }) {
  const may = useMay()
  const [isShipping, setShipping] = useState(false)
  const unshipped = orders.filter((order) => wantedItems(order).length > 0)
  if (orders.length === 0) return null
  return (
    <div class="chosen-bar" role="status">
      <p>{plural(orders.length, 'order')} chosen</p>
      {may('orders.create_shipment') && (
        <Button isSmall icon="truck" disabled={unshipped.length === 0} onClick={() => setShipping(true)}>
          {unshipped.length === 0 ? 'Nothing to ship' : `Ship ${plural(unshipped.length, 'order')}`}
        </Button>
      )}
      <Button isSmall kind="quiet" onClick={onDone}>
        Choose none
      </Button>
      {isShipping && (
        <ShipManyDialog
          orders={unshipped}
          onClose={() => setShipping(false)}
          onDone={() => {
            setShipping(false)
            onDone()
          }}
        />
      )}
    </div>
  )
}
