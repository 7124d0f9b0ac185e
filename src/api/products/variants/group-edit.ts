// Creating, changing and deleting a single variant group or option. Each change emits products.update, and variants.update for variants
// that become valid or invalid by it.

import type { Tx } from '../../../db/db.ts'
import { notFound } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { newOrCurrent } from '../../../lib/json.ts'
import { Problems, type Reference, refuseEntries, uniqueIds } from '../../../lib/problems.ts'
import { lockUsableAssets, USABLE_ASSET } from '../../assets/store.ts'
import type { WriteContext } from '../../assets/view.ts'
import { MAX_GROUPS, MAX_OPTIONS } from '../body-schema.ts'
import { asSecret, emitPartChange, withLockedProduct } from '../product.ts'
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
import { emitValidityChanges } from './tell.ts'

/** Identifies a group of a product. */
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
      problems.refused('variant_groups', `must have at most ${MAX_GROUPS} entries. Delete one first`)
    const newOptions = body.options ?? []
    const options = resolveOptions(newOptions, [], 'options', caller.currency, problems, now)
    const newGroup: GroupWrite = { id: newId('variantGroup', now), name: body.name, meta: body.meta ?? null, options }
    const accepted = await acceptOptions(
      tx,
      draft,
      [...groups, newGroup],
      newGroup.options,
      picturesByField(newOptions),
      'options',
    )

    await saveGroups(tx, caller, productId, [{ ...newGroup, position: nextPosition(groups) }], now)
    await replaceOptions(tx, caller, productId, [{ id: newGroup.id, options: accepted }], now)
    return (changed) => getGroup(changed, newGroup.id)
  })

/** Sent options replace the current ones. Options sent with an id or a known name keep their ids. */
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
    const groupsAfter = options ? [...without(groups, group), { options }] : groups
    const accepted = await acceptOptions(
      tx,
      draft,
      groupsAfter,
      options ?? [],
      picturesByField(body.options ?? []),
      'options',
    )

    const { position, name, meta } = group
    const columns = { id: groupId, position, name: body.name ?? name, meta: newOrCurrent(body.meta, meta) }
    await saveGroups(tx, caller, productId, [columns], now)
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
      draft.problems.refused('options', `must have at most ${MAX_OPTIONS} entries. Delete one first`)
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
): Promise<ResultSelector<OptionRow>> {
  const { caller, productId, groups, problems, now } = draft
  const group = getGroup(groups, groupId)
  const others = group.options.filter((option) => option !== current)
  refuseName(body.name, others, problems)
  const newOption = resolveOption(body, current, 'price', caller.currency, problems, now)
  const groupsAfter = [...without(groups, group), { options: [...others, newOption] }]
  const pictures = new Map([['assets', body.assets ?? []]])
  const accepted = await acceptOptions(tx, draft, groupsAfter, [newOption], pictures, 'price')

  const optionRows = accepted.map((option) => ({ ...option, group_id: groupId, position }))
  await saveOptions(tx, caller, productId, optionRows, now)
  return (changed) => getOption(getGroup(changed, groupId).options, newOption.id)
}

/** State at the start of a change, after the product was locked. */
type Draft = {
  readonly caller: WriteContext['caller']
  readonly productId: string
  readonly price: number
  readonly groups: readonly GroupRow[]
  readonly problems: Problems
  readonly now: Date
}

/** Selects the result of a change from the groups after it. */
type ResultSelector<T> = (changed: readonly GroupRow[]) => T

const changeGroups = <T>(
  context: WriteContext,
  productId: string,
  change: (tx: ProductTx, draft: Draft) => Promise<ResultSelector<T>>,
): Promise<T> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const product = await findVariantGroups(tx, asSecret(caller), productId)
    if (product === null) throw notFound('product')
    const { price, variant_groups: groups } = product
    const validity = await findValidity(tx, caller, productId)
    const selectResult = await change(tx, { caller, productId, price, groups, problems: new Problems(), now })
    const updatedProduct = await emitPartChange(tx, context, productId, now)
    await emitValidityChanges(tx, context, productId, validity, now)
    return selectResult(updatedProduct.variant_groups)
  })

/** The sent pictures, by the fields that name them. */
type Pictures = ReadonlyMap<string, readonly Reference[]>

const picturesByField = (newOptions: NonNullable<NewVariantGroup['options']>): Pictures =>
  new Map(newOptions.map(({ assets }, index) => [`options.${index}.assets`, assets ?? []]))

/** Checks the options to be written and throws if they are refused. Returns them without pictures deleted since the read. */
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
  const existingAssets = await lockUsableAssets(tx, caller, uniqueIds(written.flatMap(({ assets }) => assets)))
  for (const [field, references] of pictures) refuseEntries(references, existingAssets, field, USABLE_ASSET, problems)
  if (written.length > 0) refuseBelowZero(priceField, price, after, caller.currency, problems)
  problems.throwIfAny()
  return written.map((option) => ({ ...option, assets: option.assets.filter((id) => existingAssets.has(id)) }))
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
