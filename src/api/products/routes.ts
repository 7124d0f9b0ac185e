// The endpoints of /v1/products. Those of variants and of their groups stand in files of their own.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, Price } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import { addressesFor } from '../assets/view.ts'
import type { Slice } from '../slice.ts'
import { CreateProduct, DEFAULT_LIMIT, GetQuery, ListQuery, ProductAssets, UpdateProduct } from './body-schema.ts'
import { listProductIds } from './list-store.ts'
import { createProduct, deleteProduct, setProductAssets, updateProduct, write } from './product.ts'
import { ExtraField, Product, RelatedProduct, VariantGroup, VariantOption } from './schema.ts'
import { findProduct, findProducts } from './store.ts'
import { variantGroupEndpoints } from './variants/group-routes.ts'
import { variantEndpoints } from './variants/routes.ts'
import { Variant } from './variants/schema.ts'
import { viewProduct } from './view.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of a product: prod_…' }) })

export const products: Slice = {
  kinds: [Price, Product, VariantGroup, VariantOption, Variant, ExtraField, RelatedProduct],
  endpoints: [
    endpoint({
      operation: 'products.list',
      summary: 'Lists products; with a public key, active ones only.',
      method: 'GET',
      path: '/v1/products',
      access: 'public',
      query: ListQuery,
      status: 200,
      returns: listOf(Product),
      handle: async (context) => {
        const { db, caller, query, url } = context
        const page = readPage(query, DEFAULT_LIMIT)
        // A public key that asks for inactive products gets none, and not the active ones instead.
        if (!caller.isSecret && query.active === false) return pageOf([], 0, page, url)
        const active = caller.isSecret ? query.active : true
        const { ids, total } = await listProductIds(
          db,
          caller.merchantId,
          { ...query, ...(active === undefined ? {} : { active }) },
          page,
        )
        const rows = new Map((await findProducts(db, caller, ids)).map((row) => [row.id, row]))
        const viewer = { caller, addresses: await addressesFor(context) }
        const shown = ids.flatMap((id) => rows.get(id) ?? []).map((row) => viewProduct(row, viewer))
        return pageOf(shown, total, page, url)
      },
    }),
    endpoint({
      operation: 'products.get',
      summary: 'Gives one product, by its id, SKU or permalink.',
      method: 'GET',
      path: '/v1/products/:id',
      access: 'public',
      params: Type.Object({ id: Type.String({ description: 'The id, or what the query parameter type says.' }) }),
      query: GetQuery,
      status: 200,
      returns: Product,
      handle: async (context) => {
        const { db, caller, params, query } = context
        const row = await findProduct(db, caller, params.id.trim(), query.type)
        if (row === null) throw notFound('product')
        return viewProduct(row, { caller, addresses: await addressesFor(context) })
      },
    }),
    endpoint({
      operation: 'products.create',
      summary: 'Creates a product.',
      method: 'POST',
      path: '/v1/products',
      access: 'secret',
      body: CreateProduct,
      status: 201,
      returns: Product,
      handle: (context) => write(context, (tx, writer) => createProduct(tx, writer, context.body)),
    }),
    endpoint({
      operation: 'products.update',
      summary: 'Changes the fields of a product that are sent. Lists replace.',
      method: 'PUT',
      path: '/v1/products/:id',
      access: 'secret',
      params: Id,
      body: UpdateProduct,
      status: 200,
      returns: Product,
      handle: (context) => write(context, (tx, writer) => updateProduct(tx, writer, context.params.id, context.body)),
    }),
    endpoint({
      operation: 'products.delete',
      summary: 'Deletes a product. Orders keep their own copy of what was bought.',
      method: 'DELETE',
      path: '/v1/products/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async (context) => {
        await write(context, (tx, writer) => deleteProduct(tx, writer, context.params.id))
        return undefined
      },
    }),
    endpoint({
      operation: 'products.add_assets',
      summary: 'Adds assets to a product.',
      method: 'POST',
      path: '/v1/products/:id/assets',
      access: 'secret',
      params: Id,
      body: ProductAssets,
      status: 200,
      returns: Product,
      handle: (context) =>
        write(context, (tx, writer) => setProductAssets(tx, writer, context.params.id, context.body.assets, 'add')),
    }),
    endpoint({
      operation: 'products.replace_assets',
      summary: 'Gives a product these assets and no others.',
      method: 'PUT',
      path: '/v1/products/:id/assets',
      access: 'secret',
      params: Id,
      body: ProductAssets,
      status: 200,
      returns: Product,
      handle: (context) =>
        write(context, (tx, writer) => setProductAssets(tx, writer, context.params.id, context.body.assets, 'replace')),
    }),
    ...variantEndpoints,
    ...variantGroupEndpoints,
  ],
}
