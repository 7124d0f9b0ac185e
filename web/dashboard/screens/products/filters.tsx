// Filters of the list that depend on what the shop has, or on the address.

import { useEffect, useId, useState } from 'preact/hooks'
import type { Attribute } from '../../../../src/api/attributes/schema.ts'
import type { Category } from '../../../../src/api/categories/schema.ts'
import type { FilterOptions } from '../../parts/list/filter-fields.tsx'
import { FilterPick, type Filters } from '../../parts/list/filters.tsx'
import { useEvery } from './choices.ts'

export const trueOrFalse = (all: string, yes: string, no: string): FilterOptions => [
  ['', all],
  ['true', yes],
  ['false', no],
]

type FilterProps = { readonly filters: Filters<string> }

export function CategoryFilter({ filters: { values, set } }: FilterProps) {
  const categories = useEvery<Category>('/v1/categories')
  if (categories.length === 0) return null
  return (
    <FilterPick
      label="Category"
      value={values.category_id ?? ''}
      options={[['', 'All'], ...categories.map(({ id, name }) => [id, name] as const)]}
      onPick={(category_id) => set({ category_id })}
    />
  )
}

const STOCK: FilterOptions = [
  ['', 'All'],
  ['1', 'Sold out'],
  ['5', 'Below 5'],
  ['10', 'Below 10'],
  ['20', 'Below 20'],
]

/** An address may contain another number. */
export function StockFilter({ filters: { values, set } }: FilterProps) {
  const { stock_below: limit = '' } = values
  return (
    <FilterPick
      label="Stock"
      value={limit}
      options={STOCK.some(([value]) => value === limit) ? STOCK : [...STOCK, [limit, `Below ${limit}`]]}
      onPick={(stock_below) => set({ stock_below })}
    />
  )
}

export function AttributeFilter({ filters: { values, set } }: FilterProps) {
  const attributes = useEvery<Attribute>('/v1/attributes')
  const attribute = attributes.find(({ id }) => id === values.attribute)
  if (attributes.length === 0) return null
  return (
    <>
      <FilterPick
        label="Attribute"
        value={values.attribute ?? ''}
        options={[['', 'Any'], ...attributes.map(({ id, name }) => [id, name] as const)]}
        onPick={(id) => set({ attribute: id, value: '' })}
      />
      {attribute !== undefined && (
        <ValueFilter attribute={attribute} value={values.value ?? ''} onPick={(value) => set({ value })} />
      )}
    </>
  )
}

type ValueProps = { readonly attribute: Attribute; readonly value: string; readonly onPick: (value: string) => void }

function ValueFilter({ attribute: { name, type, options }, value, onPick }: ValueProps) {
  const id = useId()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const choices: FilterOptions =
    options.length > 0
      ? [['', 'Any'], ...options.map((option) => [option.value, option.label] as const)]
      : trueOrFalse('Any', 'Yes', 'No')
  if (options.length > 0 || type === 'checkbox')
    return <FilterPick label={name} value={value} options={choices} onPick={onPick} />
  return (
    <div class={`pick${value === '' ? '' : ' is-set'}`}>
      <label for={id}>{name}</label>
      <input
        id={id}
        type={(type === 'date' ? 'date' : 'text') as 'text'}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => onPick(event.currentTarget.value.trim())}
      />
    </div>
  )
}
