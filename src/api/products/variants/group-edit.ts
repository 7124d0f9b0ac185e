// Creating, changing and deleting one variant group or one option, without touching the others.
// Each is a change of the product: it is told as products.update.

import type { Tx } from '../../../db/db.ts'
import { notFound, notValid, unprocessable } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { holdUsableAssets } from '../../assets/store.ts'
import { MAX_GROUPS, MAX_OPTIONS } from '../body-schema.ts'
import { idsOf, refuseEntries, USABLE_ASSET } from '../children.ts'
import { reportChange, type Writer } from '../product.ts'
import type { GroupRow, OptionRow } from '../read-store.ts'
import type { VariantGroup } from '../schema.ts'
import { lockProduct, touchProduct } from '../store.ts'
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
import {
  type Judgement,
  type Priced,
  refuseBelowZero,
  refuseTooManyOptions,
  resolveOption,
  resolveOptions,
} from './groups.ts'
import type { NewVariantGroup, NewVariantOption, VariantGroupChanges, VariantOptionChanges } from './schema.ts'

type VariantOption = VariantGroup['options'][number]

export async function createVariantGroup(
  tx: Tx,
  writer: Writer,
  productId: string,
  body: NewVariantGroup,
): Promise<VariantGroup> {
  const draft = await openDraft(tx, writer, productId)
  const { groups, judgement, now } = draft
  refuseName(body.name, groups, judgement)
  if (groups.length >= MAX_GROUPS)
    judgement.refused.variant_groups = [`variant_groups must have at most ${MAX_GROUPS} entries, which it has already.`]
  const sent = body.options ?? []
  const options = resolveOptions(sent, [], 'options', writer.caller.currency, judgement, now)
  const write: GroupWrite = { id: newId('variantGroup', now), name: body.name, meta: body.meta ?? null, options }
  const accepted = await settleOptions(tx, draft, [...groups, write], write.options, picturesOf(sent), 'options')

  const { merchantId } = writer.caller
  await saveGroups(tx, merchantId, productId, [{ ...write, position: nextPosition(groups) }], now)
  await replaceOptions(tx, merchantId, productId, [{ id: write.id, options: accepted }], now)
  return getGroup(await report(tx, writer, productId, now), write.id)
}

/** Options that are sent replace the current ones, and keep their ids where they are sent with id or name. */
export async function updateVariantGroup(
  tx: Tx,
  writer: Writer,
  productId: string,
  groupId: string,
  body: VariantGroupChanges,
): Promise<VariantGroup> {
  const { merchantId, currency } = writer.caller
  const draft = await openDraft(tx, writer, productId)
  const { groups, judgement, now } = draft
  const group = getGroup(groups, groupId)
  const { position, name, meta } = group
  if (body.name !== undefined) refuseName(body.name, without(groups, group), judgement)
  const options = body.options && resolveOptions(body.options, group.options, 'options', currency, judgement, now)
  const after = options ? [...without(groups, group), { options }] : groups
  const accepted = await settleOptions(tx, draft, after, options ?? [], picturesOf(body.options ?? []), 'options')

  const write = { id: groupId, position, name: body.name ?? name, meta: body.meta === undefined ? meta : body.meta }
  await saveGroups(tx, merchantId, productId, [write], now)
  if (options) await replaceOptions(tx, merchantId, productId, [{ id: groupId, options: accepted }], now)
  return getGroup(await report(tx, writer, productId, now), groupId)
}

export async function deleteVariantGroup(tx: Tx, writer: Writer, productId: string, groupId: string): Promise<void> {
  const { groups, now } = await openDraft(tx, writer, productId)
  getGroup(groups, groupId)
  await deleteGroupRow(tx, writer.caller.merchantId, productId, groupId)
  await report(tx, writer, productId, now)
}

export async function createVariantOption(
  tx: Tx,
  writer: Writer,
  productId: string,
  groupId: string,
  body: NewVariantOption,
): Promise<VariantOption> {
  const draft = await openDraft(tx, writer, productId)
  const { options } = getGroup(draft.groups, groupId)
  if (options.length >= MAX_OPTIONS)
    draft.judgement.refused.options = [`options must have at most ${MAX_OPTIONS} entries, which it has already.`]
  return saveOption(tx, writer, productId, draft, { groupId, position: nextPosition(options) }, body, undefined)
}

export async function updateVariantOption(
  tx: Tx,
  writer: Writer,
  productId: string,
  { groupId, optionId }: { groupId: string; optionId: string },
  body: VariantOptionChanges,
): Promise<VariantOption> {
  const draft = await openDraft(tx, writer, productId)
  const current = getOption(getGroup(draft.groups, groupId).options, optionId)
  const { position, name } = current
  return saveOption(tx, writer, productId, draft, { groupId, position }, { name, ...body }, current)
}

export async function deleteVariantOption(
  tx: Tx,
  writer: Writer,
  productId: string,
  { groupId, optionId }: { groupId: string; optionId: string },
): Promise<void> {
  const { groups, now } = await openDraft(tx, writer, productId)
  getOption(getGroup(groups, groupId).options, optionId)
  await deleteOptionRow(tx, writer.caller.merchantId, productId, optionId)
  await report(tx, writer, productId, now)
}

async function saveOption(
  tx: Tx,
  writer: Writer,
  productId: string,
  draft: Draft,
  { groupId, position }: { groupId: string; position: number },
  body: NewVariantOption,
  current: OptionRow | undefined,
): Promise<VariantOption> {
  const { groups, judgement, now } = draft
  const group = getGroup(groups, groupId)
  const others = group.options.filter((option) => option !== current)
  refuseName(body.name, others, judgement)
  const write = resolveOption(body, current, 'price', writer.caller.currency, judgement.malformed, now)
  const after = [...without(groups, group), { options: [...others, write] }]
  const pictures = new Map([['assets', body.assets ?? []]])
  const accepted = await settleOptions(tx, draft, after, [write], pictures, 'price')

  const placed = accepted.map((option) => ({ ...option, group_id: groupId, position }))
  await saveOptions(tx, writer.caller.merchantId, productId, placed, now)
  return getOption(getGroup(await report(tx, writer, productId, now), groupId).options, write.id)
}

/** What a change begins with: the product locked, and its groups as the last change left them. */
type Draft = {
  readonly merchantId: number
  readonly currency: string
  readonly price: number
  readonly groups: readonly GroupRow[]
  readonly judgement: Judgement
  readonly now: Date
}

async function openDraft(tx: Tx, { caller, clock }: Writer, productId: string): Promise<Draft> {
  const { merchantId, currency } = caller
  const exists = await lockProduct(tx, merchantId, productId)
  const product = exists ? await findVariantGroups(tx, { merchantId, isSecret: true }, productId) : null
  if (product === null) throw notFound('product')
  const judgement = { malformed: {}, refused: {} }
  return { merchantId, currency, price: product.price, groups: product.variant_groups, judgement, now: clock.now() }
}

type Pictures = ReadonlyMap<string, readonly (string | { id: string })[]>

const picturesOf = (sent: NonNullable<NewVariantGroup['options']>): Pictures =>
  new Map(sent.map(({ assets }, index) => [`options.${index}.assets`, assets ?? []]))

/** Throws when what is to be written cannot be accepted; gives it without pictures that were deleted since they were read. */
async function settleOptions(
  tx: Tx,
  { merchantId, currency, price, groups, judgement }: Draft,
  after: readonly Priced[],
  written: readonly OptionWrite[],
  pictures: Pictures,
  priceField: string,
): Promise<OptionWrite[]> {
  const { malformed, refused } = judgement
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)
  refuseTooManyOptions('options', groups, after, refused)
  const ids = written.flatMap(({ assets }) => assets)
  const held = await holdUsableAssets(tx, merchantId, idsOf(ids))
  for (const [field, sent] of pictures) refuseEntries(sent, held, field, USABLE_ASSET, refused)
  if (written.length > 0) refuseBelowZero(priceField, price, after, currency, refused)
  if (Object.keys(refused).length > 0) throw notValid(refused)
  return written.map((option) => ({ ...option, assets: option.assets.filter((id) => held.has(id)) }))
}

function refuseName(name: string, others: readonly { name: string }[], { refused }: Judgement) {
  if (others.some((other) => other.name === name)) refused.name = ['name must differ from the other names.']
}

const without = (groups: readonly GroupRow[], group: GroupRow) => groups.filter((other) => other !== group)

const nextPosition = (placed: readonly { position: number }[]) =>
  Math.max(0, ...placed.map(({ position }) => position)) + 1

export function getGroup<Group extends { id: string }>(groups: readonly Group[], id: string): Group {
  const group = groups.find((each) => each.id === id)
  if (!group) throw notFound('variant group')
  return group
}

function getOption<Option extends { id: string }>(options: readonly Option[], id: string): Option {
  const option = options.find((each) => each.id === id)
  if (!option) throw notFound('variant option')
  return option
}

async function report(tx: Tx, writer: Writer, productId: string, now: Date): Promise<VariantGroup[]> {
  await touchProduct(tx, writer.caller.merchantId, productId, now)
  return (await reportChange(tx, writer, productId, 'products.update', now)).variant_groups
}
