// The endpoints of /v1/categories.

import { Type } from 'typebox'
import {
  asModeSharedEndpoints,
  CREATES,
  DELETES,
  defineEndpoint,
  READS,
  UPDATES,
} from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { notFound, unprocessable } from '../../lib/errors.ts'
import { maxPageBytes, paginate, parsePageQuery, refuseLargePage } from '../../lib/page.ts'
import { Problems } from '../../lib/problems.ts'
import { fileUrlsFor } from '../assets/view.ts'
import type { Slice } from '../slice.ts'
import { createCategory, deleteCategory, updateCategory } from './category.ts'
import { type CategoryReadOptions, listCategories, readCategories, readCategoryBySlug } from './read-store.ts'
import {
  Category,
  type CategoryChanges,
  CategoryGetQuery,
  CategoryListQuery,
  CreateCategory,
  DEFAULT_CATEGORY_LIMIT,
  UpdateCategory,
} from './schema.ts'
import { viewCategories, viewCategory } from './view.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of a category: cat_…' }) })

const IdOrSlug = Type.Object({ id: Type.String({ description: 'The id of a category, or its slug with type=slug.' }) })

export const categories: Slice = {
  kinds: [Category],
  endpoints: asModeSharedEndpoints([
    defineEndpoint({
      operation: 'categories.list',
      permission: 'see',
      summary: 'Lists all categories, flat, in your order or else oldest first, each with those below it.',
      ...READS,
      path: '/v1/categories',
      query: CategoryListQuery,
      returns: listOf(Category),
      handle: async (context) => {
        const { db, caller, query, url } = context
        const page = parsePageQuery(query, DEFAULT_CATEGORY_LIMIT)
        const options = readOptionsOf(query, caller.isSecret)
        const maxBytes = maxPageBytes(caller, page)
        const result = await listCategories(db, caller, options, page, maxBytes, query.parent_id)
        refuseLargePage(Math.min(page.limit, result.total), result.bytes, maxBytes)
        return paginate(viewCategories(result, options, await fileUrlsFor(context)), result.total, page, url)
      },
    }),
    defineEndpoint({
      operation: 'categories.get',
      permission: 'see',
      summary: 'Gives one category, by its id or its slug.',
      ...READS,
      path: '/v1/categories/:id',
      params: IdOrSlug,
      query: CategoryGetQuery,
      returns: Category,
      handle: async (context) => {
        const { db, caller, params, query } = context
        const options = readOptionsOf(query, caller.isSecret)
        const result =
          query.type === 'slug'
            ? await readCategoryBySlug(db, caller, options, params.id)
            : await readCategories(db, caller, options, [params.id])
        const [category] = viewCategories(result, options, await fileUrlsFor(context))
        if (category === undefined) throw notFound('category')
        return category
      },
    }),
    defineEndpoint({
      operation: 'categories.create',
      permission: 'write',
      summary: 'Creates a category.',
      ...CREATES,
      path: '/v1/categories',
      body: CreateCategory,
      returns: Category,
      handle: async (context) => {
        const fileUrls = await fileUrlsFor(context)
        return viewCategory(await createCategory(context, context.body), fileUrls)
      },
    }),
    defineEndpoint({
      operation: 'categories.update',
      permission: 'write',
      summary: 'Changes the fields of a category that are sent.',
      ...UPDATES,
      path: '/v1/categories/:id',
      params: Id,
      body: UpdateCategory,
      returns: Category,
      handle: async (context) => {
        const { params, body, behaviours } = context
        if (behaviours.has('category-update-needs-slug-and-name')) requireSlugAndName(body)
        const fileUrls = await fileUrlsFor(context)
        return viewCategory(await updateCategory(context, params.id, body), fileUrls)
      },
    }),
    defineEndpoint({
      operation: 'categories.delete',
      permission: 'write',
      summary: 'Deletes a category. Its children move to where it stood; its products stay.',
      ...DELETES,
      path: '/v1/categories/:id',
      params: Id,
      handle: (context) => deleteCategory(context, context.params.id),
    }),
  ]),
}

function readOptionsOf(
  { depth, include = [] }: { depth: number; include?: string[] },
  isSecret: boolean,
): CategoryReadOptions {
  const parts = include
    .flatMap((part) => part.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
  // A storefront gets a reply without the wrong part, as with other parameters of lists. A secret key gets the error, because its
  // programmer can fix the mistake.
  if (isSecret && parts.some((part) => part !== 'breadcrumbs'))
    throw unprocessable({ include: ['include must be breadcrumbs, or be left out.'] })
  return { depth, breadcrumbs: parts.includes('breadcrumbs'), privateAssets: isSecret }
}

function requireSlugAndName(body: CategoryChanges) {
  const problems = new Problems()
  for (const field of ['slug', 'name'] as const) if (body[field] === undefined) problems.malformed(field, 'is required')
  problems.throwIfAny()
}
