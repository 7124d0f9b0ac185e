// What was chosen of a line's product, as the catalogue is now: the options, the variant of them, and whether it is valid. No I/O.

import type { VariantRow } from '../products/variant-store.ts'
import type { LineGroupRow, LineRow } from './read-store.ts'

export type SelectedOption = Extract<LineGroupRow, { option_id: string }>

/** Those of the options that still exist, in the order of their groups. */
export const selectedOptions = ({ groups }: LineRow): SelectedOption[] =>
  groups.filter((group): group is SelectedOption => group.option_id !== null).sort(byPosition)

const byPosition = (one: LineGroupRow, other: LineGroupRow): number =>
  one.position - other.position || (one.group_id < other.group_id ? -1 : 1)

/** Whether every option that was chosen still exists. */
export const areOptionsKnown = ({ options, groups }: LineRow): boolean =>
  Object.keys(options).length === groups.filter(({ option_id }) => option_id !== null).length

/** Whether an option is left to choose. */
export const isOpen = ({ groups }: Pick<LineRow, 'groups'>): boolean =>
  groups.some(({ option_id }) => option_id === null)

/**
 * The variant that the line is of, as products show it. It has the line's options, so that it is valid when they all exist: the same rule
 * by which products tell, read off what the line shows anyway. One that has fewer options than its product has groups, as a group
 * came after it, counts as none: the line is one of which something is left to choose. The statements that write lines say the same.
 */
export function variantOf(line: LineRow): VariantRow | null {
  const { variant, options, groups } = line
  if (variant === null || Object.keys(options).length < groups.length) return null
  return { ...variant, invalid_reason_code: areOptionsKnown(line) ? null : 'option_deleted' }
}
