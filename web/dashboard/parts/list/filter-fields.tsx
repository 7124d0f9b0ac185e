// Filters of a list as data. Each names a parameter of the URL, and decides how the user sets it.

import type { ComponentChildren, ComponentType } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Icon } from '../../icons.tsx'
import { FilterBar, FilterDate, FilterPick, type Filters, SearchBox } from './filters.tsx'

export type FilterOptions = readonly (readonly [value: string, label: string])[]

type OwnFilter = ComponentType<{ readonly filters: Filters<string> }>

/**
 * `{ name: 'active', label: 'State', options: [['', 'All'], …] }` is a choice, of which the first option does not narrow the list.
 * `{ name: 'from', label: 'From', is: 'day' }` is a date, and `is: 'text'` a search box.
 * `{ names: ['attribute', 'value'], Filter: AttributeFilter }` draws itself.
 */
export type FilterDeclaration =
  | { readonly name: string; readonly label: string; readonly options: FilterOptions }
  | { readonly name: string; readonly label: string; readonly is: 'day' | 'text' }
  | { readonly names: readonly string[]; readonly Filter: OwnFilter }

export const filterNames = (filters: readonly FilterDeclaration[]): readonly string[] =>
  filters.flatMap((filter) => ('names' in filter ? filter.names : [filter.name]))

type Props = {
  readonly filters: Filters<string>
  /** Label of the search box for `query`. */
  readonly search?: string | undefined
  readonly declared: readonly FilterDeclaration[]
  /** On phones the declared filters are folded until one is set. */
  readonly folds?: boolean
}

export function FilterFields({ filters, search, declared, folds = false }: Props) {
  if (search === undefined && declared.length === 0) return null
  const fields = declared.map((filter) => <FilterField filters={filters} filter={filter} />)
  return (
    <FilterBar filters={filters}>
      {search !== undefined && (
        <SearchBox label={search} value={filters.values.query ?? ''} onSearch={(query) => filters.set({ query })} />
      )}
      {folds ? <Folded isSet={filterNames(declared).some((name) => filters.values[name])}>{fields}</Folded> : fields}
    </FilterBar>
  )
}

function FilterField({ filters, filter }: { filters: Filters<string>; filter: FilterDeclaration }) {
  if ('Filter' in filter) return <filter.Filter filters={filters} />
  const { name, label } = filter
  const value = filters.values[name] ?? ''
  const onPick = (picked: string) => filters.set({ [name]: picked })
  if ('options' in filter) return <FilterPick label={label} value={value} options={filter.options} onPick={onPick} />
  if (filter.is === 'day') return <FilterDate label={label} value={value} onPick={onPick} />
  return <SearchBox label={label} value={value} onSearch={onPick} />
}

function Folded({ isSet, children }: { isSet: boolean; children: ComponentChildren }) {
  const id = useId()
  const [isOpen, setOpen] = useState(isSet)
  return (
    <>
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
        {children}
      </div>
    </>
  )
}
