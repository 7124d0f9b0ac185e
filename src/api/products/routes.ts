// The endpoints of /v1/products. Those of variants and groups are in variants/routes.ts.

import { Type } from 'typebox'
import {
  asModeSharedEndpoints,
  type Context,
  CREATES,
  DELETES,
  defineEndpoint,
  READS,
  UPDATES,
} from '../../http/endpoint/endpoint.ts'
import { listOf, Price } from '../../http/endpoint/schema.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { hasOnly } from '../../lib/json.ts'
import { paginate, parsePageQuery } from '../../lib/page.ts'
import { fileUrlsFor } from '../assets/view.ts'
import type { Slice } from '../slice.ts'
import { batchEndpoints } from './batch/routes.ts'
import { ProductBatch } from './batch/schema.ts'
import { batchSweep } from './batch/store.ts'
import { workThroughBatch } from './batch/work.ts'
import {
  CreateProduct,
  DEFAULT_PRODUCT_LIMIT,
  ProductAssets,
  ProductGetQuery,
  ProductListQuery,
  UpdateProduct,
} from './body-schema.ts'
import { createProduct, deleteProduct, setProductAssets, updateProduct } from './product.ts'
import type { ProductRow } from './read-store.ts'
import { ExtraField, Product, RelatedProduct, VariantGroup, VariantOption } from './schema.ts'
import { sendProduct, sendProductPage } from './shown.ts'
import { tableEndpoints } from './table/routes.ts'
import { variantEndpoints } from './variants/routes.ts'
import { OfProduct, Variant } from './variants/schema.ts'
import { viewProduct } from './view.ts'

/** Replies with the changed product. Prepares the URLs first, because they may need their own database connection. */
async function replyWithProduct(context: Context, change: () => Promise<ProductRow>): Promise<Product> {
  const fileUrls = await fileUrlsFor(context)
  return viewProduct(await change(), context.caller, fileUrls)
}

const assetsEndpoint = (mode: 'add' | 'replace', method: 'POST' | 'PUT', summary: string) =>
  defineEndpoint({
    operation: `products.${mode}_assets`,
    permission: 'write',
    summary,
    method,
    path: '/v1/products/:id/assets',
    ...(method === 'PUT' && { object: '/v1/products/:id' as const }),
    access: 'secret',
    params: OfProduct,
    body: ProductAssets,
    status: 200,
    returns: Product,
    handle: (context) =>
      replyWithProduct(context, () => setProductAssets(context, context.params.id, context.body.assets, mode)),
  })

/** True if the body contains only stock, which belongs to one mode. */
const isStockOnly = (body: unknown): boolean =>
  hasOnly(body, ['inventory']) && hasOnly(body.inventory, ['available', 'on_hand'])

/** A product in a list has the same form as a single one. */
const PIECES = { schema: Product, operation: 'products.get', permission: 'see' }

export const products: Slice = {
  kinds: [Price, Product, VariantGroup, VariantOption, Variant, ExtraField, RelatedProduct, ProductBatch],
  jobs: () => [workThroughBatch as JobHandler],
  sweeps: () => [batchSweep],
  endpoints: asModeSharedEndpoints([
    defineEndpoint({
      operation: 'products.list',
      permission: 'see',
      summary: 'Lists products; with a public key, active ones only.',
      ...READS,
      path: '/v1/products',
      query: ProductListQuery,
      returns: listOf(Product),
      pieces: PIECES,
      handle: async (context) => {
        const { caller, query, url } = context
        const page = parsePageQuery(query, DEFAULT_PRODUCT_LIMIT)
        // A public key that requests inactive products gets an empty page, not the active ones.
        if (!caller.isSecret && query.active === false) return paginate([], 0, page, url)
        const active = caller.isSecret ? query.active : true
        const filter = { ...query, ...(active === undefined ? {} : { active }) }
        return sendProductPage(context, filter, page)
      },
    }),
    defineEndpoint({
      operation: 'products.get',
      permission: 'see',
      summary: 'Gives one product, by its id, SKU or permalink.',
      ...READS,
      path: '/v1/products/:id',
      params: Type.Object({ id: Type.String({ description: 'The id, or what the query parameter type says.' }) }),
      query: ProductGetQuery,
      returns: Product,
      pieces: PIECES,
      handle: (context) => sendProduct(context, context.params.id, context.query.type),
    }),
    defineEndpoint({
      operation: 'products.create',
      permission: 'write',
      summary: 'Creates a product.',
      ...CREATES,
      path: '/v1/products',
      body: CreateProduct,
      returns: Product,
      handle: (context) => replyWithProduct(context, () => createProduct(context, context.body)),
    }),
    defineEndpoint({
      operation: 'products.update',
      permission: 'write',
      summary: 'Changes the fields of a product that are sent. Lists replace.',
      ...UPDATES,
      path: '/v1/products/:id',
      params: OfProduct,
      shared: isStockOnly,
      body: UpdateProduct,
      returns: Product,
      handle: (context) => replyWithProduct(context, () => updateProduct(context, context.params.id, context.body)),
    }),
    defineEndpoint({
      operation: 'products.delete',
      permission: 'write',
      summary: 'Deletes a product. Orders keep their own copy of what was bought.',
      ...DELETES,
      path: '/v1/products/:id',
      params: OfProduct,
      handle: (context) => deleteProduct(context, context.params.id),
    }),
    assetsEndpoint('add', 'POST', 'Adds assets to a product.'),
    assetsEndpoint('replace', 'PUT', 'Gives a product these assets and no others.'),
    ...variantEndpoints,
    ...batchEndpoints,
    ...tableEndpoints,
  ]),
}
