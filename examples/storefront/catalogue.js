// The product lists: by category or by search, sorted, with more products on demand.

import { breadcrumbs, button, buttonLink, field, make, nothing, picture, say, select, showProblem } from './dom.js'
import { fewLeft, shelfPrice, stockOf } from './price.js'
import { commerce, listCategories, sentenceOf } from './shop.js'
import { categoryHref, pathOf, tiles, treeLinks, treeOf } from './tree.js'

const PAGE = 24

/** Name in the URL → label, and parameters of the API. */
const ORDERS = {
  featured: ['Featured', {}],
  price: ['Price, low to high', { sortBy: 'price', sortDirection: 'asc' }],
  'price-down': ['Price, high to low', { sortBy: 'price', sortDirection: 'desc' }],
  newest: ['Newest first', { sortBy: 'created', sortDirection: 'desc' }],
  name: ['Name', { sortBy: 'name', sortDirection: 'asc' }],
}

export async function showCatalogue(slug, query, params) {
  const order = params.get('sort') in ORDERS ? params.get('sort') : 'featured'
  const asked = {
    limit: PAGE,
    ...(slug && { category_slug: [slug] }),
    ...(query && { query }),
    ...ORDERS[order][1],
  }
  const [first, categories] = await Promise.all([commerce.products.list(asked), listCategories()])
  const { data: products = [], meta } = first
  const tree = treeOf(categories)
  const category = slug === null ? null : tree.find(slug)
  if (slug !== null && category === null) return missingCategory(tree)
  const { total } = meta.pagination
  const shelf = make('ul', { className: 'shelf' }, cardsOf(products))
  const below = category?.children ?? (query ? [] : tree.roots)
  if (query && total === 0) say('No products found.')
  else if (query) say(total === 1 ? 'One product found.' : `${total} products found.`)
  return {
    title: titleOf(category, query),
    before: crumbsOf(category, query),
    content: [
      category?.description ? make('p', { className: 'lead' }, category.description) : null,
      make(
        'div',
        { className: 'shelves' },
        make('div', { className: 'beside' }, categoryTree(tree, query ? undefined : category)),
        make(
          'div',
          {},
          tiles(below),
          total === 0 ? nothingFound(query, tree) : [toolbar(total, order), shelf, moreButton(shelf, asked, meta)],
        ),
      ),
    ],
  }
}

const titleOf = (category, query) => (query ? `Results for “${query}”` : (category?.name ?? 'All products'))

const crumbsOf = (category, query) => {
  if (category === null && !query) return null
  const path = category === null ? [] : pathOf(category)
  return breadcrumbs([
    ['All products', '#/'],
    ...path.map((node) => [node.name, categoryHref(node)]),
    ...(query ? [['Search']] : []),
  ])
}

const missingCategory = (tree) => ({
  title: 'Category not found',
  content: [nothing('It may have been renamed or removed.', buttonLink('#/', 'See all products')), tiles(tree.roots)],
})

const nothingFound = (query, tree) =>
  query
    ? [
        nothing(
          'Nothing in the shop is called that. A shorter word, or only its beginning, may find more.',
          buttonLink('#/', 'See all products'),
        ),
        tiles(tree.roots),
      ]
    : nothing('There is nothing on this shelf at the moment.', buttonLink('#/', 'See all products'))

/** Beside the products if there is room, otherwise folded. During a search no category is current. */
function categoryTree(tree, current) {
  if (tree.roots.length === 0) return null
  return make(
    'details',
    { className: 'tree', open: matchMedia('(min-width: 60rem)').matches },
    make('summary', {}, 'Categories'),
    make('nav', { 'aria-label': 'Categories' }, treeLinks(tree, current)),
  )
}

function toolbar(total, order) {
  const choice = select(
    { name: 'sort', id: 'sort', required: true },
    Object.entries(ORDERS).map(([name, [text]]) => [name, text]),
    order,
  )
  choice.addEventListener('change', () => {
    const [path] = location.hash.split('?')
    location.hash = `${path || '#/'}${choice.value === 'featured' ? '' : `?sort=${choice.value}`}`
  })
  const counted = total === 1 ? 'One product' : `${total} products`
  return make(
    'div',
    { className: 'toolbar' },
    make('p', { className: 'note' }, counted),
    total > 1 ? field('Sort by', choice) : null,
  )
}

export const cardsOf = (products) =>
  products.map((product) => {
    const { name, permalink, image, is } = product
    const few = fewLeft(stockOf(product))
    return make(
      'li',
      { className: is?.sold_out ? 'card sold-out' : 'card' },
      make(
        'span',
        { className: 'frame' },
        picture(image, 'card-picture'),
        is?.sold_out ? make('span', { className: 'badge' }, 'Sold out') : null,
      ),
      // The only link of the card; style.css makes it cover the whole card.
      make('a', { href: `#/products/${encodeURIComponent(permalink)}` }, name),
      make('span', { className: 'price' }, shelfPrice(product)),
      few === null ? null : make('span', { className: 'few' }, few),
      choicesOf(product),
    )
  })

/** Shows "3 colours" if there is something to choose. */
function choicesOf({ variant_groups: groups = [], assets = [] }) {
  const pictured = groups.find(({ options }) => options.some((option) => option.assets?.length > 0))
  if (pictured === undefined) return null
  const pictures = pictured.options.flatMap(({ name, assets: [id] = [] }) => {
    const asset = assets.find((one) => one.id === id)
    return asset ? [make('img', { src: asset.url, alt: name, width: 640, height: 640, loading: 'lazy' })] : []
  })
  return pictures.length < 2 ? null : make('span', { className: 'small-pictures' }, pictures.slice(0, 5))
}

function moreButton(shelf, asked, { pagination: { total_pages: pages } }) {
  if (pages <= 1) return null
  let page = 1
  const more = button(
    'Show more',
    async () => {
      more.disabled = true
      try {
        const { data } = await commerce.products.list({ ...asked, page: page + 1 })
        page += 1
        const cards = cardsOf(data)
        shelf.append(...cards)
        // Focus the first new product, because the button may be gone.
        cards[0]?.querySelector('a').focus()
        if (page >= pages) more.remove()
      } catch (error) {
        showProblem(sentenceOf(error))
      } finally {
        more.disabled = false
      }
    },
    { className: 'more quiet' },
  )
  return more
}
