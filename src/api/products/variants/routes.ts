// The endpoints of /v1/products/{id}/variants.

import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../http/endpoint/endpoint.ts'
import { listOf } from '../../../http/endpoint/schema.ts'
import { notFound } from '../../../lib/errors.ts'
import { pageOf, readPage } from '../../../lib/page.ts'
import { addressesFor } from '../../assets/view.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import { write } from '../product.ts'
import {
  CreateVariant,
  DEFAULT_VARIANT_LIMIT,
  GeneratedVariants,
  UpdateVariant,
  Variant,
  VariantsQuery,
} from './schema.ts'
import { findVariant, listVariants } from './store.ts'
import { createVariant, deleteVariant, generateVariants, updateVariant, viewStockedVariant } from './variant.ts'

const ofProduct = { id: Type.String({ description: 'The id of a product: prod_…' }) }
const OfProduct = Type.Object(ofProduct)
const OfVariant = Type.Object({ ...ofProduct, variant_id: Type.String({ description: 'vrnt_…' }) })

export const variantEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'variants.list',
    summary: 'Lists the variants of a product, oldest first.',
    method: 'GET',
    path: '/v1/products/:id/variants',
    access: 'public',
    params: OfProduct,
    query: VariantsQuery,
    status: 200,
    returns: listOf(Variant),
    handle: async (context) => {
      const { db, caller, params, query, url } = context
      const page = readPage(query, DEFAULT_VARIANT_LIMIT)
      const found = await listVariants(db, caller, params.id, page)
      if (found === null) throw notFound('product')
      const viewer = { caller, addresses: await addressesFor(context) }
      const shown = found.rows.map((row) => viewStockedVariant(row, viewer))
      return pageOf(shown, found.total, page, url)
    },
  }),
  endpoint({
    operation: 'variants.get',
    summary: 'Gives one variant of a product.',
    method: 'GET',
    path: '/v1/products/:id/variants/:variant_id',
    access: 'public',
    params: OfVariant,
    status: 200,
    returns: Variant,
    handle: async (context) => {
      const { db, caller, params } = context
      const row = await findVariant(db, caller, params.id, params.variant_id)
      if (row === null) throw notFound('variant')
      return viewStockedVariant(row, { caller, addresses: await addressesFor(context) })
    },
  }),
  endpoint({
    operation: 'variants.create',
    summary: 'Creates a variant: one combination of options, with its own SKU, price and stock where it has them.',
    method: 'POST',
    path: '/v1/products/:id/variants',
    access: 'secret',
    params: OfProduct,
    body: CreateVariant,
    status: 201,
    returns: Variant,
    handle: (context) => write(context, (tx, writer) => createVariant(tx, writer, context.params.id, context.body)),
  }),
  endpoint({
    operation: 'variants.generate',
    summary: `Creates a variant for every combination of options that has none, and gives those. For at most ${MAX_VARIANTS} combinations.`,
    method: 'POST',
    path: '/v1/products/:id/variants/generate',
    access: 'secret',
    params: OfProduct,
    status: 201,
    returns: GeneratedVariants,
    handle: async (context) => ({
      data: await write(context, (tx, writer) => generateVariants(tx, writer, context.params.id)),
    }),
  }),
  endpoint({
    operation: 'variants.update',
    summary: 'Changes the fields of a variant that are sent.',
    method: 'PUT',
    path: '/v1/products/:id/variants/:variant_id',
    access: 'secret',
    params: OfVariant,
    body: UpdateVariant,
    status: 200,
    returns: Variant,
    handle: (context) => {
      const { id, variant_id } = context.params
      return write(context, (tx, writer) => updateVariant(tx, writer, id, variant_id, context.body))
    },
  }),
  endpoint({
    operation: 'variants.delete',
    summary: 'Deletes a variant, with its stock.',
    method: 'DELETE',
    path: '/v1/products/:id/variants/:variant_id',
    access: 'secret',
    params: OfVariant,
    status: 204,
    handle: async (context) => {
      const { id, variant_id } = context.params
      await write(context, (tx, writer) => deleteVariant(tx, writer, id, variant_id))
      return undefined
    },
  }),
]
