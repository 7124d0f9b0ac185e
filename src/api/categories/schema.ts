// The category as the API shows it, the bodies that create and change one, and the queries of the reads.

import { type Static, Type } from 'typebox'
import { kind, lenient, Meta, nested, nullable, oneOf, pageQuery, Timestamp } from '../../http/endpoint/schema.ts'
import { Asset } from '../assets/schema.ts'

export const DEFAULT_CATEGORY_LIMIT = 20
/** Levels below a category that a reply can include. The schemas below nest to this depth. */
export const MAX_CATEGORY_DEPTH = 3
/** Maximum number of levels of the tree. Breadcrumbs name them all, and each move reads all ancestors. */
export const MAX_LEVELS = 20

const link = { id: Type.String(), slug: Type.String(), name: Type.String() }
const Link = Type.Object(link)
const Grandchild = Type.Object({ ...link, children: Type.Optional(Type.Array(Link)) })
const Child = Type.Object({ ...link, children: Type.Optional(Type.Array(Grandchild)) })

export const Category = kind('category', {
  id: Type.String(),
  parent_id: nullable(Type.String(), { description: 'The category it stands under; null at the top.' }),
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  products: Type.Integer({ description: 'How many active products are in the category itself.' }),
  created: Timestamp,
  updated: Timestamp,
  meta: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Data of your own; {} where there is none.',
  }),
  assets: Type.Array(nested(Asset), { description: 'In the order in which they were attached.' }),
  children: Type.Array(Child, {
    description:
      'In the order that you have given them by `before`, else oldest first. Each has its own children within it, down to the depth asked for; those at the last level have no field children. Depth 0 gives an empty list.',
  }),
  breadcrumbs: Type.Optional(
    Type.Array(Link, {
      description: 'With include=breadcrumbs: the way from the top down to this category, which is the last entry.',
    }),
  ),
})

export type Category = Static<typeof Category>

const slug = Type.String({
  minLength: 1,
  // A slug must work as a path segment, and the router accepts none longer than this.
  maxLength: 100,
  description:
    'Unique among your categories. Letters a to z, digits, hyphens, underscores, dots and tildes, beginning with a letter or a digit.',
})

const fields = {
  slug,
  name: Type.String({ minLength: 1, maxLength: 255 }),
  description: Type.Optional(Type.String({ maxLength: 65_535, description: 'Empty unless given.' })),
  assets: Type.Optional(
    Type.Array(Type.String(), { maxItems: 200, description: 'Ids of assets, in the order in which they are shown.' }),
  ),
  children: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 500,
      description:
        'Ids of categories that move under this one. On an update the list replaces: a child that is left out moves to where this category stood.',
    }),
  ),
  parent_id: Type.Optional(
    nullable(Type.String(), {
      description: `The category to stand under; null for the top, as when not given. A tree has at most ${MAX_LEVELS} levels.`,
    }),
  ),
  meta: Type.Optional(Meta),
}

export const CreateCategory = Type.Object(fields)

export const UpdateCategory = Type.Partial(
  Type.Object({
    ...fields,
    before: nullable(Type.String(), {
      description:
        'The category that this one is to stand before, among those under the same parent; null for behind all of them. Where it is not sent and the parent changes, it stands behind those that were placed.',
    }),
  }),
)

export type NewCategory = Static<typeof CreateCategory>
export type CategoryChanges = Static<typeof UpdateCategory>

const commonFields = {
  depth: lenient(
    Type.Integer({
      minimum: 0,
      maximum: MAX_CATEGORY_DEPTH,
      default: MAX_CATEGORY_DEPTH,
      description: 'How many levels of children to show.',
    }),
  ),
  include: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What to add to each category, as a list or with commas: breadcrumbs.',
    }),
  ),
}

export const CategoryListQuery = Type.Object({
  ...pageQuery(DEFAULT_CATEGORY_LIMIT),
  ...commonFields,
  parent_id: Type.Optional(
    Type.String({ description: 'Only the direct children of this category; left empty, only those at the top.' }),
  ),
})

export const CategoryGetQuery = Type.Object({
  ...commonFields,
  type: Type.Unsafe<'id' | 'slug'>({ ...oneOf(['id', 'slug']), default: 'id', description: 'What the path names.' }),
})
