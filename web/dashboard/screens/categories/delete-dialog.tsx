// Deletes a category. The dialog says what happens to subcategories, products and pictures.

import type { Category } from '../../../../src/api/categories/schema.ts'
import { del } from '../../parts/form/change.ts'
import type { ListPage } from '../../parts/list/list.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { plural } from '../../parts/show/values.tsx'
import { useQuery } from '../../use-query.ts'
import { type CategoryTreeData, childCategoriesOf, findCategoryById } from './tree.ts'

type DeleteProps = {
  readonly category: Category
  readonly all: CategoryTreeData
  readonly onClose: () => void
  readonly leadsTo?: string
}

export function DeleteCategoryDialog({ category, all, onClose, leadsTo }: DeleteProps) {
  // The category itself counts only active products.
  const productQuery = useQuery<ListPage<unknown>>(`/v1/products?category_id=${category.id}&limit=1`)
  const products = productQuery.data?.meta.pagination.total ?? category.products
  const children = childCategoriesOf(all, category.id)
  const parent = findCategoryById(all, category.parent_id)
  return (
    <ActionDialog
      title={`Delete “${category.name}”`}
      verb="Delete the category"
      isReady={!productQuery.isLoading}
      says={[
        products === 0
          ? 'No product is in it.'
          : `Takes ${plural(products, 'product')} out of it. ${products === 1 ? 'It stays' : 'They stay'} in your shop.`,
        ...(children.length === 0
          ? []
          : [
              `Moves ${children.length > 3 ? plural(children.length, 'category', 'categories') : children.map(({ name }) => `“${name}”`).join(', ')} ${parent === undefined ? 'to the top' : `under “${parent.name}”`}.`,
            ]),
        ...(category.assets.length === 0
          ? []
          : [`Leaves its ${plural(category.assets.length, 'picture')} among your files.`]),
        `Pages of your storefront for “${category.slug}” find nothing any more.`,
      ]}
      request={del(`/v1/categories/${category.id}`)}
      done={`“${category.name}” is deleted`}
      leadsTo={leadsTo}
      onClose={onClose}
    />
  )
}
