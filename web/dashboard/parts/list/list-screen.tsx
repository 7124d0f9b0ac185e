// A screen with a list, from a declaration: columns, search, filters, export, a button to add something, and what is shown without rows.

import { type ComponentChildren, Fragment, type FunctionComponent } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Mode } from '../../api.ts'
import { type Session, useMay, useMode, useSession } from '../../session.tsx'
import { Button, LinkButton } from '../page/button.tsx'
import type { OpenDialog } from '../page/dialog.tsx'
import { Page } from '../page/page.tsx'
import { count, plural } from '../show/values.tsx'
import { ExportButton } from './export-button.tsx'
import { type FilterDeclaration, FilterFields, filterNames } from './filter-fields.tsx'
import { useLastAddress } from './last-address.ts'
import { type List, ListTable, type NoRows, useList } from './list.tsx'
import type { Column, TableProps } from './table.tsx'

/** What a declaration may depend on. */
export type Here = {
  readonly mode: Mode
  readonly may: (operation: string) => boolean
  readonly merchant: Session['merchant']
  readonly account: Session['account']
  /** Opens a dialog for a row. It belongs to the page, so it stays if the row disappears. */
  readonly open: (dialog: OpenDialog) => void
}

/** A value, or a function that computes it for this user and mode. */
type Depends<T> = T | ((here: Here) => T)

/** Props of the bar below a list with chosen rows. */
export type ChosenRows<Row> = {
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
  readonly list: List<Row>
}

export type ListDeclaration<Row> = {
  /** URL of the screen, such as `/dashboard/orders`. */
  readonly screen: string
  /** Path in the API, such as `/v1/orders`. */
  readonly path: string
  readonly title: string
  /** Name of the table for screen readers; by default the title. */
  readonly caption?: string
  readonly intro?: Depends<string>
  /** One and many: "order", "orders". */
  readonly things: readonly [one: string, many: string]
  readonly columns: Depends<readonly Column<Row>[]>
  /** By default a row leads to the screen's URL followed by its id. Null: it leads nowhere. */
  readonly hrefOf?: ((row: Row) => string) | null
  readonly keyOf?: (row: Row) => string
  readonly limit?: number
  /** For a list with a cursor instead of page numbers. */
  readonly isByCursor?: boolean
  /** Label of the search box. */
  readonly search?: string
  readonly filters?: Depends<readonly FilterDeclaration[]>
  /** True for many filters: phones fold them. */
  readonly folds?: boolean
  /** Further parameters of the URL, such as `sortBy`. */
  readonly parameters?: readonly string[]
  readonly toApi?: (values: Readonly<Record<string, string>>, here: Here) => Readonly<Record<string, string>>
  readonly export?: {
    readonly permission: string
    readonly file: string
    /** True: the button says how many it exports, also unfiltered. */
    readonly counts?: boolean
  }
  /** The button that adds something: opens a dialog, or the URL `new` below the screen. */
  readonly add?: {
    readonly permission: string
    readonly label: string
    readonly href?: string
    readonly dialog?: OpenDialog
    /** Other words without rows: "Add your first product". */
    readonly first?: string
    /** True: without rows the button stands only in the empty state. */
    readonly isOnlyBelow?: boolean
  }
  readonly empty: Depends<NoRows>
  readonly noMatch?: Depends<ComponentChildren>
  /** Choosing of rows: `Bar` shows what can be done with them. */
  readonly choose?: {
    readonly permission: string
    readonly nameOf: (row: Row) => string
    readonly Bar: FunctionComponent<ChosenRows<Row>>
    /** True: the next page keeps the choice. */
    readonly keepsOnPages?: boolean
  }
  readonly lines?: number
  /** True for short lists: no pager for a single page. */
  readonly hidesOnlyPage?: boolean
  /** Further buttons of the page. */
  readonly actions?: (list: List<Row>, here: Here) => ComponentChildren
  /** Above the filters. */
  readonly above?: (list: List<Row>, here: Here) => ComponentChildren
  /** Above the table. */
  readonly head?: (list: List<Row>, here: Here) => ComponentChildren
  /** Below the list. */
  readonly foot?: (list: List<Row>, here: Here) => ComponentChildren
  /** Instead of a table. */
  readonly rows?: (rows: readonly Row[], isBusy: boolean) => ComponentChildren
}

const resolve = <T,>(value: Depends<T>, here: Here): T =>
  typeof value === 'function' ? (value as (here: Here) => T)(here) : value

/** `export const GiftCardList = listScreen<GiftCard>({ … })`, and an entry in routes.tsx. */
export function listScreen<Row>(declared: ListDeclaration<Row>): FunctionComponent {
  const { screen, path, title, things, add, lines = 10, isByCursor = false } = declared
  return function ListScreen() {
    const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
    const here = useHere(setOpenDialog)
    const filters = resolve(declared.filters ?? [], here)
    const names = [
      ...(declared.search === undefined ? [] : ['query']),
      ...filterNames(filters),
      ...(declared.parameters ?? []),
      isByCursor ? 'after' : 'page',
    ]
    const { toApi } = declared
    const list = useList<Row>(path, names, {
      ...(declared.limit === undefined ? {} : { limit: declared.limit }),
      ...(toApi === undefined ? {} : { toApi: (values) => toApi(values, here) }),
    })
    useLastAddress(screen)
    const columns = useMemo(() => resolve(declared.columns, here), [here])
    const { table, bar } = useChoice(declared, list, here)
    const hrefOf =
      declared.hrefOf === undefined ? (row: Row) => `${screen}/${(row as { id: string }).id}` : declared.hrefOf
    const addDialog = add?.dialog
    const addButton = (label: string) =>
      add !== undefined &&
      here.may(add.permission) &&
      (addDialog === undefined ? (
        <LinkButton words={label} kind="primary" icon="plus" href={add.href ?? `${screen}/new`} />
      ) : (
        <Button words={label} kind="primary" icon="plus" onClick={() => here.open(addDialog)} />
      ))
    const empty = resolve(declared.empty, here)
    const hidesAdd = add?.isOnlyBelow === true && list.rows.length === 0
    return (
      <Page
        title={title}
        {...(declared.intro === undefined ? {} : { intro: resolve(declared.intro, here) })}
        actions={
          <>
            <Export declared={declared} list={list} here={here} />
            {declared.actions?.(list, here)}
            {add !== undefined && !hidesAdd && addButton(add.label)}
          </>
        }
      >
        {declared.above?.(list, here)}
        <FilterFields
          filters={list.filters}
          search={declared.search}
          declared={filters}
          folds={declared.folds ?? false}
        />
        {declared.head?.(list, here)}
        <ListTable<Row>
          list={list}
          caption={declared.caption ?? title}
          things={things}
          columns={columns}
          table={table}
          lines={lines}
          hidesOnlyPage={declared.hidesOnlyPage ?? false}
          empty={{ ...empty, action: empty.action ?? (add !== undefined && addButton(add.first ?? add.label)) }}
          noMatch={resolve(declared.noMatch, here)}
          below={bar}
          {...(hrefOf === null ? {} : { hrefOf })}
          {...(declared.keyOf === undefined ? {} : { keyOf: declared.keyOf })}
        >
          {declared.rows}
        </ListTable>
        {declared.foot?.(list, here)}
        {openDialog?.(() => setOpenDialog(null))}
      </Page>
    )
  }
}

function useHere(setOpenDialog: (next: () => OpenDialog) => void): Here {
  const may = useMay()
  const [mode] = useMode()
  const { merchant, account } = useSession()
  return useMemo(() => {
    const open = (dialog: OpenDialog) => setOpenDialog(() => dialog)
    return { mode, may, merchant, account, open }
  }, [mode, may, merchant, account])
}

type Sorted<Row> = Pick<TableProps<Row>, 'chosen' | 'onChoose' | 'nameOf' | 'sort' | 'onSort'>

/** The chosen rows and the order of the list. Other filters and the other mode start a new choice. */
function useChoice<Row>({ choose }: ListDeclaration<Row>, list: List<Row>, here: Here) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { filters, question } = list
  useEffect(() => setChosen(new Set()), [question, here.mode, choose?.keepsOnPages ? '' : filters.values.page])
  const { sortBy = '', sortDirection } = filters.values
  const table: Sorted<Row> = {
    ...(choose !== undefined && here.may(choose.permission)
      ? { chosen, onChoose: setChosen, nameOf: choose.nameOf }
      : {}),
    ...(sortBy === '' ? {} : { sort: { by: sortBy, direction: sortDirection === 'desc' ? 'desc' : 'asc' } }),
    onSort: ({ by, direction }) => filters.set({ sortBy: by, sortDirection: direction }),
  }
  const Bar = choose?.Bar ?? Fragment
  const bar = choose !== undefined && list.rows.length > 0 && <Bar chosen={chosen} onChoose={setChosen} list={list} />
  return { table, bar }
}

type ExportProps<Row> = { readonly declared: ListDeclaration<Row>; readonly list: List<Row>; readonly here: Here }

/** Exports all matching rows, also those of other pages. */
function Export<Row>({ declared: { export: file, path, things }, list, here }: ExportProps<Row>) {
  if (file === undefined || !here.may(file.permission) || list.total === 0) return null
  const all = plural(list.total, ...things)
  const words = file.counts ? all : list.filters.isNarrowed ? count(list.total) : ''
  const verb = list.filters.isNarrowed ? 'Export these' : 'Export'
  return (
    <ExportButton
      path={`${path}/export?${list.question}`}
      name={file.file}
      words={`${verb} ${words}`.trim()}
      done={`Exported ${all}`}
    />
  )
}
