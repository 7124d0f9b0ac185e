// The rules of attributes: which fields fit together, and how an attribute is created, changed and deleted.

import type { Static } from 'typebox'
import { emit } from '../../events/emit.ts'
import { isCalendarDate } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { withSharedRecord } from '../catalogue/change.ts'
import type { RuleContext } from '../context.ts'
import type { Attribute, AttributeChanges, CreateAttribute } from './schema.ts'
import { type AttributeColumns, type AttributeRow, attributeStore } from './store.ts'

type Option = AttributeRow['options'][number]

const TYPES_WITH_OPTIONS: readonly string[] = ['options', 'radio', 'checkbox']

export async function createAttribute(
  { db, clock, caller }: RuleContext,
  body: Static<typeof CreateAttribute>,
): Promise<Attribute> {
  const now = clock.now()
  const blank: AttributeColumns = {
    name: body.name,
    description: body.description,
    type: body.type,
    is_required: false,
    is_public: true,
    is_multiselect: false,
    default_value: null,
    meta: null,
    options: [],
  }
  const columns = mergeChanges(blank, body, now)
  return db.transaction(async (tx) => {
    const created = viewAttribute(await attributeStore.insert(tx, caller, newId('attribute', now), columns, now))
    await emit(tx, caller, 'attributes.create', created, now)
    return created
  })
}

export const updateAttribute = (context: RuleContext, id: string, body: AttributeChanges): Promise<Attribute> =>
  withSharedRecord(context, 'attribute', attributeStore.lock, id, async (tx, current, now) => {
    const columns = mergeChanges(current, body, now)
    const updated = viewAttribute(await attributeStore.update(tx, context.caller, id, columns, now))
    await emit(tx, context.caller, 'attributes.update', updated, now)
    return updated
  })

export const deleteAttribute = (context: RuleContext, id: string): Promise<void> =>
  withSharedRecord(context, 'attribute', attributeStore.delete, id, (tx, row, now) =>
    emit(tx, context.caller, 'attributes.delete', viewAttribute(row), now),
  )

/** Merges the sent fields into the current ones. Throws if the result breaks a rule. */
function mergeChanges(current: AttributeColumns, body: AttributeChanges, now: Date): AttributeColumns {
  const problems = new Problems()
  const columns: AttributeColumns = {
    name: body.name ?? current.name,
    description: body.description ?? current.description,
    type: body.type ?? current.type,
    is_required: body.required ?? current.is_required,
    is_public: body.is_public ?? current.is_public,
    is_multiselect: body.is_multiselect ?? current.is_multiselect,
    default_value: newOrCurrent(body.default_value, current.default_value),
    meta: newOrCurrent(body.meta, current.meta),
    options: body.options ? resolveOptions(body.options, current.options, problems, now) : current.options,
  }
  const { type } = columns
  if (columns.options.length > 0 && !TYPES_WITH_OPTIONS.includes(type))
    problems.refused(
      'options',
      `are for the types ${TYPES_WITH_OPTIONS.join(', ')}; an attribute of type ${type} must have none`,
    )
  if (columns.is_multiselect && type !== 'options')
    problems.refused('is_multiselect', `can be true for the type options only, not for ${type}`)
  const defaultRule = problems.has('options') ? null : brokenDefaultRule(columns)
  if (defaultRule) problems.refused('default_value', defaultRule)
  problems.throwIfAny()
  return columns
}

/** The sent list replaces the old one. An option keeps its id if the id is sent, or if its value stays the same. */
function resolveOptions(
  newOptions: NonNullable<AttributeChanges['options']>,
  current: readonly Option[],
  problems: Problems,
  now: Date,
): Option[] {
  const values = new Set<string>()
  const usedIds = new Set<string>()
  // An id belongs to the entry that sends it, even if an earlier entry has that option's old value.
  const claimed = new Set(newOptions.map(({ id }) => id))
  return newOptions.map((option, index) => {
    const path = `options.${index}`
    const optionById = option.id === undefined ? undefined : current.find(({ id }) => id === option.id)
    if (option.id !== undefined && !optionById) problems.refused(`${path}.id`, 'is not an option of this attribute')
    const value = option.value ?? optionById?.value ?? option.label
    const label = option.label ?? optionById?.label ?? option.value
    if (value === undefined || label === undefined) {
      problems.refusedAs(`${path}.value`, `${path} must have a value or a label.`)
      return { id: '', value: '', label: '' }
    }
    if (values.has(value)) problems.refused(`${path}.value`, "must differ from the other options' values")
    values.add(value)
    if (optionById && usedIds.has(optionById.id)) problems.refused(`${path}.id`, 'is listed twice')
    if (optionById) usedIds.add(optionById.id)
    const existingOption =
      optionById ?? current.find((candidate) => candidate.value === value && !claimed.has(candidate.id))
    return { id: existingOption?.id ?? newId('attributeOption', now), value, label }
  })
}

/** The rule that the default value breaks, or null. */
function brokenDefaultRule({ type, default_value: value, options }: AttributeColumns): string | null {
  if (value === null) return null
  if (options.length > 0 || type === 'options' || type === 'radio')
    return options.some((option) => option.value === value) ? null : 'must be the value of one of the options'
  switch (type) {
    case 'number':
      return Number.isInteger(value) ? null : 'must be an integer for an attribute of type number'
    case 'checkbox':
      return typeof value === 'boolean' ? null : 'must be true or false for a checkbox without options'
    case 'date':
      return isCalendarDate(value) ? null : 'must be a date written as YYYY-MM-DD for an attribute of type date'
    default:
      return typeof value === 'string' ? null : `must be a string for an attribute of type ${type}`
  }
}

export const viewAttribute = (row: AttributeRow): Attribute => ({
  id: row.id,
  name: row.name,
  description: row.description,
  type: row.type,
  required: row.is_required,
  is_public: row.is_public,
  is_multiselect: row.is_multiselect,
  default_value: row.default_value,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  options: row.options.map(({ id, value, label }) => ({ id, value, label })),
})
