// All products: searched by name, SKU or permalink, filtered, and changed many at a time. Every view has a URL.

import { useEffect, useId, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Icon } from '../../icons.tsx'
import { ExportButton } from '../../parts/list/export-button.tsx'
import { FilterBar, FilterPick, type Filters, SearchBox, useFilters } from '../../parts/list/filters.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Button, LinkButton } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { Badge, count, Money, None, plural } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { AttributeFilter } from './attribute-filter.tsx'
import { ChosenProductsBar } from './many/chosen.tsx'
import { LastBatch } from './many/last-batch.tsx'
import { type NamedObject, type Product, type ProductListPage, productListView, useEvery } from './product.ts'

const NAMES = [
  ...(['query', 'category_id', 'active', 'stock_below', 'has_image', 'attribute', 'value'] as const),
  ...(['sortBy', 'sortDirection', 'page'] as const),
] as const
export type ProductFilters = Filters<(typeof NAMES)[number]>

const LIST = '/dashboard/products'
const PER_PAGE = '50'

const ACTIVE = [
  ['', 'All'],
  ['true', 'On sale'],
  ['false', 'Off'],
] as const

const STOCK = [
  ['', 'All'],
  ['1', 'Sold out'],
  ['5', 'Below 5'],
  ['10', 'Below 10'],
  ['20', 'Below 20'],
] as const

const PICTURE = [
  ['', 'All'],
  ['true', 'With a picture'],
  ['false', 'Without'],
] as const

const COLUMNS: readonly Column<Product>[] = [
  {
    label: 'Product',
    sort: 'name',
    cell: (product) => (
      <span class="product-cell">
        {product.image === null ? (
          <span class="no-picture" />
        ) : (
          <img src={product.image.url} alt="" loading="lazy" width={40} height={40} />
        )}
        <span>
          {product.name}
          {product.sku !== null && <span class="product-sku">{product.sku}</span>}
        </span>
      </span>
    ),
  },
  {
    label: 'Price',
    sort: 'price',
    cell: (product) => <Money price={product.price} />,
    isNumber: true,
    phone: 'aside',
  },
  { label: 'Stock', cell: (product) => <Stock product={product} />, isNumber: true },
  {
    label: 'State',
    cell: ({ active }) => (active ? <Badge tone="good">On sale</Badge> : <Badge>Off</Badge>),
  },
  {
    label: 'Categories',
    cell: ({ categories }) => (categories.length === 0 ? <None /> : categories.map(({ name }) => name).join(', ')),
  },
]

function Stock({ product: { inventory } }: { product: Product }) {
  if (!inventory.managed) return <span class="hint">not counted</span>
  if (inventory.available === 0) return <Badge tone="bad">Sold out</Badge>
  return <>{plural(inventory.available, 'piece')}</>
}

/** Query for the API, without the page. */
function apiQueryOf({ values }: ProductFilters): URLSearchParams {
  const { attribute, value, page, ...same } = values
  const question = new URLSearchParams()
  for (const [name, text] of Object.entries(same)) if (text !== '') question.set(name, text)
  if (attribute !== '' && value !== '') question.set(`attribute[${attribute}]`, value)
  return question
}

export function ProductList() {
  const filters = useFilters(NAMES)
  const { url, path } = useLocation()
  const may = useMay()
  const question = apiQueryOf(filters)
  const page = new URLSearchParams([...question, ['limit', PER_PAGE], ['page', filters.values.page || '1']])
  const query = useQuery<ProductListPage<Product>>(`/v1/products?${page}`, { keepsPrevious: true })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const criteria = String(question)
  useEffect(() => {
    // The list stays mounted until the next screen is loaded, and `url` is already that of the next screen.
    if (path === LIST) productListView.address = url
  }, [url, path])
  // Other pages of the same list keep the choice.
  useEffect(() => setChosen(new Set()), [criteria])
  const { sortBy, sortDirection } = filters.values
  const total = query.data?.meta.pagination.total ?? 0
  return (
    <Page
      title="Products"
      actions={
        <>
          <Export question={question} total={total} isNarrowed={filters.isNarrowed} />
          {may('products.import') && (
            <LinkButton href="/dashboard/products/import" icon="up">
              Import
            </LinkButton>
          )}
          {may('products.create') && (
            <LinkButton href="/dashboard/products/new" kind="primary" icon="plus">
              Add a product
            </LinkButton>
          )}
        </>
      }
    >
      <LastBatch />
      <FilterFields filters={filters} />
      <Loaded query={query} lines={12}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <Nothing filters={filters} />
          ) : (
            <>
              <Table
                caption="Products"
                rows={data}
                columns={COLUMNS}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/products/${id}`}
                {...(may('products.create_batch') ? { chosen, onChoose: setChosen } : {})}
                nameOf={({ name }) => name}
                isBusy={query.isLoading}
                {...(sortBy === ''
                  ? {}
                  : { sort: { by: sortBy, direction: sortDirection === 'desc' ? 'desc' : 'asc' } })}
                onSort={({ by, direction }) => filters.set({ sortBy: by, sortDirection: direction })}
              />
              <ChosenProductsBar
                chosen={chosen}
                shown={data}
                total={pagination.total}
                question={criteria}
                onChoose={setChosen}
              />
              <Pager
                pagination={pagination}
                things={['product', 'products']}
                hrefOf={(number) => filters.hrefWith({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function FilterFields({ filters }: { filters: ProductFilters }) {
  const id = useId()
  const { values, set } = filters
  const categories = useEvery<NamedObject>('/v1/categories')
  const isSet = [values.category_id, values.active, values.stock_below, values.has_image, values.attribute].some(
    Boolean,
  )
  /** Folded on phones. */
  const [isOpen, setOpen] = useState(isSet)
  const stock = STOCK.some(([value]) => value === values.stock_below)
    ? STOCK
    : [...STOCK, [values.stock_below, `Below ${values.stock_below}`] as const]
  return (
    <FilterBar filters={filters}>
      <SearchBox label="Name, SKU or address" value={values.query} onSearch={(query) => set({ query })} />
      <button
        type="button"
        class="button plain unfold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="filter" />
        <span>Filters</span>
      </button>
      <div id={id} class={isOpen ? 'folded open' : 'folded'}>
        {categories.length > 0 && (
          <FilterPick
            label="Category"
            value={values.category_id}
            options={[['', 'All'], ...categories.map((each) => [each.id, each.name] as const)]}
            onPick={(category_id) => set({ category_id })}
          />
        )}
        <FilterPick label="State" value={values.active} options={ACTIVE} onPick={(active) => set({ active })} />
        <FilterPick
          label="Stock"
          value={values.stock_below}
          options={stock}
          onPick={(stock_below) => set({ stock_below })}
        />
        <FilterPick
          label="Picture"
          value={values.has_image}
          options={PICTURE}
          onPick={(has_image) => set({ has_image })}
        />
        <AttributeFilter filters={filters} />
      </div>
    </FilterBar>
  )
}

function Nothing({ filters }: { filters: ProductFilters }) {
  const may = useMay()
  if (filters.isNarrowed)
    return (
      <Empty title="Nothing matches" icon="search" action={<Button onClick={filters.clear}>Clear the filters</Button>}>
        <p>No product is like that.</p>
      </Empty>
    )
  return (
    <Empty
      title="No products yet"
      icon="box"
      action={
        may('products.create') && (
          <>
            <LinkButton href="/dashboard/products/new" kind="primary" icon="plus">
              Add your first product
            </LinkButton>
            {may('products.import') && <LinkButton href="/dashboard/products/import">Import a table</LinkButton>}
          </>
        )
      }
    >
      <p>What you sell stands here, with its pictures, its price and its stock.</p>
    </Empty>
  )
}

type ExportProps = { readonly question: URLSearchParams; readonly total: number; readonly isNarrowed: boolean }

/** Exports all matching products, also those of other pages. */
function Export({ question, total, isNarrowed }: ExportProps) {
  const may = useMay()
  if (!may('products.export') || total === 0) return null
  return (
    <ExportButton
      path={`/v1/products/export?${question}`}
      name="products.csv"
      words={isNarrowed ? `Export these ${count(total)}` : 'Export'}
      done={`Exported ${plural(total, 'product')}`}
    />
  )
}
