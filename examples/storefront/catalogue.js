// The shelves: products by category or by search, more of them on demand.

import { field, make, picture, say, showProblem } from './dom.js'
import { commerce, sentenceOf } from './shop.js'

const PAGE = 24

export async function showCatalogue(category = null, query = null) {
  const params = { limit: PAGE, ...(category && { category_slug: [category] }), ...(query && { query }) }
  const [first, categories] = await Promise.all([
    commerce.products.list(params),
    commerce.categories.list({ limit: 100 }),
  ])
  const shelf = make('ul', { className: 'shelf' }, cardsOf(first.data))
  const { total } = first.meta.pagination
  say(`${total} products.`)
  return {
    title: titleOf(categories.data, category, query),
    content: [
      searchForm(query),
      categoryLinks(categories.data, category),
      total === 0 ? make('p', {}, 'Nothing found. Try another word.') : null,
      shelf,
      moreButton(shelf, params, first.meta.pagination),
    ].filter((part) => part !== null),
  }
}

const titleOf = (categories, category, query) => {
  if (query) return `Search: ${query}`
  return categories.find(({ slug }) => slug === category)?.name ?? 'All products'
}

function searchForm(query) {
  const input = make('input', { type: 'search', name: 'query', value: query ?? '', required: true, maxLength: 100 })
  const form = make(
    'form',
    { className: 'search', role: 'search' },
    field('Search products', input),
    make('button', {}, 'Search'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    location.hash = `/search/${encodeURIComponent(input.value.trim())}`
  })
  return form
}

function categoryLinks(categories, current) {
  const link = (text, href, isCurrent) =>
    make('li', {}, make('a', { href, 'aria-current': isCurrent ? 'page' : null }, text))
  return make(
    'nav',
    { 'aria-label': 'Categories' },
    make(
      'ul',
      { className: 'categories' },
      link('All', '#/', current === null),
      categories
        .filter(({ products }) => products > 0)
        .map(({ name, slug }) => link(name, `#/category/${encodeURIComponent(slug)}`, slug === current)),
    ),
  )
}

export const cardsOf = (products) =>
  products.map(({ name, permalink, price, image, is }) =>
    make(
      'li',
      { className: 'card' },
      picture(image, 'card-picture'),
      // The one link of the card; by style.css it covers all of it.
      make('a', { href: `#/products/${encodeURIComponent(permalink)}` }, name),
      make('span', { className: 'price' }, is?.sold_out ? 'Sold out' : price.formatted_with_symbol),
    ),
  )

function moreButton(shelf, params, { total_pages: pages }) {
  if (pages <= 1) return null
  let page = 1
  const button = make('button', { type: 'button', className: 'more' }, 'Show more')
  button.addEventListener('click', async () => {
    button.disabled = true
    try {
      const { data } = await commerce.products.list({ ...params, page: page + 1 })
      page += 1
      const cards = cardsOf(data)
      shelf.append(...cards)
      // Where the reading goes on, now that the button may be gone.
      cards[0]?.querySelector('a').focus()
      if (page >= pages) button.remove()
    } catch (error) {
      showProblem(sentenceOf(error))
    } finally {
      button.disabled = false
    }
  })
  return button
}
