// The rules of attributes: which fields go together, and how a change to one is made.

import type { Static } from 'typebox'
import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { type Clock, isCalendarDate } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Attribute, AttributeChanges, CreateAttribute } from './schema.ts'
import { type AttributeRow, deleteAttributeRow, insertAttribute, lockAttribute, updateAttributeRow } from './store.ts'

type Option = AttributeRow['options'][number]

type Draft = Pick<
  AttributeRow,
  | 'name'
  | 'description'
  | 'type'
  | 'is_required'
  | 'is_public'
  | 'is_multiselect'
  | 'default_value'
  | 'meta'
  | 'options'
>

const TYPES_WITH_OPTIONS: readonly string[] = ['options', 'radio', 'checkbox']

export async function createAttribute(
  tx: Tx,
  clock: Clock,
  { merchantId }: Pick<Caller, 'merchantId'>,
  body: Static<typeof CreateAttribute>,
): Promise<Attribute> {
  const now = clock.now()
  const blank: Draft = {
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
  const draft = merged(blank, body, now)
  const created = viewAttribute(await insertAttribute(tx, merchantId, newId('attribute', now), draft, now))
  await emit(tx, { merchantId }, 'attributes.create', created, now)
  return created
}

export async function updateAttribute(
  tx: Tx,
  clock: Clock,
  { merchantId }: Caller,
  id: string,
  body: AttributeChanges,
): Promise<Attribute> {
  // Locked, because the rules look at fields that a second request might be changing.
  const current = await lockAttribute(tx, merchantId, id)
  if (current === null) throw notFound('attribute')
  const now = clock.now()
  const draft = merged(current, body, now)
  const updated = viewAttribute(await updateAttributeRow(tx, merchantId, id, draft, now))
  await emit(tx, { merchantId }, 'attributes.update', updated, now)
  return updated
}

export async function deleteAttribute(tx: Tx, clock: Clock, { merchantId }: Caller, id: string): Promise<void> {
  const deleted = await deleteAttributeRow(tx, merchantId, id)
  if (deleted === null) throw notFound('attribute')
  await emit(tx, { merchantId }, 'attributes.delete', viewAttribute(deleted), clock.now())
}

/** What the attribute becomes: fields sent replace, fields left out stay. Throws when the result breaks a rule. */
function merged(current: Draft, body: AttributeChanges, now: Date): Draft {
  const problems: FieldErrors = {}
  const draft: Draft = {
    name: body.name ?? current.name,
    description: body.description ?? current.description,
    type: body.type ?? current.type,
    is_required: body.required ?? current.is_required,
    is_public: body.is_public ?? current.is_public,
    is_multiselect: body.is_multiselect ?? current.is_multiselect,
    default_value: body.default_value === undefined ? current.default_value : body.default_value,
    meta: body.meta === undefined ? current.meta : body.meta,
    options:
      body.options === undefined ? current.options : resolveOptions(body.options, current.options, problems, now),
  }
  if (draft.options.length > 0 && !TYPES_WITH_OPTIONS.includes(draft.type))
    problems.options = [
      `options are for the types ${TYPES_WITH_OPTIONS.join(', ')}; an attribute of type ${draft.type} must have none.`,
    ]
  if (draft.is_multiselect && draft.type !== 'options')
    problems.is_multiselect = [`is_multiselect can be true for the type options only, not for ${draft.type}.`]
  const wrongDefault = problems.options ? null : refuseDefault(draft)
  if (wrongDefault) problems.default_value = [wrongDefault]
  if (Object.keys(problems).length > 0) throw notValid(problems)
  return draft
}

/** The list sent replaces the old one. An option keeps its id when the id is sent, or when its value stays the same. */
function resolveOptions(
  sent: NonNullable<AttributeChanges['options']>,
  current: readonly Option[],
  problems: FieldErrors,
  now: Date,
): Option[] {
  const values = new Set<string>()
  const kept = new Set<string>()
  // An id that is sent belongs to the entry that sends it, even if an earlier entry has that option's old value.
  const claimed = new Set(sent.map(({ id }) => id))
  return sent.map((option, index) => {
    const path = `options.${index}`
    const named = option.id === undefined ? undefined : current.find(({ id }) => id === option.id)
    if (option.id !== undefined && !named) problems[`${path}.id`] = [`${path}.id is not an option of this attribute.`]
    const value = option.value ?? named?.value ?? option.label
    const label = option.label ?? named?.label ?? option.value
    if (value === undefined || label === undefined) {
      problems[`${path}.value`] = [`${path} must have a value or a label.`]
      return { id: '', value: '', label: '' }
    }
    if (values.has(value)) problems[`${path}.value`] = [`${path}.value must differ from the other options' values.`]
    values.add(value)
    if (named && kept.has(named.id)) problems[`${path}.id`] = [`${path}.id stands in the list twice.`]
    if (named) kept.add(named.id)
    const same = named ?? current.find((candidate) => candidate.value === value && !claimed.has(candidate.id))
    return { id: same?.id ?? newId('attributeOption', now), value, label }
  })
}

/** Why this attribute cannot have its default value, or null. */
function refuseDefault({ type, default_value: value, options }: Draft): string | null {
  if (value === null) return null
  if (options.length > 0 || type === 'options' || type === 'radio')
    return options.some((option) => option.value === value)
      ? null
      : 'default_value must be the value of one of the options.'
  switch (type) {
    case 'number':
      return Number.isInteger(value) ? null : 'default_value must be an integer for an attribute of type number.'
    case 'checkbox':
      return typeof value === 'boolean' ? null : 'default_value must be true or false for a checkbox without options.'
    case 'date':
      return isCalendarDate(value)
        ? null
        : 'default_value must be a date written as YYYY-MM-DD for an attribute of type date.'
    default:
      return typeof value === 'string' ? null : `default_value must be a string for an attribute of type ${type}.`
  }
}

// A row → the attribute in its newest form, field by field.

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
