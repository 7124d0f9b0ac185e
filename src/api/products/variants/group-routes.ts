// The endpoints of /v1/products/{id}/variant_groups and of the options in a group.

import { Type } from 'typebox'
import { type Context, type Endpoint, endpoint } from '../../../http/endpoint/endpoint.ts'
import { listOf } from '../../../http/endpoint/schema.ts'
import { notFound } from '../../../lib/errors.ts'
import { pageOf, readPage } from '../../../lib/page.ts'
import { write } from '../product.ts'
import type { GroupRow } from '../read-store.ts'
import { VariantGroup, VariantOption } from '../schema.ts'
import { viewVariantGroup } from '../view.ts'
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
  UpdateVariantGroup,
  UpdateVariantOption,
  VariantsQuery,
} from './schema.ts'

const ofProduct = { id: Type.String({ description: 'The id of a product: prod_…' }) }
const ofGroup = { ...ofProduct, group_id: Type.String({ description: 'vgrp_…' }) }
const OfProduct = Type.Object(ofProduct)
const OfGroup = Type.Object(ofGroup)
const OfOption = Type.Object({ ...ofGroup, option_id: Type.String({ description: 'optn_…' }) })

async function groupsOf({ db, caller }: Context, productId: string): Promise<GroupRow[]> {
  const product = await findVariantGroups(db, caller, productId)
  if (product === null) throw notFound('product')
  return product.variant_groups
}

export const variantGroupEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'variant_groups.list',
    summary: 'Lists the variant groups of a product with their options, in their order.',
    method: 'GET',
    path: '/v1/products/:id/variant_groups',
    access: 'public',
    params: OfProduct,
    query: VariantsQuery,
    status: 200,
    returns: listOf(VariantGroup),
    handle: async (context) => {
      const { caller, params, query, url } = context
      const page = readPage(query, DEFAULT_VARIANT_LIMIT)
      // They are few, and come with their product in one statement: the page is cut out here.
      const groups = await groupsOf(context, params.id)
      const shown = groups.slice(page.offset, page.offset + page.limit)
      return pageOf(
        shown.map((group) => viewVariantGroup(group, caller.currency)),
        groups.length,
        page,
        url,
      )
    },
  }),
  endpoint({
    operation: 'variant_groups.get',
    summary: 'Gives one variant group of a product with its options.',
    method: 'GET',
    path: '/v1/products/:id/variant_groups/:group_id',
    access: 'public',
    params: OfGroup,
    status: 200,
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
    method: 'POST',
    path: '/v1/products/:id/variant_groups',
    access: 'secret',
    params: OfProduct,
    body: CreateVariantGroup,
    status: 201,
    returns: VariantGroup,
    handle: (context) =>
      write(context, (tx, writer) => createVariantGroup(tx, writer, context.params.id, context.body)),
  }),
  endpoint({
    operation: 'variant_groups.update',
    summary:
      'Changes the fields of a variant group that are sent. Options replace; those sent with id or name keep their id.',
    method: 'PUT',
    path: '/v1/products/:id/variant_groups/:group_id',
    access: 'secret',
    params: OfGroup,
    body: UpdateVariantGroup,
    status: 200,
    returns: VariantGroup,
    handle: (context) => {
      const { id, group_id } = context.params
      return write(context, (tx, writer) => updateVariantGroup(tx, writer, id, group_id, context.body))
    },
  }),
  endpoint({
    operation: 'variant_groups.delete',
    summary: 'Deletes a variant group with its options. Variants that name one stay, and are no longer valid.',
    method: 'DELETE',
    path: '/v1/products/:id/variant_groups/:group_id',
    access: 'secret',
    params: OfGroup,
    status: 204,
    handle: async (context) => {
      const { id, group_id } = context.params
      await write(context, (tx, writer) => deleteVariantGroup(tx, writer, id, group_id))
      return undefined
    },
  }),
  endpoint({
    operation: 'variant_options.create',
    summary: 'Adds an option to a variant group.',
    method: 'POST',
    path: '/v1/products/:id/variant_groups/:group_id/options',
    access: 'secret',
    params: OfGroup,
    body: CreateVariantOption,
    status: 201,
    returns: VariantOption,
    handle: (context) => {
      const { id, group_id } = context.params
      return write(context, (tx, writer) => createVariantOption(tx, writer, id, group_id, context.body))
    },
  }),
  endpoint({
    operation: 'variant_options.update',
    summary: 'Changes the fields of an option that are sent.',
    method: 'PUT',
    path: '/v1/products/:id/variant_groups/:group_id/options/:option_id',
    access: 'secret',
    params: OfOption,
    body: UpdateVariantOption,
    status: 200,
    returns: VariantOption,
    handle: (context) => {
      const { id, group_id, option_id } = context.params
      const path = { groupId: group_id, optionId: option_id }
      return write(context, (tx, writer) => updateVariantOption(tx, writer, id, path, context.body))
    },
  }),
  endpoint({
    operation: 'variant_options.delete',
    summary: 'Deletes an option. Variants that name it stay, and are no longer valid.',
    method: 'DELETE',
    path: '/v1/products/:id/variant_groups/:group_id/options/:option_id',
    access: 'secret',
    params: OfOption,
    status: 204,
    handle: async (context) => {
      const { id, group_id, option_id } = context.params
      const path = { groupId: group_id, optionId: option_id }
      await write(context, (tx, writer) => deleteVariantOption(tx, writer, id, path))
      return undefined
    },
  }),
]
