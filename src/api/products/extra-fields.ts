// The rules of extra fields: what a shopper is asked beside the product.

import type { FieldErrors } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { ProductChanges } from './body-schema.ts'
import type { ExtraFieldWrite } from './children-store.ts'
import { pairEntries } from './entries.ts'
import type { ExtraFieldRow } from './row-store.ts'
import { EXTRA_FIELD_TYPES_WITH_OPTIONS } from './schema.ts'

/** The list that replaces the current one. Of a field that is kept, what is not sent stays. */
export function resolveExtraFields(
  sent: NonNullable<ProductChanges['extra_fields']>,
  current: readonly ExtraFieldRow[],
  refused: FieldErrors,
  now: Date,
): ExtraFieldWrite[] {
  return pairEntries(sent, current, 'extra_fields', refused).map(({ entry, known, path }) => {
    const type = entry.type ?? known?.type ?? 'text'
    const takesOptions = EXTRA_FIELD_TYPES_WITH_OPTIONS.includes(type)
    // A field that becomes a text field loses the options it had; only those sent with it are a contradiction.
    const options = entry.options === undefined && takesOptions ? (known?.options ?? null) : (entry.options ?? null)
    if (takesOptions && (options === null || options.length === 0))
      refused[`${path}.options`] = [`${path}.options must list what can be chosen, as the field is of type ${type}.`]
    if (!takesOptions && options !== null && options.length > 0)
      refused[`${path}.options`] = [
        `${path}.options are for the types ${EXTRA_FIELD_TYPES_WITH_OPTIONS.join(' and ')}; a field of type ${type} has none.`,
      ]
    return {
      id: known?.id ?? newId('extraField', now),
      name: entry.name,
      type,
      is_required: entry.required ?? known?.is_required ?? false,
      options: takesOptions ? options : null,
      meta: entry.meta === undefined ? (known?.meta ?? null) : entry.meta,
    }
  })
}
