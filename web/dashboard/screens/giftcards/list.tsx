// The list of gift cards, with their balance and expiry, and a search by the start of the code.

import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ExportButton } from '../../parts/list/export-button.tsx'
import { FilterBar, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Button, LinkButton } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { Badge, Money, None, When } from '../../parts/show/values.tsx'
import { useMay, useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { hasEnded, type ListPage } from '../discounts/discount.ts'
import { type GiftCard, giftCardListView, giftCardStatus } from './gift-card.ts'

const LIST_PATH = '/dashboard/giftcards'

const COLUMNS: readonly Column<GiftCard>[] = [
  { key: 'code', label: 'Code', cell: ({ code }) => <span class="code-text">{code}</span> },
  { key: 'balance', label: 'Left', cell: ({ balance }) => <Money price={balance} />, isNumber: true, phone: 'aside' },
  {
    key: 'value',
    label: 'Of',
    cell: ({ initial_value }) => (
      <>
        <span class="phone-word">of </span>
        <Money price={initial_value} />
      </>
    ),
    isNumber: true,
  },
  { key: 'state', label: 'Standing', cell: (card) => <GiftCardStatus card={card} /> },
  {
    key: 'until',
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
  { key: 'note', label: 'Note', cell: ({ note }) => note ?? <None /> },
]

export function GiftCardStatus({ card }: { card: GiftCard }) {
  const [tone, text] = giftCardStatus(card)
  return <Badge tone={tone}>{text}</Badge>
}

export function GiftCardList() {
  const filters = useFilters(['query', 'page'])
  const query = useQuery<ListPage<GiftCard>>(`/v1/giftcards?${filters.query({ limit: '50' })}`, { keepsPrevious: true })
  const { url, path } = useLocation()
  const may = useMay()
  const [mode] = useMode()
  // Stores the filters for the link back from a gift card. The list stays mounted until the next screen is loaded, while
  // `path` is already that of the next screen.
  useEffect(() => {
    if (path === LIST_PATH) giftCardListView.address = url
  }, [url, path])
  const newButton = may('giftcards.create') && (
    <LinkButton kind="primary" icon="plus" href={`${LIST_PATH}/new`}>
      New gift card
    </LinkButton>
  )
  const { query: codePrefix } = filters.values
  return (
    <Page
      title="Gift cards"
      intro={`Codes with money on them, to be spent at the checkout. Sandbox and live share the cards; what is left is that of each mode, here of ${mode}.`}
      actions={
        <>
          <ExportButton
            path={`/v1/giftcards/export?${new URLSearchParams(codePrefix === '' ? {} : { query: codePrefix })}`}
            name="gift-cards.csv"
            isOff={query.data?.data.length === 0}
          />
          {newButton}
        </>
      }
    >
      <FilterBar filters={filters}>
        <SearchBox label="How the code begins" value={codePrefix} onSearch={(typed) => filters.set({ query: typed })} />
      </FilterBar>
      <Loaded query={query} lines={10}>
        {({ data, meta: { pagination } }) =>
          data.length > 0 ? (
            <>
              <Table
                caption="Gift cards"
                rows={data}
                columns={COLUMNS}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `${LIST_PATH}/${id}`}
                isBusy={query.isLoading}
              />
              <Pager
                pagination={pagination}
                things={['gift card', 'gift cards']}
                hrefOf={(page) => filters.hrefWith({ page: String(page) })}
              />
            </>
          ) : filters.isNarrowed ? (
            <Empty
              title="Nothing matches"
              icon="search"
              action={<Button onClick={filters.clear}>Clear the search</Button>}
            >
              <p>No card has a code that begins like this. Look again at what is printed on it.</p>
            </Empty>
          ) : (
            <Empty title="No gift cards yet" icon="gift" action={newButton}>
              <p>Make one with a value, and hand its code to whoever may spend it, in one order or in several.</p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}
