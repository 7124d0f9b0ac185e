// Writes the catalogue into the page of the example storefront. It asks the API for it, as the page itself does afterwards, and keeps what it
// wrote for a moment: whoever loads the page again and again costs the database little.

import { readFile } from 'node:fs/promises'
import type { Category } from '../api/categories/schema.ts'
import type { Product } from '../api/products/schema.ts'
import { RecentMap, type SharedAnswer, sharedAnswer } from '../lib/memory.ts'
import { escapeHtml, oneLine } from '../lib/text.ts'
import { ROOT } from '../root.ts'
import { contentOf, type Shelves } from './storefront-html.ts'

/** `from`: the address of who looks at the page, which the limits of the API count. */
type Ask = (path: string, key: string, from: string) => Promise<{ status: number; body: unknown }>

type WrittenPage = { readonly html: string; readonly status: 200 | 404 }

type Paged<T> = {
  readonly data: readonly T[]
  readonly meta: { readonly pagination: { total: number; total_pages: number } }
}

const PAGE = new URL('examples/storefront/index.html', ROOT)

const readPage = () => readFile(PAGE, 'utf8')

const KEPT_MS = 10_000
const MOST_PAGES = 200

/** As many products as a page of the script's own views has. */
const PAGE_SIZE = 24

/** Of a larger tree the page shows so many; the script shows all. */
const MOST_CATEGORIES = 200

export function shelvesWriter(ask: Ask): (params: URLSearchParams, key: string, from: string) => Promise<WrittenPage> {
  const kept = new RecentMap<SharedAnswer<WrittenPage, [from: string]>>(MOST_PAGES)
  return (params, key, from) => {
    const view = viewOf(params)
    // A key that was made anew opens another shop.
    const name = JSON.stringify([key, view])
    const known =
      kept.get(name) ?? sharedAnswer((visitor: string) => writePage(view, (path) => ask(path, key, visitor)), KEPT_MS)
    kept.set(name, known)
    // Where the API has no answer, the page as it is: its script will say so, and try again.
    return known.ask(from).catch(async () => ({ html: await readPage(), status: 200 }))
  }
}

type View =
  | { readonly product: string }
  | { readonly category: string | null; readonly query: string | null; readonly page: number }

/** Whatever else an address says makes no difference, and no page of its own to keep. */
function viewOf(params: URLSearchParams): View {
  const text = (name: string) => oneLine(params.get(name) ?? '') || null
  const product = text('product')
  if (product !== null) return { product }
  const page = /^[1-9]\d{0,3}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 1
  return { category: text('category'), query: text('query'), page }
}

async function writePage(view: View, ask: (path: string) => ReturnType<Ask>): Promise<WrittenPage> {
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await ask(path)
    if (status !== 200) throw new Error(`The storefront asked for ${path} and was answered ${status}.`)
    return body as T
  }
  const [page, { name, currency }, { data: categories }, shelves] = await Promise.all([
    readPage(),
    get<{ name: string; currency: { code: string } }>('/v1/merchants'),
    get<Paged<Category>>(`/v1/categories?limit=${MOST_CATEGORIES}`),
    'product' in view ? findProduct(view.product, ask) : listProducts(view, get),
  ])
  const { title, html, isMissing } = contentOf(shelves, { categories, currency: currency.code })
  return {
    html: page
      .replace('<title>Shop</title>', () => `<title>${escapeHtml(`${title} · ${name}`)}</title>`)
      .replace(/(<a id="brand"[^>]*>)Shop</, (_all, tag: string) => `${tag}${escapeHtml(name)}<`)
      .replace(/(<main\b[^>]*>)[\s\S]*(<\/main>)/, (_all, begin: string, end: string) => begin + html + end)
      // The address that we were asked by from inside is nobody else's.
      .replaceAll('http://127.0.0.1/files/', '../files/'),
    status: isMissing ? 404 : 200,
  }
}

async function findProduct(permalink: string, ask: (path: string) => ReturnType<Ask>): Promise<Shelves> {
  const { status, body } = await ask(`/v1/products/${encodeURIComponent(permalink)}?type=permalink`)
  if (status !== 200 && status !== 404)
    throw new Error(`The storefront asked for a product and was answered ${status}.`)
  return { product: status === 200 ? (body as Product) : null }
}

async function listProducts(
  { category, query, page }: Exclude<View, { product: string }>,
  get: (path: string) => Promise<Paged<Product>>,
): Promise<Shelves> {
  const asked = new URLSearchParams({ limit: String(PAGE_SIZE), page: String(page) })
  if (category !== null) asked.set('category_slug[]', category)
  if (query !== null) asked.set('query', query)
  const { data: products, meta } = await get(`/v1/products?${asked}`)
  const { total, total_pages: pages } = meta.pagination
  return { products, total, page, pages, category, query }
}
