// Filters and search of a list. The URL contains them, so that a view can be bookmarked and shared, and the browser's back button
// works.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Icon } from '../../icons.tsx'
import { Button } from '../page/button.tsx'

export type Filters<Name extends string> = {
  /** Values from the URL; empty text for unset ones. */
  readonly values: Readonly<Record<Name, string>>
  /** Opens the same list with these changes. Page and cursor start again, unless the changes contain them. */
  readonly set: (changes: Partial<Record<Name, string>>) => void
  readonly clear: () => void
  /** Address of the same list with these changes. */
  readonly hrefWith: (changes: Partial<Record<Name, string>>) => string
  /** The set values as a query for the API, after the given parameters: `status_payment=paid&page=2`. */
  readonly query: (always?: Readonly<Record<string, string>>) => string
  /** True if a value other than page, cursor and order narrows the list. */
  readonly isNarrowed: boolean
}

const POSITION_PARAMETERS = new Set(['page', 'after', 'sortBy', 'sortDirection', 'limit'])
const RESTARTED_PARAMETERS = ['page', 'after']

/** `useFilters(['query', 'status_payment', 'page'])`: the names are those of the API. */
export function useFilters<const Name extends string>(names: readonly Name[]): Filters<Name> {
  const { path, query, route } = useLocation()
  const text = names.map((name) => query[name] ?? '').join('\n')
  return useMemo(() => {
    const values = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>
    const hrefWith = (changes: Partial<Record<Name, string>>) => {
      const next: Record<string, string | undefined> = { ...values, ...changes }
      for (const name of RESTARTED_PARAMETERS) if (!(name in changes)) delete next[name]
      const address = new URLSearchParams()
      for (const [name, value] of Object.entries(next))
        if (value !== undefined && value !== '') address.set(name, value)
      const search = address.toString()
      return search === '' ? path : `${path}?${search}`
    }
    return {
      values,
      hrefWith,
      set: (changes) => route(hrefWith(changes), Object.keys(changes).join() === 'query'),
      clear: () => route(path),
      query: (always = {}) => {
        const search = new URLSearchParams(always)
        for (const [name, value] of Object.entries<string>(values)) if (value !== '') search.set(name, value)
        return search.toString()
      },
      isNarrowed: names.some((name) => !POSITION_PARAMETERS.has(name) && values[name] !== ''),
    }
  }, [path, text, route])
}

const TYPING_MS = 250

type SearchProps = { readonly label: string; readonly value: string; readonly onSearch: (text: string) => void }

/** Searches while the user types. */
export function SearchBox({ label, value, onSearch }: SearchProps) {
  const id = useId()
  const timer = useRef(0)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  // The browser's back button or "Clear" may change the URL.
  useEffect(() => {
    if (input.current !== null && document.activeElement !== input.current) input.current.value = value
  }, [value])
  const scheduleSearch = (text: string) => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => onSearch(text.trim()), TYPING_MS)
  }
  return (
    <search class="search-box">
      <label for={id} class="unseen">
        {label}
      </label>
      <Icon name="search" />
      <input
        ref={input}
        id={id}
        type="search"
        placeholder={label}
        defaultValue={value}
        autocomplete="off"
        onInput={(event) => scheduleSearch(event.currentTarget.value)}
      />
    </search>
  )
}

type PickProps = {
  readonly label: string
  readonly value: string
  /** The first option does not narrow the list: `['', 'All']`. */
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onPick: (value: string) => void
}

export function FilterPick({ label, value, options, onPick }: PickProps) {
  const id = useId()
  return (
    <div class={`pick${value === '' ? '' : ' is-set'}`}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

type DateProps = { readonly label: string; readonly value: string; readonly onPick: (value: string) => void }

/** Filters by a day, such as `2026-01-31`. */
export function FilterDate({ label, value, onPick }: DateProps) {
  const id = useId()
  return (
    <div class={`pick${value === '' ? '' : ' is-set'}`}>
      <label for={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={(event) => onPick(event.currentTarget.value)} />
    </div>
  )
}

type FilterBarProps = {
  readonly filters: Pick<Filters<never>, 'isNarrowed' | 'clear'>
  readonly children: ComponentChildren
}

export function FilterBar({ filters, children }: FilterBarProps) {
  return (
    <div class="filter-bar">
      {children}
      {filters.isNarrowed && <Button words="Clear" kind="quiet" icon="close" onClick={filters.clear} />}
    </div>
  )
}
