// All customers, found by the beginning of a name or an e-mail address, or by an id.

import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { FilterBar, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import { Pager, type PagerPages } from '../../parts/list/pager.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { None, When } from '../../parts/show/values.tsx'
import { useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { type Customer, customerListView, fullCustomerName } from './customer.ts'

type Listed = { readonly data: readonly Customer[]; readonly meta: { readonly pagination: PagerPages } }

const COLUMNS: readonly Column<Customer>[] = [
  { key: 'name', label: 'Name', cell: fullCustomerName },
  { key: 'email', label: 'E-mail', cell: ({ email }) => email },
  { key: 'phone', label: 'Phone', cell: ({ phone }) => phone ?? <None />, phone: 'none' },
  { key: 'since', label: 'Since', cell: ({ created }) => <When at={created} />, phone: 'aside' },
]

export function CustomerList() {
  const filters = useFilters(['query', 'page'])
  const [mode] = useMode()
  const { url, path } = useLocation()
  const query = useQuery<Listed>(`/v1/customers?${filters.query({ limit: '50' })}`, { keepsPrevious: true })
  useEffect(() => {
    // The list stays mounted until the next screen is loaded, and `url` is already that of the next screen.
    if (path === '/dashboard/customers') customerListView.address = url
  }, [url, path])
  return (
    <Page title="Customers">
      <FilterBar filters={filters}>
        <SearchBox
          label="Name, e-mail address or id"
          value={filters.values.query}
          onSearch={(text) => filters.set({ query: text })}
        />
      </FilterBar>
      <Loaded query={query} lines={12}>
        {({ data, meta: { pagination } }) => {
          if (data.length > 0)
            return (
              <>
                <Table
                  caption="Customers"
                  rows={data}
                  columns={COLUMNS}
                  keyOf={({ id }) => id}
                  hrefOf={({ id }) => `/dashboard/customers/${id}`}
                  isBusy={query.isLoading}
                />
                <Pager
                  pagination={pagination}
                  things={['customer', 'customers']}
                  hrefOf={(page) => filters.hrefWith({ page: String(page) })}
                />
              </>
            )
          return filters.isNarrowed ? (
            <Empty
              title="Nothing matches"
              icon="search"
              action={<Button onClick={filters.clear}>Clear the search</Button>}
            >
              <p>Customers are found by how their first, last or full name or their e-mail address begins.</p>
            </Empty>
          ) : (
            <Empty title="No customers yet" icon="customers">
              <p>They arrive with their first order in {mode}.</p>
            </Empty>
          )
        }}
      </Loaded>
    </Page>
  )
}
