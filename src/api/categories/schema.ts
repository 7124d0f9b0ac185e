// The category as the API shows it, the bodies that create and change one, and the queries of the reads.

import { type Static, Type } from 'typebox'
import { kind, lenient, Meta, nested, nullable, oneOf, pageQuery, Timestamp } from '../../http/endpoint/schema.ts'
import { Asset } from '../assets/schema.ts'

export const DEFAULT_CATEGORY_LIMIT = 20
/** Levels of children that a reply can include. The schemas below nest to this depth. */
export const MAX_SHOWN_DEPTH = 3
/** Maximum number of levels of the tree. The limit exists because breadcrumbs list all levels, and each move reads all ancestors. */
export const MAX_TREE_LEVELS = 20

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
  description: Type.Optional(Type.String({ maxLength: 65_535, description: 'Empty if it is not sent on a create.' })),
  assets: Type.Optional(
    Type.Array(Type.String(), { maxItems: 200, description: 'Ids of assets, in the order in which they are shown.' }),
  ),
  children: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 500,
      description:
        'Ids of categories to move under this one. On an update, the list replaces the children: a child that is not in it moves to the parent that this category had before.',
    }),
  ),
  parent_id: Type.Optional(
    nullable(Type.String(), {
      description: `The id of the parent category; null for the top level. If it is not sent, a new category is at the top level, and an update changes nothing. A tree has at most ${MAX_TREE_LEVELS} levels.`,
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
        'The id of the sibling to place this category before; null places it last. The sibling has the same parent, after this update. If `before` is not sent, the category keeps its place; under a new parent it comes after the siblings that were placed.',
    }),
  }),
)

export type NewCategory = Static<typeof CreateCategory>
export type CategoryChanges = Static<typeof UpdateCategory>

const commonFields = {
  depth: lenient(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SHOWN_DEPTH,
      default: MAX_SHOWN_DEPTH,
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
  type: Type.Unsafe<'id' | 'slug'>({
    ...oneOf(['id', 'slug']),
    default: 'id',
    description: 'Whether the path contains the id or the slug of the category.',
  }),
})
