// Names of the types of attributes.

import type { Attribute } from '../../../../src/api/attributes/schema.ts'

export type AttributeType = Attribute['type']

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
