// The endpoints of /v1/products/{id}/variant_groups and of the options in a group.

import { type Static, Type } from 'typebox'
import {
  type Context,
  CREATES,
  DELETES,
  type Endpoint,
  endpoint,
  READS,
  UPDATES,
} from '../../../http/endpoint/endpoint.ts'
import { listOf } from '../../../http/endpoint/schema.ts'
import { notFound } from '../../../lib/errors.ts'
import { pageOf, readPage } from '../../../lib/page.ts'
import type { GroupRow } from '../read-store.ts'
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
  CreateVariantGroup,
  CreateVariantOption,
  DEFAULT_VARIANT_LIMIT,
  OfProduct,
  UpdateVariantGroup,
  UpdateVariantOption,
  VariantsQuery,
} from './schema.ts'

const OfGroup = Type.Object({ ...OfProduct.properties, group_id: Type.String({ description: 'vgrp_…' }) })
const OfOption = Type.Object({ ...OfGroup.properties, option_id: Type.String({ description: 'optn_…' }) })

const groups = { path: '/v1/products/:id/variant_groups', params: OfProduct } as const
const oneGroup = { path: `${groups.path}/:group_id`, params: OfGroup } as const
const options = { path: `${oneGroup.path}/options`, params: OfGroup } as const
const oneOption = { path: `${options.path}/:option_id`, params: OfOption } as const

const groupPath = ({ id, group_id }: Static<typeof OfGroup>) => ({ productId: id, groupId: group_id })
const optionPath = (params: Static<typeof OfOption>) => ({ ...groupPath(params), optionId: params.option_id })

async function groupsOf({ db, caller }: Context, productId: string): Promise<GroupRow[]> {
  const product = await findVariantGroups(db, caller, productId)
  if (product === null) throw notFound('product')
  return product.variant_groups
}

export const variantGroupEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'variant_groups.list',
    summary: 'Lists the variant groups of a product with their options, in their order.',
    ...READS,
    ...groups,
    query: VariantsQuery,
    returns: listOf(VariantGroup),
    handle: async (context) => {
      const { caller, params, query, url } = context
      const page = readPage(query, DEFAULT_VARIANT_LIMIT)
      // They are few, and come with their product in one statement: the page is cut out here.
      const all = await groupsOf(context, params.id)
      const shown = all
        .slice(page.offset, page.offset + page.limit)
        .map((group) => viewVariantGroup(group, caller.currency))
      return pageOf(shown, all.length, page, url)
    },
  }),
  endpoint({
    operation: 'variant_groups.get',
    summary: 'Gives one variant group of a product with its options.',
    ...READS,
    ...oneGroup,
    returns: VariantGroup,
    handle: async (context) => {
      const { id, group_id } = context.params
      return viewVariantGroup(getGroup(await groupsOf(context, id), group_id), context.caller.currency)
    },
  }),
  endpoint({
    operation: 'variant_groups.create',
    summary:
      'Adds a variant group to a product. Variants that exist already are not valid until they name one of its options.',
    ...CREATES,
    ...groups,
    body: CreateVariantGroup,
    returns: VariantGroup,
    handle: async (context) =>
      viewVariantGroup(await createVariantGroup(context, context.params.id, context.body), context.caller.currency),
  }),
  endpoint({
    operation: 'variant_groups.update',
    summary:
      'Changes the fields of a variant group that are sent. Options replace; those sent with id or name keep their id.',
    ...UPDATES,
    ...oneGroup,
    body: UpdateVariantGroup,
    returns: VariantGroup,
    handle: async (context) =>
      viewVariantGroup(
        await updateVariantGroup(context, groupPath(context.params), context.body),
        context.caller.currency,
      ),
  }),
  endpoint({
    operation: 'variant_groups.delete',
    summary: 'Deletes a variant group with its options. Variants that name one stay, and are no longer valid.',
    ...DELETES,
    ...oneGroup,
    handle: (context) => deleteVariantGroup(context, groupPath(context.params)),
  }),
  endpoint({
    operation: 'variant_options.create',
    summary: 'Adds an option to a variant group.',
    ...CREATES,
    ...options,
    body: CreateVariantOption,
    returns: VariantOption,
    handle: async (context) =>
      viewVariantOption(
        await createVariantOption(context, groupPath(context.params), context.body),
        context.caller.currency,
      ),
  }),
  endpoint({
    operation: 'variant_options.update',
    summary: 'Changes the fields of an option that are sent.',
    ...UPDATES,
    ...oneOption,
    body: UpdateVariantOption,
    returns: VariantOption,
    handle: async (context) =>
      viewVariantOption(
        await updateVariantOption(context, optionPath(context.params), context.body),
        context.caller.currency,
      ),
  }),
  endpoint({
    operation: 'variant_options.delete',
    summary: 'Deletes an option. Variants that name it stay, and are no longer valid.',
    ...DELETES,
    ...oneOption,
    handle: (context) => deleteVariantOption(context, optionPath(context.params)),
  }),
]
