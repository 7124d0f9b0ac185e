// All codes: discount, uses and end of each.

import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ExportButton } from '../../parts/list/export-button.tsx'
import { FilterBar, FilterPick, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button, LinkButton } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { Badge, count, When } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { type Discount, discountListView, discountStatus, hasEnded, worthText } from './discount.ts'

const LIST = '/dashboard/discounts'

export function DiscountList() {
  const filters = useFilters(['query', 'is_expired', 'page'])
  const query = useQuery<ListPage<Discount>>(`/v1/discounts?${filters.query({ limit: '50' })}`, { keepsPrevious: true })
  const { url, path } = useLocation()
  const may = useMay()
  const [mode] = useMode()
  const { merchant } = useSession()
  useEffect(() => {
    // The list stays mounted until the next screen is loaded, and `url` is already that of the next screen.
    if (path === LIST) discountListView.address = url
  }, [url, path])
  const newButton = may('discounts.create') && (
    <LinkButton kind="primary" icon="plus" href={`${LIST}/new`}>
      New discount
    </LinkButton>
  )
  const { query: text, is_expired } = filters.values
  return (
    <Page
      title="Discounts"
      intro={`Codes that shoppers enter at the checkout. Sandbox and live share them; uses are counted in each by itself, here those of ${mode}.`}
      actions={
        <>
          <ExportButton
            path={`/v1/discounts/export?${new URLSearchParams({ ...(text && { query: text }), ...(is_expired && { is_expired }) })}`}
            name="discounts.csv"
            isOff={query.data?.data.length === 0}
          />
          {newButton}
        </>
      }
    >
      <FilterBar filters={filters}>
        <SearchBox label="Part of a code" value={text} onSearch={(typed) => filters.set({ query: typed })} />
        <FilterPick
          label="Show"
          value={is_expired}
          options={[
            ['', 'All'],
            ['false', 'Not ended'],
            ['true', 'Ended'],
          ]}
          onPick={(value) => filters.set({ is_expired: value })}
        />
      </FilterBar>
      <Loaded query={query} lines={10}>
        {({ data, meta: { pagination } }) =>
          data.length > 0 ? (
            <>
              <Table
                caption="Discounts"
                rows={data}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `${LIST}/${id}`}
                isBusy={query.isLoading}
                columns={[
                  { label: 'Code', cell: ({ code }) => <span class="code-text">{code}</span> },
                  {
                    label: 'Takes off',
                    cell: (discount) => worthText(discount, merchant.currency),
                    isNumber: true,
                    phone: 'aside',
                  },
                  { label: 'Standing', cell: (discount) => <DiscountStatus discount={discount} /> },
                  { label: 'Uses', cell: usesText },
                  {
                    label: 'Until',
                    cell: ({ expires }) =>
                      expires === null ? (
                        'No end'
                      ) : (
                        <>
                          <span class="phone-word">{hasEnded(expires) ? 'ended' : 'until'} </span>
                          <When at={expires} />
                        </>
                      ),
                  },
                ]}
              />
              <Pager
                pagination={pagination}
                things={['code', 'codes']}
                hrefOf={(page) => filters.hrefWith({ page: String(page) })}
              />
            </>
          ) : filters.isNarrowed ? (
            <Empty
              title="Nothing matches"
              icon="search"
              action={<Button onClick={filters.clear}>Clear the filters</Button>}
            >
              <p>No code has this in it and stands like that.</p>
            </Empty>
          ) : (
            <Empty title="No discounts yet" icon="discount" action={newButton}>
              <p>Make a code, and whoever enters it at the checkout pays less: a percentage, or a fixed amount.</p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

/** "3 of 10 uses" */
export const usesText = ({ used, limit }: Discount): string =>
  limit === null ? `${count(used)} used, no limit` : `${count(used)} of ${count(limit)} used`

export function DiscountStatus({ discount }: { discount: Discount }) {
  const [tone, text] = discountStatus(discount)
  return <Badge tone={tone}>{text}</Badge>
}
