// An attribute as the API returns it, and names of its types.

import type { ListPage } from '../../parts/list/list.tsx'

export type AttributeOption = { readonly id: string; readonly value: string; readonly label: string }

export type AttributeType = 'short_text' | 'long_text' | 'number' | 'date' | 'checkbox' | 'radio' | 'options'

export type Attribute = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: AttributeType
  readonly required: boolean
  readonly is_public: boolean
  readonly is_multiselect: boolean
  readonly default_value: string | number | boolean | null
  readonly options: readonly AttributeOption[]
}

export type ListedAttributes = ListPage<Attribute>

/** In display order. */
export const ATTRIBUTE_TYPE_NAMES: readonly (readonly [type: AttributeType, words: string])[] = [
  ['short_text', 'Short text'],
  ['long_text', 'Long text'],
  ['number', 'Whole number'],
  ['date', 'Date'],
  ['options', 'Choice from a list'],
  ['radio', 'One of a few (radio buttons)'],
  ['checkbox', 'Box to tick'],
]

export const typeText = ({ type, is_multiselect }: Pick<Attribute, 'type' | 'is_multiselect'>): string => {
  if (type === 'options' && is_multiselect) return 'Several from a list'
  if (type === 'radio') return 'One of a few'
  return ATTRIBUTE_TYPE_NAMES.find(([each]) => each === type)?.[1] ?? type
}

export const takesOptions = (type: AttributeType): boolean => ['options', 'radio', 'checkbox'].includes(type)
