// The endpoints of /v1/products/{id}/variants.

import { Type } from 'typebox'
import { CREATES, DELETES, type Endpoint, endpoint, READS, UPDATES } from '../../../http/endpoint/endpoint.ts'
import { listOf } from '../../../http/endpoint/schema.ts'
import { notFound } from '../../../lib/errors.ts'
import { pageOf, readPage } from '../../../lib/page.ts'
import { addressesFor } from '../../assets/view.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import {
  CreateVariant,
  DEFAULT_VARIANT_LIMIT,
  GeneratedVariants,
  OfProduct,
  UpdateVariant,
  Variant,
  VariantsQuery,
} from './schema.ts'
import { listVariants } from './store.ts'
import {
  createVariant,
  deleteVariant,
  generateVariants,
  getVariant,
  updateVariant,
  viewStockedVariant,
} from './variant.ts'

const OfVariant = Type.Object({ ...OfProduct.properties, variant_id: Type.String({ description: 'vrnt_…' }) })

const variants = { path: '/v1/products/:id/variants', params: OfProduct } as const
const oneVariant = { path: `${variants.path}/:variant_id`, params: OfVariant } as const

export const variantEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'variants.list',
    summary: 'Lists the variants of a product, oldest first.',
    ...READS,
    ...variants,
    query: VariantsQuery,
    returns: listOf(Variant),
    handle: async (context) => {
      const { db, caller, params, query, url } = context
      const page = readPage(query, DEFAULT_VARIANT_LIMIT)
      const found = await listVariants(db, caller, params.id, page)
      if (found === null) throw notFound('product')
      const addresses = await addressesFor(context)
      const shown = found.rows.map((row) => viewStockedVariant(row, caller, addresses))
      return pageOf(shown, found.total, page, url)
    },
  }),
  endpoint({
    operation: 'variants.get',
    summary: 'Gives one variant of a product.',
    ...READS,
    ...oneVariant,
    returns: Variant,
    handle: async (context) => {
      const { db, caller, params } = context
      const row = await getVariant(db, caller, params.id, params.variant_id)
      return viewStockedVariant(row, caller, await addressesFor(context))
    },
  }),
  // The addresses of a reply come before the change: they may need a connection of their own.
  endpoint({
    operation: 'variants.create',
    summary: 'Creates a variant: one combination of options, with its own SKU, price and stock where it has them.',
    ...CREATES,
    ...variants,
    body: CreateVariant,
    returns: Variant,
    handle: async (context) => {
      const addresses = await addressesFor(context)
      const row = await createVariant(context, context.params.id, context.body)
      return viewStockedVariant(row, context.caller, addresses)
    },
  }),
  endpoint({
    operation: 'variants.generate',
    summary: `Creates a variant for every combination of options that has none, and gives those. For at most ${MAX_VARIANTS} combinations.`,
    ...CREATES,
    path: `${variants.path}/generate`,
    params: OfProduct,
    returns: GeneratedVariants,
    handle: async (context) => {
      const addresses = await addressesFor(context)
      const rows = await generateVariants(context, context.params.id)
      return { data: rows.map((row) => viewStockedVariant(row, context.caller, addresses)) }
    },
  }),
  endpoint({
    operation: 'variants.update',
    summary: 'Changes the fields of a variant that are sent.',
    ...UPDATES,
    ...oneVariant,
    body: UpdateVariant,
    returns: Variant,
    handle: async (context) => {
      const addresses = await addressesFor(context)
      const row = await updateVariant(context, context.params.id, context.params.variant_id, context.body)
      return viewStockedVariant(row, context.caller, addresses)
    },
  }),
  endpoint({
    operation: 'variants.delete',
    summary: 'Deletes a variant, with its stock.',
    ...DELETES,
    ...oneVariant,
    handle: (context) => deleteVariant(context, context.params.id, context.params.variant_id),
  }),
]
