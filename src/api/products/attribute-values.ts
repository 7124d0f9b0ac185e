// Values of attributes on a product: what each type accepts, how a value is stored, and how a stored one is shown.
// Of an option its id is stored, so that a product shows the label of today, and nothing once the option is gone.

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

/** The list as it is stored. */
export function readAttributes(
  sent: AttributesBody,
  rules: readonly AttributeRules[],
  problems: Problems,
): AttributeWrite[] {
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  const seen = new Set<string>()
  return sent.flatMap(({ id, value }, index) => {
    const path = `attributes.${index}`
    const rule = known.get(id)
    if (!rule) {
      problems.refused(`${path}.id`, 'is not the id of an attribute')
      return []
    }
    if (seen.has(id)) {
      problems.refused(`${path}.id`, 'stands in the list twice')
      return []
    }
    seen.add(id)
    const actual = value === undefined ? rule.default_value : value
    if (isNothing(actual)) {
      if (rule.is_required)
        problems.refused(`${path}.value`, 'is required, as the attribute is and has no default value')
      return [{ id, value: null }]
    }
    const reading = readValue(rule, actual)
    if ('refused' in reading) {
      problems.refused(`${path}.value`, `must be ${reading.refused}`)
      return []
    }
    return [{ id, value: reading.stored }]
  })
}

const isNothing = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0)

const hasOptions = ({ type, options }: Pick<AttributeRules, 'type' | 'options'>) =>
  type === 'options' || type === 'radio' || options.length > 0

function readValue(rule: AttributeRules, value: unknown): ValueResult {
  if (hasOptions(rule)) return readOptions(rule, value)
  const fits = (accepted: boolean, otherwise: string): ValueResult =>
    accepted ? { stored: value } : { refused: otherwise }
  switch (rule.type) {
    case 'number':
      return fits(typeof value === 'number', 'a number, as the attribute is of type number')
    case 'checkbox':
      return fits(typeof value === 'boolean', 'true or false, as the attribute is a checkbox')
    case 'date':
      return fits(isCalendarDate(value), 'a date written as YYYY-MM-DD, as the attribute is of type date')
    default:
      return fits(
        typeof value === 'string' && value.length <= LONGEST_TEXT,
        `a string of at most ${LONGEST_TEXT} characters, as the attribute is of type ${rule.type}`,
      )
  }
}

/** Takes a value, or a list of them; an entry may also be {value}, as replies show it. */
function readOptions({ type, options, is_multiselect }: AttributeRules, value: unknown): ValueResult {
  // Each box of a checkbox with options is ticked on its own.
  const takesSeveral = is_multiselect || type === 'checkbox'
  const most = takesSeveral ? options.length : 1
  const sent: readonly unknown[] = Array.isArray(value) ? value : [value]
  // No more are looked at than there can be: a body may hold half a million.
  const entries = sent.slice(0, most + 1).map(bare)
  const known = new Set<unknown>(options.map((option) => option.value))
  const chosen = new Set(entries)
  const areDistinct = chosen.size === sent.length
  if (entries.every((entry) => known.has(entry)) && areDistinct && sent.length <= most)
    return { stored: options.filter((option) => chosen.has(option.value)).map(({ id }) => id) }
  const accepted = [...known].join(', ') || 'none, as it has no options yet'
  const once = takesSeveral && !areDistinct ? ', each at most once' : ''
  return {
    refused: `${takesSeveral ? 'a list of values' : 'one value'} of the attribute's options (${accepted})${once}`,
  }
}

const bare = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'value' in entry ? entry.value : entry

/** Null too where the attribute has become another type since, and what is stored does not fit it. */
export function showValue({ type, options, value }: AttachedAttributeRow): AttributeValue {
  if (value === null || value === undefined) return null
  if (hasOptions({ type: type as AttributeRules['type'], options })) {
    if (!Array.isArray(value)) return null
    const chosen = new Set<unknown>(value)
    return options.filter(({ id }) => chosen.has(id)).map(({ label, value }) => ({ label, value }))
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
