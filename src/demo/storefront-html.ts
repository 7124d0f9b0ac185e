// Renders the catalogue of the example storefront as HTML, for browsers without JavaScript and until the script has run. Its classes match
// the views of the page (examples/storefront), which then take the same places.

import type { Category } from '../api/categories/schema.ts'
import type { Product } from '../api/products/schema.ts'
import { currencyOf } from '../lib/currencies.ts'
import { textOfHtml } from '../lib/html/text-of-html.ts'
import { priceOf } from '../lib/money.ts'
import { escapeHtml, toOneLine } from '../lib/text.ts'

/** Content of the page besides its categories. `product` is null if there is no such product. */
export type StorefrontContent =
  | { readonly product: Product | null }
  | {
      readonly products: readonly Product[]
      readonly total: number
      readonly page: number
      readonly pages: number
      readonly category: string | null
      readonly query: string | null
    }

type Shop = { readonly categories: readonly Category[]; readonly currency: string }

type Content = { readonly title: string; readonly html: string; readonly isMissing: boolean }

const NO_SCRIPT_NOTE = `<p class="unscripted note">You can look at everything here. To put something into a cart and to pay, switch JavaScript on in your browser and load this page again.</p>`

export function renderContent(shelves: StorefrontContent, shop: Shop): Content {
  const { categories } = shop
  if (!('product' in shelves)) return listContent(shelves, shop)
  const { product } = shelves
  return product === null
    ? createMissing('Product not found', 'It may have been sold or removed.')
    : productContent(product, categories)
}

const createContent = (title: string, html: string, before = ''): Content => ({
  title,
  isMissing: false,
  html: `<div class="served">${before}<h1>${escapeHtml(title)}</h1>${NO_SCRIPT_NOTE}${html}</div>`,
})

const createMissing = (title: string, sentence: string): Content => ({
  title,
  isMissing: true,
  html: `<div class="served"><h1>${title}</h1><p>${sentence}</p>${ALL_PRODUCTS}</div>`,
})

const linkTo = (query: Readonly<Record<string, string>>) => escapeHtml(`./?${new URLSearchParams(query)}`)

const ALL_PRODUCTS = '<p><a class="button" href="./">See all products</a></p>'

function listContent(list: Exclude<StorefrontContent, { product: unknown }>, shop: Shop): Content {
  const { categories } = shop
  const { products, total, query } = list
  const category = categories.find(({ slug }) => slug === list.category) ?? null
  if (list.category !== null && category === null)
    return createMissing('Category not found', 'It may have been renamed or removed.')
  const title = query === null ? (category?.name ?? 'All products') : `Results for “${query}”`
  const lead = category?.description ? `<p class="lead">${escapeHtml(category.description)}</p>` : ''
  const shelf =
    total === 0
      ? `<p>${query === null ? 'There is nothing on this shelf at the moment.' : 'Nothing in the shop is called that.'}</p>${ALL_PRODUCTS}`
      : `<div class="toolbar"><p class="note">${total === 1 ? 'One product' : `${total} products`}</p></div>
         <ul class="shelf">${products.map((product) => renderCard(product, shop.currency)).join('')}</ul>${renderPagination(list)}`
  const childCategories = query === null ? filledChildren(categories, category?.id ?? null) : []
  const tree = `<details class="tree"><summary>Categories</summary><nav aria-label="Categories">${renderTree(categories, category)}</nav></details>`
  return createContent(
    title,
    `${lead}<div class="shelves"><div class="beside">${categories.length > 0 ? tree : ''}</div><div>${renderTiles(childCategories)}${shelf}</div></div>`,
    category === null ? '' : renderCrumbs(categoryPath(categories, category).map(({ name, slug }) => [name, slug])),
  )
}

/** Child categories with products in them or below them. */
const filledChildren = (categories: readonly Category[], parentId: string | null): Category[] =>
  categories.filter(
    (category) =>
      category.parent_id === parentId && (category.products > 0 || filledChildren(categories, category.id).length > 0),
  )

function renderTree(categories: readonly Category[], current: Category | null, parentId: string | null = null): string {
  const link = (href: string, name: string, isCurrent: boolean) =>
    `<a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>`
  const items = filledChildren(categories, parentId).map(
    (category) =>
      `<li>${link(linkTo({ category: category.slug }), category.name, category === current)}${renderTree(categories, current, category.id)}</li>`,
  )
  if (parentId === null) items.unshift(`<li>${link('./', 'All products', current === null)}</li>`)
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
}

/** The path from the top category down to this one. */
function categoryPath(categories: readonly Category[], category: Category): Category[] {
  const parent = categories.find(({ id }) => id === category.parent_id)
  return parent === undefined ? [category] : [...categoryPath(categories, parent), category]
}

/** Breadcrumbs: names with category slugs. The last one is the page itself. */
function renderCrumbs(steps: readonly (readonly [name: string, slug: string | null])[]): string {
  const items = steps.map(([name, slug], index) =>
    index === steps.length - 1 || slug === null
      ? `<li><span aria-current="page">${escapeHtml(name)}</span></li>`
      : `<li><a href="${linkTo({ category: slug })}">${escapeHtml(name)}</a></li>`,
  )
  return `<nav class="crumbs" aria-label="Where you are"><ol><li><a href="./">All products</a></li>${items.join('')}</ol></nav>`
}

const renderTiles = (categories: readonly Category[]) =>
  categories.length === 0
    ? ''
    : `<ul class="tiles">${categories.map((category) => `<li><a href="${linkTo({ category: category.slug })}">${renderPicture(category.assets[0] ?? null, '', '')}<span>${escapeHtml(category.name)}</span></a></li>`).join('')}</ul>`

const renderPicture = (asset: { readonly url: string } | null, className: string, alt: string) =>
  asset === null
    ? ''
    : `<img${className && ` class="${className}"`} src="${escapeHtml(asset.url)}" alt="${escapeHtml(alt)}" width="640" height="640">`

function renderCard(product: Product, currency: string): string {
  const { name, permalink, image, is, description } = product
  return `<li class="card${is.sold_out ? ' sold-out' : ''}"><span class="frame">${renderPicture(image, 'card-picture', '')}${
    is.sold_out ? '<span class="badge">Sold out</span>' : ''
  }</span><a href="${linkTo({ product: permalink })}">${escapeHtml(name)}</a><span class="price">${escapeHtml(shelfPrice(product, currency))}</span>
  <span class="unscripted note">${escapeHtml(toOneLine(descriptionText(description), 120))}</span></li>`
}

/** Lowest price, with the cheapest option of each group. The page's script shows the same. */
function shelfPrice({ price, variant_groups: groups, is }: Product, currency: string): string {
  if (is.pay_what_you_want) return price.raw > 0 ? `From ${price.formatted_with_symbol}` : 'Pay what you want'
  const sumPrices = (pick: (...prices: number[]) => number) => {
    const added = groups.map(({ options }) => (options.length > 0 ? pick(...options.map((each) => each.price.raw)) : 0))
    return Math.max(0, Math.round(added.reduce((total, each) => total + each, price.raw) * 10 ** exponent))
  }
  const { exponent } = currencyOf(currency)
  const [lowest, highest] = [sumPrices(Math.min), sumPrices(Math.max)]
  if (highest === 0) return 'Free'
  const text = priceOf(lowest, currency).formatted_with_symbol
  return lowest < highest ? `From ${text}` : text
}

function renderPagination({ page, pages, category, query }: Exclude<StorefrontContent, { product: unknown }>): string {
  const link = (to: number, text: string) =>
    to < 1 || to > pages
      ? ''
      : `<a href="${linkTo({ ...(category && { category }), ...(query && { query }), page: String(to) })}">${text}</a> `
  const links = link(page - 1, 'Previous page') + link(page + 1, 'Next page')
  return links === '' ? '' : `<p class="unscripted ways">${links}</p>`
}

function productContent(product: Product, categories: readonly Category[]): Content {
  const { name, description, image, variant_groups: groups, is, inventory } = product
  const paths = categories
    .filter(({ id }) => product.categories.some((own) => own.id === id))
    .map((category) => categoryPath(categories, category))
  const path = paths.reduce((longest, each) => (each.length > longest.length ? each : longest), [])
  const crumbs = renderCrumbs([...path.map((each) => [each.name, each.slug] as const), [name, null]])
  const choices = groups.map(({ name: group, options }) => {
    const texts = options.map(({ name: option, price }) =>
      price.raw === 0 ? option : `${option} (${price.raw > 0 ? '+' : ''}${price.formatted_with_symbol})`,
    )
    return `<div><dt>${escapeHtml(group)}</dt><dd>${escapeHtml(texts.join(', '))}</dd></div>`
  })
  const stock = is.sold_out
    ? 'Sold out'
    : inventory.managed && inventory.available <= 5
      ? `Only ${inventory.available} left`
      : null
  const html = `${crumbs}<div class="product"><div class="gallery"><div class="frame">${renderPicture(image, 'product-picture', image?.description || name)}</div></div>
    <div class="about"><h1>${escapeHtml(name)}</h1><p class="price large">${escapeHtml(product.price.formatted_with_symbol)}</p>
    ${stock === null ? '' : `<p class="note">${stock}</p>`}${NO_SCRIPT_NOTE}
    <p class="description">${escapeHtml(descriptionText(description))}</p>${choices.length > 0 ? `<dl class="details">${choices.join('')}</dl>` : ''}</div></div>`
  return { title: name, isMissing: false, html: `<div class="served">${html}</div>` }
}

/** More text than anybody reads. */
const MAX_TEXT_LENGTH = 5_000

/** Text of a description, which is HTML. */
const descriptionText = (html: string | null): string => textOfHtml(html ?? '', MAX_TEXT_LENGTH).join('\n')
