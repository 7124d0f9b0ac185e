// biome-ignore-all lint/a11y/noRedundantRoles: browsers forget the roles where CSS takes the table's shape away.
// A native table. On phones each row becomes a card. Roles are explicit, because browsers drop them if CSS changes the display of a table.

import type { ComponentChildren } from 'preact'
import { useId, useMemo, useRef } from 'preact/hooks'
import { Icon } from '../../icons.tsx'

export type Column<Row> = {
  /** Heading of the column. No two columns of a table have the same. */
  readonly label: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  /** Place on a phone: the card's title, opposite the title, or hidden. Others follow below with their labels. */
  readonly phone?: 'title' | 'aside' | 'plain' | 'none'
  /** Value of the API's `sortBy`. */
  readonly sort?: string
}

export type Sort = { readonly by: string; readonly direction: 'asc' | 'desc' }

export type TableProps<Row> = {
  /** Name of the list for screen readers: "Orders". */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Target of a row. The first cell is the link; the whole row is clickable. */
  readonly hrefOf?: (row: Row) => string
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  /** Keys of the chosen rows. `nameOf` names a row's checkbox: "Order CHK-1". */
  readonly chosen?: ReadonlySet<string>
  readonly onChoose?: (chosen: ReadonlySet<string>) => void
  readonly nameOf?: (row: Row) => string
  readonly isBusy?: boolean
}

export function Table<Row>(props: TableProps<Row>) {
  const {
    caption,
    columns,
    rows,
    keyOf,
    hrefOf,
    sort,
    onSort,
    chosen,
    onChoose,
    nameOf = keyOf,
    isBusy = false,
  } = props
  const id = useId()
  const canChoose = chosen !== undefined && onChoose !== undefined
  const areAllChosen = canChoose && rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)))
  const choose = (keys: readonly string[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const key of keys) isOn ? next.add(key) : next.delete(key)
    onChoose?.(next)
  }
  /** A stable function that calls the newest `choose`, so that rows are not drawn again. */
  const latest = useRef(choose)
  latest.current = choose
  const pick = useRef((key: string, isOn: boolean) => latest.current([key], isOn)).current
  return (
    <div class="table-box" aria-busy={isBusy || undefined}>
      <table role="table" class="table" aria-labelledby={id}>
        <caption id={id} class="unseen">
          {caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            {canChoose && (
              <th role="columnheader" scope="col" class="choose">
                <input
                  type="checkbox"
                  aria-label="Choose all on this page"
                  checked={areAllChosen}
                  onChange={(event) => choose(rows.map(keyOf), event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.label}
                role="columnheader"
                scope="col"
                class={column.isNumber ? 'number' : undefined}
                aria-sort={sortStateOf(column.sort, sort)}
              >
                {column.sort !== undefined && onSort !== undefined ? (
                  <SortButton label={column.label} by={column.sort} sort={sort} onSort={onSort} />
                ) : (
                  column.label
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const key = keyOf(row)
            return (
              <TableRow
                key={key}
                id={key}
                row={row}
                columns={columns}
                href={hrefOf?.(row)}
                name={canChoose ? nameOf(row) : ''}
                isChosen={canChoose && chosen.has(key)}
                onPick={canChoose ? pick : undefined}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

type RowProps<Row> = {
  readonly id: string
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly href: string | undefined
  readonly name: string
  readonly isChosen: boolean
  readonly onPick: ((key: string, isOn: boolean) => void) | undefined
}

/** Redraws a row only if it has changed. Otherwise each tick in a list of 200 rows would draw all cells. */
function TableRow<Row>({ id, row, columns, href, name, isChosen, onPick }: RowProps<Row>) {
  const cells = useMemo(
    () =>
      columns.map((column, index) => (
        <td
          key={column.label}
          role="cell"
          class={`${column.isNumber ? 'number' : ''} on-phone-${column.phone ?? (index === 0 ? 'title' : 'plain')}`}
          data-label={column.label}
        >
          {index === 0 && href !== undefined ? <a href={href}>{column.cell(row)}</a> : column.cell(row)}
        </td>
      )),
    [row, columns, href],
  )
  return useMemo(
    () => (
      <tr role="row" class={href === undefined ? undefined : 'leads'} data-key={id}>
        {onPick !== undefined && (
          <td role="cell" class="choose">
            <input
              type="checkbox"
              aria-label={`Choose ${name}`}
              checked={isChosen}
              onChange={(event) => onPick(id, event.currentTarget.checked)}
            />
          </td>
        )}
        {cells}
      </tr>
    ),
    [cells, name, isChosen, onPick],
  )
}

function sortStateOf(by: string | undefined, sort: Sort | undefined) {
  if (by === undefined || sort?.by !== by) return undefined
  return sort.direction === 'asc' ? 'ascending' : 'descending'
}

type SortButtonProps = { label: string; by: string; sort: Sort | undefined; onSort: (sort: Sort) => void }

function SortButton({ label, by, sort, onSort }: SortButtonProps) {
  const isThis = sort?.by === by
  const direction = isThis && sort.direction === 'desc' ? 'asc' : 'desc'
  return (
    <button type="button" class={`sort${isThis ? ` ${sort.direction}` : ''}`} onClick={() => onSort({ by, direction })}>
      {label}
      <Icon name="down" />
    </button>
  )
}
