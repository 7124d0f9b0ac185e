// Filters and search of a list, kept in the address: a view is a bookmark, goes back by the browser's button and can be sent to somebody.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Icon } from '../icons.tsx'
import { Button } from './button.tsx'

export type Filters<Name extends string> = {
  /** What the address says; empty text where it says nothing. */
  readonly values: Readonly<Record<Name, string>>
  /** Goes to the same list with these changed; page and cursor begin anew unless they are among them. */
  readonly set: (changes: Partial<Record<Name, string>>) => void
  readonly clear: () => void
  /** Of a link to the same list with these changed. */
  readonly hrefWith: (changes: Partial<Record<Name, string>>) => string
  /** What is set, as a query of the API: `status_payment=paid&page=2`, after the given parameters. */
  readonly query: (always?: Readonly<Record<string, string>>) => string
  /** Whether anything but page, cursor and order narrows the list. */
  readonly isNarrowed: boolean
}

const PLACES = new Set(['page', 'after', 'sortBy', 'sortDirection', 'limit'])
const STARTS_ANEW = ['page', 'after']

/** `useFilters(['query', 'status_payment', 'page'])`: the names are those of the API. */
export function useFilters<const Name extends string>(names: readonly Name[]): Filters<Name> {
  const { path, query, route } = useLocation()
  const text = names.map((name) => query[name] ?? '').join('\n')
  return useMemo(() => {
    const values = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>
    const hrefWith = (changes: Partial<Record<Name, string>>) => {
      const next: Record<string, string | undefined> = { ...values, ...changes }
      for (const name of STARTS_ANEW) if (!(name in changes)) delete next[name]
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
      isNarrowed: names.some((name) => !PLACES.has(name) && values[name] !== ''),
    }
  }, [path, text, route])
}

const TYPING_MS = 250

type SearchProps = { readonly label: string; readonly value: string; readonly onSearch: (text: string) => void }

/** Searches while somebody types. */
export function SearchBox({ label, value, onSearch }: SearchProps) {
  const id = useId()
  const timer = useRef(0)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  // The address may change by the browser's button, or by "Clear".
  useEffect(() => {
    if (input.current !== null && document.activeElement !== input.current) input.current.value = value
  }, [value])
  const later = (text: string) => {
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
        onInput={(event) => later(event.currentTarget.value)}
      />
    </search>
  )
}

type PickProps = {
  readonly label: string
  readonly value: string
  /** The first is the one that does not narrow: `['', 'All']`. */
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

/** A day as `2026-01-31`. */
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
      {filters.isNarrowed && (
        <Button kind="quiet" icon="close" onClick={filters.clear}>
          Clear
        </Button>
      )}
    </div>
  )
}
