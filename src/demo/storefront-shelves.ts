// Writes the catalogue into the page of the example storefront. It calls the API like the page's own script, and caches the result briefly.
// So repeated reloads cost the database little.

import { readFile } from 'node:fs/promises'
import type { Category } from '../api/categories/schema.ts'
import type { Product } from '../api/products/schema.ts'
import { RecentMap, type SharedAnswer, sharedAnswer } from '../lib/memory.ts'
import { escapeHtml, toOneLine } from '../lib/text.ts'
import { ROOT } from '../root.ts'
import { renderContent, type StorefrontContent } from './storefront-html.ts'

/** `from` is the visitor's address, which counts for the API's rate limits. */
type Ask = (path: string, key: string, from: string) => Promise<{ status: number; body: unknown }>

type WrittenPage = { readonly html: string; readonly status: 200 | 404 }

type Paged<T> = {
  readonly data: readonly T[]
  readonly meta: { readonly pagination: { total: number; total_pages: number } }
}

const PAGE = new URL('examples/storefront/index.html', ROOT)

const readPage = () => readFile(PAGE, 'utf8')

const CACHE_MS = 10_000
const MAX_CACHED_PAGES = 200

/** Number of products per page, as in the script's own views. */
const PAGE_SIZE = 24

/** Categories shown without the script; the script shows all of them. */
const MAX_CATEGORIES = 200

export function createStorefrontWriter(
  ask: Ask,
): (params: URLSearchParams, key: string, from: string) => Promise<WrittenPage> {
  const pages = new RecentMap<SharedAnswer<WrittenPage, [from: string]>>(MAX_CACHED_PAGES)
  return (params, key, from) => {
    const view = readView(params)
    // Include the key: a new demo shop has a new key.
    const name = JSON.stringify([key, view])
    const sharedPage =
      pages.get(name) ?? sharedAnswer((visitor: string) => writePage(view, (path) => ask(path, key, visitor)), CACHE_MS)
    pages.set(name, sharedPage)
    // If the API fails, return the bare page: its script reports the error and retries.
    return sharedPage.get(from).catch(async () => ({ html: await readPage(), status: 200 }))
  }
}

type View =
  | { readonly product: string }
  | { readonly category: string | null; readonly query: string | null; readonly page: number }

/** Reads only the known parameters, so that others do not create separate cache entries. */
function readView(params: URLSearchParams): View {
  const text = (name: string) => toOneLine(params.get(name) ?? '') || null
  const product = text('product')
  if (product !== null) return { product }
  const page = /^[1-9]\d{0,3}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 1
  return { category: text('category'), query: text('query'), page }
}

async function writePage(view: View, ask: (path: string) => ReturnType<Ask>): Promise<WrittenPage> {
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await ask(path)
    if (status !== 200) throw new Error(`The storefront requested ${path} and got status ${status}.`)
    return body as T
  }
  const [page, { name, currency }, { data: categories }, shelves] = await Promise.all([
    readPage(),
    get<{ name: string; currency: { code: string } }>('/v1/merchants'),
    get<Paged<Category>>(`/v1/categories?limit=${MAX_CATEGORIES}`),
    'product' in view ? findProduct(view.product, ask) : listProducts(view, get),
  ])
  const { title, html, isMissing } = renderContent(shelves, { categories, currency: currency.code })
  return {
    html: page
      .replace('<title>Shop</title>', () => `<title>${escapeHtml(`${title} · ${name}`)}</title>`)
      .replace(/(<a id="brand"[^>]*>)Shop</, (_all, tag: string) => `${tag}${escapeHtml(name)}<`)
      .replace(/(<main\b[^>]*>)[\s\S]*(<\/main>)/, (_all, begin: string, end: string) => begin + html + end)
      // Pictures have the URL of our internal request, which browsers cannot reach. Make it relative.
      .replaceAll('http://127.0.0.1/files/', '../files/'),
    status: isMissing ? 404 : 200,
  }
}

async function findProduct(permalink: string, ask: (path: string) => ReturnType<Ask>): Promise<StorefrontContent> {
  const { status, body } = await ask(`/v1/products/${encodeURIComponent(permalink)}?type=permalink`)
  if (status !== 200 && status !== 404) throw new Error(`The storefront requested a product and got status ${status}.`)
  return { product: status === 200 ? (body as Product) : null }
}

async function listProducts(
  { category, query, page }: Exclude<View, { product: string }>,
  get: (path: string) => Promise<Paged<Product>>,
): Promise<StorefrontContent> {
  const searchParams = new URLSearchParams({ limit: String(PAGE_SIZE), page: String(page) })
  if (category !== null) searchParams.set('category_slug[]', category)
  if (query !== null) searchParams.set('query', query)
  const { data: products, meta } = await get(`/v1/products?${searchParams}`)
  const { total, total_pages: pages } = meta.pagination
  return { products, total, page, pages, category, query }
}
