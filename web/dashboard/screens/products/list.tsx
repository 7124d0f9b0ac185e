// All products: searched by name, SKU or permalink, filtered, and changed many at a time. Every view has a URL.

import type { Product } from '../../../../src/api/products/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { Badge, Money, None, plural } from '../../parts/show/values.tsx'
import { AttributeFilter, CategoryFilter, StockFilter, trueOrFalse } from './filters.tsx'
import { ChosenProductsBar } from './many/chosen.tsx'
import { LastBatch } from './many/last-batch.tsx'

export const ProductList = listScreen<Product>({
  screen: '/dashboard/products',
  path: '/v1/products',
  title: 'Products',
  things: ['product', 'products'],
  lines: 12,
  search: 'Name, SKU or address',
  folds: true,
  filters: [
    { names: ['category_id'], Filter: CategoryFilter },
    { name: 'active', label: 'State', options: trueOrFalse('All', 'On sale', 'Off') },
    { names: ['stock_below'], Filter: StockFilter },
    { name: 'has_image', label: 'Picture', options: trueOrFalse('All', 'With a picture', 'Without') },
    { names: ['attribute', 'value'], Filter: AttributeFilter },
  ],
  parameters: ['sortBy', 'sortDirection'],
  toApi: ({ attribute = '', value = '', ...same }) =>
    attribute === '' ? same : { ...same, [`attribute[${attribute}]`]: value },
  columns: [
    { label: 'Product', sort: 'name', cell: (product) => <NameAndPicture product={product} /> },
    { label: 'Price', sort: 'price', cell: ({ price }) => <Money price={price} />, isNumber: true, phone: 'aside' },
    { label: 'Stock', cell: (product) => <Stock product={product} />, isNumber: true },
    { label: 'State', cell: ({ active }) => (active ? <Badge tone="good">On sale</Badge> : <Badge>Off</Badge>) },
    {
      label: 'Categories',
      cell: ({ categories }) => (categories.length === 0 ? <None /> : categories.map(({ name }) => name).join(', ')),
    },
  ],
  choose: {
    permission: 'products.create_batch',
    nameOf: ({ name }) => name,
    Bar: ChosenProductsBar,
    keepsOnPages: true,
  },
  export: { permission: 'products.export', file: 'products.csv' },
  add: { permission: 'products.create', label: 'Add a product' },
  actions: (_list, { may }) =>
    may('products.import') && <LinkButton words="Import" href="/dashboard/products/import" icon="up" />,
  above: () => <LastBatch />,
  noMatch: 'No product is like that.',
  empty: ({ may }) => ({
    title: 'No products yet',
    icon: 'box',
    text: 'What you sell stands here, with its pictures, its price and its stock.',
    action: may('products.create') && (
      <>
        <LinkButton words="Add your first product" href="/dashboard/products/new" kind="primary" icon="plus" />
        {may('products.import') && <LinkButton words="Import a table" href="/dashboard/products/import" />}
      </>
    ),
  }),
})

function NameAndPicture({ product: { name, sku, image } }: { product: Product }) {
  return (
    <div class="product-cell">
      {image === null ? (
        <span class="no-picture" />
      ) : (
        <img src={image.url} alt="" loading="lazy" width={40} height={40} />
      )}
      <div>
        {name}
        {sku !== null && <p class="product-sku">{sku}</p>}
      </div>
    </div>
  )
}

function Stock({ product: { inventory } }: { product: Product }) {
  if (!inventory.managed) return <span class="hint">not counted</span>
  if (inventory.available === 0) return <Badge tone="bad">Sold out</Badge>
  return <>{plural(inventory.available, 'piece')}</>
}
