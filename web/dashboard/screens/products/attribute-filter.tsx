// Filters the list by the value of one attribute.

import { useEffect, useId, useState } from 'preact/hooks'
import { FilterPick } from '../../parts/list/filters.tsx'
import type { ProductFilters } from './list.tsx'
import { type ProductFormAttribute, useEvery } from './product.ts'

const YES_NO = [
  ['', 'Any'],
  ['true', 'Yes'],
  ['false', 'No'],
] as const

export function AttributeFilter({ filters }: { filters: ProductFilters }) {
  const { values, set } = filters
  const attributes = useEvery<ProductFormAttribute>('/v1/attributes')
  const attribute = attributes.find(({ id }) => id === values.attribute)
  if (attributes.length === 0) return null
  return (
    <>
      <FilterPick
        label="Attribute"
        value={values.attribute}
        options={[['', 'Any'], ...attributes.map(({ id, name }) => [id, name] as const)]}
        onPick={(id) => set({ attribute: id, value: '' })}
      />
      {attribute !== undefined && (
        <Value attribute={attribute} value={values.value} onPick={(value) => set({ value })} />
      )}
    </>
  )
}

type ValueProps = {
  readonly attribute: ProductFormAttribute
  readonly value: string
  readonly onPick: (value: string) => void
}

function Value({ attribute: { name, type, options }, value, onPick }: ValueProps) {
  const id = useId()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  if (options.length > 0)
    return (
      <FilterPick
        label={name}
        value={value}
        options={[['', 'Any'], ...options.map((option) => [option.value, option.label] as const)]}
        onPick={onPick}
      />
    )
  if (type === 'checkbox') return <FilterPick label={name} value={value} options={YES_NO} onPick={onPick} />
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
