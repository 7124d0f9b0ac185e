// The endpoints of /v1/categories.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { notFound, unprocessable } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import { addressesFor, writerAddresses } from '../assets/view.ts'
import type { Slice } from '../slice.ts'
import { createCategory, deleteCategory, updateCategory, viewCategories } from './category.ts'
import { listCategories, type Reach, readCategories, readCategoryBySlug } from './read-store.ts'
import {
  Category,
  type CategoryChanges,
  CreateCategory,
  DEFAULT_LIMIT,
  GetQuery,
  ListQuery,
  UpdateCategory,
} from './schema.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of a category: cat_…' }) })

const IdOrSlug = Type.Object({ id: Type.String({ description: 'The id of a category, or its slug with type=slug.' }) })

export const categories: Slice = {
  kinds: [Category],
  endpoints: [
    endpoint({
      operation: 'categories.list',
      summary: 'Lists all categories, flat and oldest first, each with those below it.',
      method: 'GET',
      path: '/v1/categories',
      access: 'public',
      query: ListQuery,
      status: 200,
      returns: listOf(Category),
      handle: async (context) => {
        const { db, caller, query, url } = context
        const page = readPage(query, DEFAULT_LIMIT)
        const reach = reachOf(query, caller.isSecret)
        const read = await listCategories(db, caller.merchantId, reach, page, query.parent_id)
        return pageOf(viewCategories(read, reach, await addressesFor(context)), read.total, page, url)
      },
    }),
    endpoint({
      operation: 'categories.get',
      summary: 'Gives one category, by its id or its slug.',
      method: 'GET',
      path: '/v1/categories/:id',
      access: 'public',
      params: IdOrSlug,
      query: GetQuery,
      status: 200,
      returns: Category,
      handle: async (context) => {
        const { db, caller, params, query } = context
        const reach = reachOf(query, caller.isSecret)
        const read =
          query.type === 'slug'
            ? await readCategoryBySlug(db, caller.merchantId, reach, params.id)
            : await readCategories(db, caller.merchantId, reach, [params.id])
        const [category] = viewCategories(read, reach, await addressesFor(context))
        if (category === undefined) throw notFound('category')
        return category
      },
    }),
    endpoint({
      operation: 'categories.create',
      summary: 'Creates a category.',
      method: 'POST',
      path: '/v1/categories',
      access: 'secret',
      body: CreateCategory,
      status: 201,
      returns: Category,
      handle: async (context) => {
        const { db, clock, caller, body } = context
        const addresses = await writerAddresses(context)
        return db.transaction((tx) => createCategory(tx, clock, caller, body, addresses))
      },
    }),
    endpoint({
      operation: 'categories.update',
      summary: 'Changes the fields of a category that are sent.',
      method: 'PUT',
      path: '/v1/categories/:id',
      access: 'secret',
      params: Id,
      body: UpdateCategory,
      status: 200,
      returns: Category,
      handle: async (context) => {
        const { db, clock, caller, params, body, behaviours } = context
        if (behaviours.has('category-update-needs-slug-and-name')) requireSlugAndName(body)
        const addresses = await writerAddresses(context)
        return db.transaction((tx) => updateCategory(tx, clock, caller, params.id, body, addresses))
      },
    }),
    endpoint({
      operation: 'categories.delete',
      summary: 'Deletes a category. Its children move to where it stood; its products stay.',
      method: 'DELETE',
      path: '/v1/categories/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, clock, caller, params, lastingOrigin }) => {
        await db.transaction((tx) => deleteCategory(tx, clock, caller, params.id, lastingOrigin))
        return undefined
      },
    }),
  ],
}

function reachOf({ depth, include = [] }: { depth: number; include?: string[] }, isSecret: boolean): Reach {
  const parts = include
    .flatMap((part) => part.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.some((part) => part !== 'breadcrumbs'))
    throw unprocessable({ include: ['include must be breadcrumbs, or be left out.'] })
  return { depth, breadcrumbs: parts.length > 0, privateAssets: isSecret }
}

function requireSlugAndName(body: CategoryChanges) {
  const missing = (['slug', 'name'] as const).filter((field) => body[field] === undefined)
  if (missing.length > 0)
    throw unprocessable(Object.fromEntries(missing.map((field) => [field, [`${field} is required.`]])))
}
