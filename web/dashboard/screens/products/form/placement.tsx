// Fields for a product's place in the shop: categories, related products, permalink, position, and page after buying.

import type { Category } from '../../../../../src/api/categories/schema.ts'
import type { Product } from '../../../../../src/api/products/schema.ts'
import { call } from '../../../api.ts'
import { type Find, findAmong, MultiPick } from '../../../parts/form/combobox.tsx'
import { Field } from '../../../parts/form/field.tsx'
import type { ListPage } from '../../../parts/list/list.tsx'
import { toPicked, useEvery } from '../choices.ts'

export function PlacementFields({ productId }: { productId: string | null }) {
  const categories = useEvery<Category>('/v1/categories')
  const findProducts: Find = async (text, signal) => {
    const path = `/v1/products?limit=20&query=${encodeURIComponent(text)}`
    const { data } = await call<ListPage<Product>>('GET', path, { signal })
    return data
      .filter(({ id }) => id !== productId)
      .map((product) => ({ ...toPicked(product), detail: product.price.formatted_with_symbol }))
  }
  return (
    <div class="form">
      <MultiPick
        name="categories"
        label="Categories"
        placeholder="Find a category"
        find={findAmong(categories.map(toPicked))}
        from={({ categories: chosen = [] }: Product) => chosen.map(toPicked)}
      />
      <MultiPick
        name="related_products"
        label="Related products"
        placeholder="Find a product"
        find={findProducts}
        from={({ related_products: related = [] }: Product) => related.map(toPicked)}
      />
      <Field
        name="permalink"
        label="Address"
        empty="leave"
        hint="The last part of its page’s address. Made from the name unless you say."
      />
      <Field
        name="sort_order"
        label="Place in lists"
        isNumber
        empty="leave"
        inputMode="numeric"
        hint="Smaller numbers come first."
      />
      <Field name="thank_you_url" label="Page after buying" type="url" placeholder="https://" />
    </div>
  )
}
