// The endpoints of /v1/products/{id}/variants, of /v1/products/{id}/variant_groups and of the options in a group.

import { type Static, Type } from 'typebox'
import {
  type Context,
  CREATES,
  DELETES,
  defineEndpoint,
  type Endpoint,
  READS,
  UPDATES,
} from '../../../http/endpoint/endpoint.ts'
import { listOf } from '../../../http/endpoint/schema.ts'
import { notFound } from '../../../lib/errors.ts'
import { hasOnly } from '../../../lib/json.ts'
import { maxPageBytes, paginate, parsePageQuery, refuseLargePage } from '../../../lib/page.ts'
import { fileUrlsFor } from '../../assets/view.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import type { GroupRow, OptionRow } from '../read-store.ts'
import { VariantGroup, VariantOption } from '../schema.ts'
import { viewVariantGroup, viewVariantOption } from '../view.ts'
import {
  createVariantGroup,
  createVariantOption,
  deleteVariantGroup,
  deleteVariantOption,
  getGroup,
  updateVariantGroup,
  updateVariantOption,
} from './group-edit.ts'
import { findVariantGroups } from './group-store.ts'
import {
  CreateVariant,
  CreateVariantGroup,
  CreateVariantOption,
  DEFAULT_VARIANT_LIMIT,
  GeneratedVariants,
  OfProduct,
  UpdateVariant,
  UpdateVariantGroup,
  UpdateVariantOption,
  Variant,
  VariantsQuery,
} from './schema.ts'
import { listVariants, type StockedVariantRow } from './store.ts'
import { createVariant, deleteVariant, generateVariants, getVariant, updateVariant } from './variant.ts'
import { viewStockedVariant } from './view.ts'

const OfVariant = Type.Object({ ...OfProduct.properties, variant_id: Type.String({ description: 'vrnt_…' }) })

const variants = { path: '/v1/products/:id/variants', params: OfProduct } as const
const oneVariant = { path: `${variants.path}/:variant_id`, params: OfVariant } as const

/** Returns the view function for this request. Call it before a change, because the URLs may need their own database connection. */
async function viewerFor(context: Context) {
  const fileUrls = await fileUrlsFor(context)
  return (row: StockedVariantRow) => viewStockedVariant(row, context.caller, fileUrls)
}

const OfGroup = Type.Object({ ...OfProduct.properties, group_id: Type.String({ description: 'vgrp_…' }) })
const OfOption = Type.Object({ ...OfGroup.properties, option_id: Type.String({ description: 'optn_…' }) })

const groups = { path: '/v1/products/:id/variant_groups', params: OfProduct } as const
const oneGroup = { path: `${groups.path}/:group_id`, params: OfGroup } as const
const options = { path: `${oneGroup.path}/options`, params: OfGroup } as const
const oneOption = { path: `${options.path}/:option_id`, params: OfOption } as const

const groupPath = ({ id, group_id }: Static<typeof OfGroup>) => ({ productId: id, groupId: group_id })
const optionPath = (params: Static<typeof OfOption>) => ({ ...groupPath(params), optionId: params.option_id })

const showGroup = async ({ caller }: Context, group: Promise<GroupRow>) =>
  viewVariantGroup(await group, caller.currency)

const showOption = async ({ caller }: Context, option: Promise<OptionRow>) =>
  viewVariantOption(await option, caller.currency)

async function groupsOf({ db, caller }: Context, productId: string): Promise<GroupRow[]> {
  const product = await findVariantGroups(db, caller, productId)
  if (product === null) throw notFound('product')
  return product.variant_groups
}

export const variantEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operation: 'variants.list',
    permission: 'see',
    summary: 'Lists the variants of a product, oldest first.',
    ...READS,
    ...variants,
    query: VariantsQuery,
    returns: listOf(Variant),
    handle: async (context) => {
      const { db, caller, params, query, url } = context
      const page = parsePageQuery(query, DEFAULT_VARIANT_LIMIT)
      const maxBytes = maxPageBytes(caller, page)
      const result = await listVariants(db, caller, params.id, page, maxBytes)
      if (result === null) throw notFound('product')
      refuseLargePage(Math.min(page.limit, result.total), result.bytes, maxBytes)
      return paginate(result.rows.map(await viewerFor(context)), result.total, page, url)
    },
  }),
  defineEndpoint({
    operation: 'variants.get',
    permission: 'see',
    summary: 'Gives one variant of a product.',
    ...READS,
    ...oneVariant,
    returns: Variant,
    handle: async (context) => {
      const { db, caller, params } = context
      const row = await getVariant(db, caller, params.id, params.variant_id)
      return (await viewerFor(context))(row)
    },
  }),
  defineEndpoint({
    operation: 'variants.create',
    permission: 'write',
    summary: 'Creates a variant: one combination of options, with its own SKU, price and stock where it has them.',
    ...CREATES,
    ...variants,
    body: CreateVariant,
    returns: Variant,
    handle: async (context) => {
      const show = await viewerFor(context)
      return show(await createVariant(context, context.params.id, context.body))
    },
  }),
  defineEndpoint({
    operation: 'variants.generate',
    permission: 'write',
    summary: `Creates a variant for every combination of options that has none, and gives those. For at most ${MAX_VARIANTS} combinations.`,
    ...CREATES,
    path: `${variants.path}/generate`,
    params: OfProduct,
    returns: GeneratedVariants,
    handle: async (context) => {
      const show = await viewerFor(context)
      return { data: (await generateVariants(context, context.params.id)).map(show) }
    },
  }),
  defineEndpoint({
    operation: 'variants.update',
    permission: 'write',
    summary: 'Changes the fields of a variant that are sent.',
    ...UPDATES,
    ...oneVariant,
    shared: (body) => hasOnly(body, ['inventory', 'on_hand']),
    body: UpdateVariant,
    returns: Variant,
    handle: async (context) => {
      const show = await viewerFor(context)
      return show(await updateVariant(context, context.params.id, context.params.variant_id, context.body))
    },
  }),
  defineEndpoint({
    operation: 'variants.delete',
    permission: 'write',
    summary: 'Deletes a variant, with its stock.',
    ...DELETES,
    ...oneVariant,
    handle: (context) => deleteVariant(context, context.params.id, context.params.variant_id),
  }),

  defineEndpoint({
    operation: 'variant_groups.list',
    permission: 'see',
    summary: 'Lists the variant groups of a product with their options, in their order.',
    ...READS,
    ...groups,
    query: VariantsQuery,
    returns: listOf(VariantGroup),
    handle: async (context) => {
      const { caller, params, query, url } = context
      const page = parsePageQuery(query, DEFAULT_VARIANT_LIMIT)
      // A product has few groups, and one statement reads them all, so the page is cut here.
      const all = await groupsOf(context, params.id)
      const data = all
        .slice(page.offset, page.offset + page.limit)
        .map((group) => viewVariantGroup(group, caller.currency))
      return paginate(data, all.length, page, url)
    },
  }),
  defineEndpoint({
    operation: 'variant_groups.get',
    permission: 'see',
    summary: 'Gives one variant group of a product with its options.',
    ...READS,
    ...oneGroup,
    returns: VariantGroup,
    handle: async (context) => {
      const { id, group_id } = context.params
      return viewVariantGroup(getGroup(await groupsOf(context, id), group_id), context.caller.currency)
    },
  }),
  defineEndpoint({
    operation: 'variant_groups.create',
    permission: 'write',
    summary:
      'Adds a variant group to a product. Variants that exist already are not valid until they name one of its options.',
    ...CREATES,
    ...groups,
    body: CreateVariantGroup,
    returns: VariantGroup,
    handle: (context) => showGroup(context, createVariantGroup(context, context.params.id, context.body)),
  }),
  defineEndpoint({
    operation: 'variant_groups.update',
    permission: 'write',
    summary:
      'Changes the fields of a variant group that are sent. Options replace; those sent with id or name keep their id.',
    ...UPDATES,
    ...oneGroup,
    body: UpdateVariantGroup,
    returns: VariantGroup,
    handle: (context) => showGroup(context, updateVariantGroup(context, groupPath(context.params), context.body)),
  }),
  defineEndpoint({
    operation: 'variant_groups.delete',
    permission: 'write',
    summary: 'Deletes a variant group with its options. Variants that name one stay, and are no longer valid.',
    ...DELETES,
    ...oneGroup,
    handle: (context) => deleteVariantGroup(context, groupPath(context.params)),
  }),
  defineEndpoint({
    operation: 'variant_options.create',
    permission: 'write',
    summary: 'Adds an option to a variant group.',
    ...CREATES,
    ...options,
    body: CreateVariantOption,
    returns: VariantOption,
    handle: (context) => showOption(context, createVariantOption(context, groupPath(context.params), context.body)),
  }),
  defineEndpoint({
    operation: 'variant_options.update',
    permission: 'write',
    summary: 'Changes the fields of an option that are sent.',
    ...UPDATES,
    ...oneOption,
    body: UpdateVariantOption,
    returns: VariantOption,
    handle: (context) => showOption(context, updateVariantOption(context, optionPath(context.params), context.body)),
  }),
  defineEndpoint({
    operation: 'variant_options.delete',
    permission: 'write',
    summary: 'Deletes an option. Variants that name it stay, and are no longer valid.',
    ...DELETES,
    ...oneOption,
    handle: (context) => deleteVariantOption(context, optionPath(context.params)),
  }),
]
