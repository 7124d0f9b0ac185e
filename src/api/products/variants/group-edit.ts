// Creating, changing and deleting one variant group or one option, without touching the others.
// Each is a change of the product: it is told as products.update; and of the variants that are valid or not by it, told as variants.update.

import type { Tx } from '../../../db/db.ts'
import { notFound } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { sentOr } from '../../../lib/json.ts'
import { idsOf, Problems, type Reference, refuseEntries } from '../../../lib/problems.ts'
import { holdUsableAssets, USABLE_ASSET } from '../../assets/store.ts'
import type { WriteContext } from '../../assets/view.ts'
import { MAX_GROUPS, MAX_OPTIONS } from '../body-schema.ts'
import { announcePart, asSecret, withLockedProduct } from '../product.ts'
import type { GroupRow, OptionRow } from '../read-store.ts'
import type { ProductTx } from '../store.ts'
import {
  deleteGroupRow,
  deleteOptionRow,
  findVariantGroups,
  type GroupWrite,
  type OptionWrite,
  replaceOptions,
  saveGroups,
  saveOptions,
} from './group-store.ts'
import { type PricedGroup, refuseBelowZero, refuseTooManyOptions, resolveOption, resolveOptions } from './groups.ts'
import type { NewVariantGroup, NewVariantOption, VariantGroupChanges, VariantOptionChanges } from './schema.ts'
import { findValidity } from './store.ts'
import { tellChangedValidity } from './tell.ts'

/** Which group of which product; an option is named within its group. */
type GroupPath = { readonly productId: string; readonly groupId: string }
type OptionPath = GroupPath & { readonly optionId: string }

export const createVariantGroup = (
  context: WriteContext,
  productId: string,
  body: NewVariantGroup,
): Promise<GroupRow> =>
  changeGroups(context, productId, async (tx, draft) => {
    const { caller } = context
    const { groups, problems, now } = draft
    refuseName(body.name, groups, problems)
    if (groups.length >= MAX_GROUPS)
      problems.refused('variant_groups', `must have at most ${MAX_GROUPS} entries, which it has already`)
    const sent = body.options ?? []
    const options = resolveOptions(sent, [], 'options', caller.currency, problems, now)
    const write: GroupWrite = { id: newId('variantGroup', now), name: body.name, meta: body.meta ?? null, options }
    const accepted = await acceptOptions(tx, draft, [...groups, write], write.options, picturesOf(sent), 'options')

    await saveGroups(tx, caller, productId, [{ ...write, position: nextPosition(groups) }], now)
    await replaceOptions(tx, caller, productId, [{ id: write.id, options: accepted }], now)
    return (changed) => getGroup(changed, write.id)
  })

/** Options that are sent replace the current ones, and keep their ids where they are sent with id or name. */
export const updateVariantGroup = (
  context: WriteContext,
  { productId, groupId }: GroupPath,
  body: VariantGroupChanges,
): Promise<GroupRow> =>
  changeGroups(context, productId, async (tx, draft) => {
    const { caller } = context
    const { groups, problems, now } = draft
    const group = getGroup(groups, groupId)
    if (body.name !== undefined) refuseName(body.name, without(groups, group), problems)
    const options =
      body.options && resolveOptions(body.options, group.options, 'options', caller.currency, problems, now)
    const after = options ? [...without(groups, group), { options }] : groups
    const accepted = await acceptOptions(tx, draft, after, options ?? [], picturesOf(body.options ?? []), 'options')

    const { position, name, meta } = group
    const write = { id: groupId, position, name: body.name ?? name, meta: sentOr(body.meta, meta) }
    await saveGroups(tx, caller, productId, [write], now)
    if (options) await replaceOptions(tx, caller, productId, [{ id: groupId, options: accepted }], now)
    return (changed) => getGroup(changed, groupId)
  })

export const deleteVariantGroup = (context: WriteContext, { productId, groupId }: GroupPath): Promise<void> =>
  changeGroups(context, productId, async (tx, { groups }) => {
    getGroup(groups, groupId)
    await deleteGroupRow(tx, context.caller, productId, groupId)
    return () => undefined
  })

export const createVariantOption = (
  context: WriteContext,
  { productId, groupId }: GroupPath,
  body: NewVariantOption,
): Promise<OptionRow> =>
  changeGroups(context, productId, (tx, draft) => {
    const { options } = getGroup(draft.groups, groupId)
    if (options.length >= MAX_OPTIONS)
      draft.problems.refused('options', `must have at most ${MAX_OPTIONS} entries, which it has already`)
    return saveOption(tx, draft, { groupId, position: nextPosition(options) }, body, undefined)
  })

export const updateVariantOption = (
  context: WriteContext,
  { productId, groupId, optionId }: OptionPath,
  body: VariantOptionChanges,
): Promise<OptionRow> =>
  changeGroups(context, productId, (tx, draft) => {
    const current = getOption(getGroup(draft.groups, groupId).options, optionId)
    const { position, name } = current
    return saveOption(tx, draft, { groupId, position }, { name, ...body }, current)
  })

export const deleteVariantOption = (
  context: WriteContext,
  { productId, groupId, optionId }: OptionPath,
): Promise<void> =>
  changeGroups(context, productId, async (tx, { groups }) => {
    getOption(getGroup(groups, groupId).options, optionId)
    await deleteOptionRow(tx, context.caller, productId, optionId)
    return () => undefined
  })

async function saveOption(
  tx: ProductTx,
  draft: Draft,
  { groupId, position }: { groupId: string; position: number },
  body: NewVariantOption,
  current: OptionRow | undefined,
): Promise<Answer<OptionRow>> {
  const { caller, productId, groups, problems, now } = draft
  const group = getGroup(groups, groupId)
  const others = group.options.filter((option) => option !== current)
  refuseName(body.name, others, problems)
  const write = resolveOption(body, current, 'price', caller.currency, problems, now)
  const after = [...without(groups, group), { options: [...others, write] }]
  const pictures = new Map([['assets', body.assets ?? []]])
  const accepted = await acceptOptions(tx, draft, after, [write], pictures, 'price')

  const placed = accepted.map((option) => ({ ...option, group_id: groupId, position }))
  await saveOptions(tx, caller, productId, placed, now)
  return (changed) => getOption(getGroup(changed, groupId).options, write.id)
}

/** What a change begins with: the product locked, and its groups as the last change left them. */
type Draft = {
  readonly caller: WriteContext['caller']
  readonly productId: string
  readonly price: number
  readonly groups: readonly GroupRow[]
  readonly problems: Problems
  readonly now: Date
}

/** What a change gives, of the groups as they then are. */
type Answer<T> = (changed: readonly GroupRow[]) => T

const changeGroups = <T>(
  context: WriteContext,
  productId: string,
  change: (tx: ProductTx, draft: Draft) => Promise<Answer<T>>,
): Promise<T> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const product = await findVariantGroups(tx, asSecret(caller), productId)
    if (product === null) throw notFound('product')
    const { price, variant_groups: groups } = product
    const validity = await findValidity(tx, caller, productId)
    const answer = await change(tx, { caller, productId, price, groups, problems: new Problems(), now })
    const changed = await announcePart(tx, context, productId, now)
    await tellChangedValidity(tx, context, productId, validity, now)
    return answer(changed.variant_groups)
  })

/** The pictures that are sent, by the fields that name them. */
type Pictures = ReadonlyMap<string, readonly Reference[]>

const picturesOf = (sent: NonNullable<NewVariantGroup['options']>): Pictures =>
  new Map(sent.map(({ assets }, index) => [`options.${index}.assets`, assets ?? []]))

/** Throws when what is to be written cannot be accepted; gives it without pictures that were deleted since they were read. */
async function acceptOptions(
  tx: Tx,
  { caller, price, groups, problems }: Draft,
  after: readonly PricedGroup[],
  written: readonly OptionWrite[],
  pictures: Pictures,
  priceField: string,
): Promise<OptionWrite[]> {
  problems.throwIfMalformed()
  refuseTooManyOptions('options', groups, after, problems)
  const held = await holdUsableAssets(tx, caller, idsOf(written.flatMap(({ assets }) => assets)))
  for (const [field, sent] of pictures) refuseEntries(sent, held, field, USABLE_ASSET, problems)
  if (written.length > 0) refuseBelowZero(priceField, price, after, caller.currency, problems)
  problems.throwIfAny()
  return written.map((option) => ({ ...option, assets: option.assets.filter((id) => held.has(id)) }))
}

function refuseName(name: string, others: readonly { name: string }[], problems: Problems) {
  if (others.some((other) => other.name === name)) problems.refused('name', 'must differ from the other names')
}

const without = (groups: readonly GroupRow[], group: GroupRow) => groups.filter((other) => other !== group)

const nextPosition = (placed: readonly { position: number }[]) =>
  Math.max(0, ...placed.map(({ position }) => position)) + 1

export function getGroup(groups: readonly GroupRow[], id: string): GroupRow {
  const group = groups.find((each) => each.id === id)
  if (!group) throw notFound('variant group')
  return group
}

function getOption(options: readonly OptionRow[], id: string): OptionRow {
  const option = options.find((each) => each.id === id)
  if (!option) throw notFound('variant option')
  return option
}
