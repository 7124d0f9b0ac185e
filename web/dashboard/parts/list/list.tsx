// A list of the API: reads a page of it, and shows a table with its pager, or what to do without rows. `listScreen` is a page around it.

import type { ComponentChildren } from 'preact'
import type { Pagination } from '../../../../src/lib/page.ts'
import { type Interval, type Query, useQuery } from '../../use-query.ts'
import { Button } from '../page/button.tsx'
import { Empty, Loaded } from '../page/page.tsx'
import { type Filters, useFilters } from './filters.tsx'
import { CursorPager, Pager } from './pager.tsx'
import { type Column, Table, type TableProps } from './table.tsx'

export type ListPage<Row> = { readonly data: readonly Row[]; readonly meta: { readonly pagination: Pagination } }

/** A page of a list that the API does not count. */
export type CursorPage<Row> = { readonly data: readonly Row[]; readonly next: string | null }

/** What is shown without rows. */
export type NoRows = {
  readonly title: string
  readonly icon?: Parameters<typeof Empty>[0]['icon']
  readonly text?: ComponentChildren
  readonly action?: ComponentChildren
}

export type List<Row> = {
  readonly query: Query<ListPage<Row> | CursorPage<Row>>
  readonly filters: Filters<string>
  /** Rows of the shown page. */
  readonly rows: readonly Row[]
  /** Rows of all pages; 0 for a list by cursor. */
  readonly total: number
  /** The filters as the API takes them, without page and size. An export takes the same. */
  readonly question: string
  /** True while the list repeats its request. */
  readonly isPolling: boolean
}

type ListOptions<Row> = {
  readonly limit?: number
  /** Repeats the request after so many seconds. */
  readonly every?: Interval<readonly Row[]> | undefined
  /** Parameters of the API for the values of the URL, if their names or values differ. */
  readonly toApi?: (values: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
}

const same = (values: Readonly<Record<string, string>>) => values

/** `useList<LedgerEntry>(`/v1/giftcards/${id}/entries`, ['page'], { limit: 20 })`: the names are parameters of the URL. */
export function useList<Row>(path: string, names: readonly string[], options: ListOptions<Row> = {}): List<Row> {
  const { limit = 50, every, toApi = same } = options
  const filters = useFilters<string>(names)
  const { page = '', after = '', ...values } = filters.values
  const set = (parameters: Readonly<Record<string, string>>) =>
    Object.entries(parameters).filter(([, value]) => value !== '')
  const question = String(new URLSearchParams(set(toApi(values))))
  const search = new URLSearchParams([
    ['limit', String(limit)],
    ...new URLSearchParams(question),
    ...set({ page, after }),
  ])
  const query = useQuery<ListPage<Row> | CursorPage<Row>>(`${path}?${search}`, {
    keepsPrevious: true,
    ...(every === undefined ? {} : { every: typeof every === 'function' ? (page) => every(page.data) : every }),
  })
  const { data } = query
  const rows = data?.data ?? []
  const total = data !== undefined && 'meta' in data ? data.meta.pagination.total : 0
  const isPolling = (typeof every === 'function' ? every(rows) : every) !== undefined
  return { query, filters, rows, total, question, isPolling }
}

type ListTableProps<Row> = {
  readonly list: List<Row>
  /** Name of the list for screen readers. */
  readonly caption: string
  /** One and many: "order", "orders". */
  readonly things: readonly [one: string, many: string]
  readonly columns: readonly Column<Row>[]
  readonly hrefOf?: (row: Row) => string
  /** By default the row's `id`. */
  readonly keyOf?: (row: Row) => string
  /** Choosing of rows and sorting. */
  readonly table?: Pick<TableProps<Row>, 'chosen' | 'onChoose' | 'nameOf' | 'sort' | 'onSort'>
  readonly empty: NoRows
  /** Sentence if the filters leave nothing. */
  readonly noMatch?: ComponentChildren
  readonly lines?: number
  /** Inside a page that shows other things too: no pager for a single page, and a sentence instead of a large empty state. */
  readonly isPart?: boolean
  /** True: no pager for a single page. */
  readonly hidesOnlyPage?: boolean
  /** Instead of the table. */
  readonly children?: ((rows: readonly Row[], isBusy: boolean) => ComponentChildren) | undefined
  /** Between the table and its pager. */
  readonly below?: ComponentChildren
}

const idOf = (row: unknown) => (row as { readonly id: string }).id

export function ListTable<Row>(props: ListTableProps<Row>) {
  const { list, caption, things, columns, hrefOf, keyOf = idOf, table = {}, lines = 6, isPart = false } = props
  const { hidesOnlyPage = isPart } = props
  const { query, filters, rows } = list
  const isBusy = query.isLoading && !list.isPolling
  return (
    <Loaded of={query} lines={lines}>
      {(page) => (
        <>
          {rows.length === 0 ? (
            <WithoutRows {...props} />
          ) : (
            (props.children?.(rows, isBusy) ?? (
              <Table
                {...table}
                caption={caption}
                rows={rows}
                columns={columns}
                keyOf={keyOf}
                {...(hrefOf === undefined ? {} : { hrefOf })}
                isBusy={isBusy}
              />
            ))
          )}
          {props.below}
          {'next' in page ? (
            <CursorPager
              next={page.next}
              after={filters.values.after ?? ''}
              hrefOf={(after) => filters.hrefWith({ after })}
            />
          ) : (
            rows.length > 0 &&
            'meta' in page &&
            (!hidesOnlyPage || page.meta.pagination.total_pages > 1) && (
              <div class={isPart ? 'pager-below' : undefined}>
                <Pager
                  pagination={page.meta.pagination}
                  things={things}
                  hrefOf={(number) => filters.hrefWith({ page: String(number) })}
                />
              </div>
            )
          )}
        </>
      )}
    </Loaded>
  )
}

/** Parameters of a list without filters. */
const SEARCH_PARAMETERS = new Set(['query', 'page', 'after'])

function WithoutRows<Row>({ list: { query, filters }, things, empty, isPart = false, ...props }: ListTableProps<Row>) {
  const hasSearchOnly = Object.keys(filters.values).every((name) => SEARCH_PARAMETERS.has(name))
  // The API looks at a limited number of rows for one page.
  const hasOlder = query.data !== undefined && 'next' in query.data && query.data.next !== null
  const noMatch = hasOlder ? `Older ${things[1]} were not looked at yet: see “Older” below.` : props.noMatch
  if (filters.isNarrowed)
    return (
      <Empty
        title={hasOlder ? 'Nothing matches so far' : 'Nothing matches'}
        icon="search"
        action={<Button words={hasSearchOnly ? 'Clear the search' : 'Clear the filters'} onClick={filters.clear} />}
      >
        {noMatch !== undefined && <p>{noMatch}</p>}
      </Empty>
    )
  const { title, icon, action, text = isPart ? title : undefined } = empty
  const sentence = typeof text === 'string' ? <p class={isPart ? 'hint' : undefined}>{text}</p> : text
  if (isPart) return sentence
  return (
    <Empty title={title} icon={icon} action={action || undefined}>
      {sentence}
    </Empty>
  )
}
