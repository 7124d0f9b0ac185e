// Values of attributes on a product: which values a type accepts, and how they are stored and shown. For options the option's id is stored.
// So a product shows the current label, and nothing once the option is deleted.

import { isCalendarDate } from '../../lib/clock.ts'
import type { Problems } from '../../lib/problems.ts'
import type { ProductChanges } from './body-schema.ts'
import type { AttributeWrite } from './children-store.ts'
import type { AttachedAttributeRow } from './read-store.ts'
import type { AttributeValue } from './schema.ts'
import type { AttributeRules } from './store.ts'

const LONGEST_TEXT = 65_535

type AttributesBody = NonNullable<ProductChanges['attributes']>
type ValueResult = { stored: unknown } | { refused: string }

/** Checks the sent values and returns the list to be stored. */
export function readAttributes(
  values: AttributesBody,
  rules: readonly AttributeRules[],
  problems: Problems,
): AttributeWrite[] {
  const rulesById = new Map(rules.map((rule) => [rule.id, rule]))
  const usedIds = new Set<string>()
  return values.flatMap(({ id, value }, index) => {
    const path = `attributes.${index}`
    const rule = rulesById.get(id)
    if (!rule) {
      problems.refused(`${path}.id`, 'is not the id of an attribute')
      return []
    }
    if (usedIds.has(id)) {
      problems.refused(`${path}.id`, 'is listed twice')
      return []
    }
    usedIds.add(id)
    const newValue = value === undefined ? rule.default_value : value
    if (isEmpty(newValue)) {
      if (rule.is_required)
        problems.refused(`${path}.value`, 'is required: the attribute is required and has no default value')
      return [{ id, value: null }]
    }
    const result = parseValue(rule, newValue)
    if ('refused' in result) {
      problems.refused(`${path}.value`, `must be ${result.refused}`)
      return []
    }
    return [{ id, value: result.stored }]
  })
}

const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0)

const hasOptions = ({ type, options }: Pick<AttributeRules, 'type' | 'options'>) =>
  type === 'options' || type === 'radio' || options.length > 0

function parseValue(rule: AttributeRules, value: unknown): ValueResult {
  if (hasOptions(rule)) return parseOptions(rule, value)
  const resultIf = (accepted: boolean, requirement: string): ValueResult =>
    accepted ? { stored: value } : { refused: requirement }
  switch (rule.type) {
    case 'number':
      return resultIf(typeof value === 'number', 'a number, as the attribute is of type number')
    case 'checkbox':
      return resultIf(typeof value === 'boolean', 'true or false, as the attribute is a checkbox')
    case 'date':
      return resultIf(isCalendarDate(value), 'a date written as YYYY-MM-DD, as the attribute is of type date')
    default:
      return resultIf(
        typeof value === 'string' && value.length <= LONGEST_TEXT,
        `a string of at most ${LONGEST_TEXT} characters, as the attribute is of type ${rule.type}`,
      )
  }
}

/** Parses a value or a list of values. An entry may also be {value}, as in replies. */
function parseOptions({ type, options, is_multiselect }: AttributeRules, value: unknown): ValueResult {
  // Each box of a checkbox with options is ticked separately.
  const takesSeveral = is_multiselect || type === 'checkbox'
  const most = takesSeveral ? options.length : 1
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  // Checks one entry more than is possible, because a body may contain half a million.
  const entries = values.slice(0, most + 1).map(unwrapEntry)
  const allowedValues = new Set<unknown>(options.map((option) => option.value))
  const chosenValues = new Set(entries)
  const areDistinct = chosenValues.size === values.length
  if (entries.every((entry) => allowedValues.has(entry)) && areDistinct && values.length <= most)
    return { stored: options.filter((option) => chosenValues.has(option.value)).map(({ id }) => id) }
  const accepted = [...allowedValues].join(', ') || 'none, as it has no options yet'
  const once = takesSeveral && !areDistinct ? ', each at most once' : ''
  return {
    refused: `${takesSeveral ? 'a list of values' : 'one value'} of the attribute's options (${accepted})${once}`,
  }
}

const unwrapEntry = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'value' in entry ? entry.value : entry

/** Null also if the stored value does not fit, because the attribute has changed its type. */
export function showValue({ type, options, value }: AttachedAttributeRow): AttributeValue {
  if (value === null || value === undefined) return null
  if (hasOptions({ type: type as AttributeRules['type'], options })) {
    if (!Array.isArray(value)) return null
    const chosenIds = new Set<unknown>(value)
    return options.filter(({ id }) => chosenIds.has(id)).map(({ label, value }) => ({ label, value }))
  }
  switch (type) {
    case 'number':
      return typeof value === 'number' ? value : null
    case 'checkbox':
      return typeof value === 'boolean' ? value : null
    default:
      return typeof value === 'string' ? value : null
  }
}
