// Configures the SDK, turns its errors into sentences for the shopper, and loads data that several views need.

import { config } from './config.js'

// Loaded by index.html; undefined if that failed.
const { Commerce } = globalThis

/** The settings are the third argument. As the second one they would be read as `debug`, and the URL would be ignored. */
export const commerce = Commerce
  ? new Commerce(config.publicKey, false, {
      url: config.url,
      axiosConfig: { headers: { 'Chec-Version': config.version } },
    })
  : null

/** Returns the API's error of a failed request: `{type, message, errors}`. Null if the API sent none. */
const toldBy = (error) =>
  // The SDK throws plain objects: {statusCode, data: the error body}. Without a response, it throws its HTTP client's error.
  error?.data?.error ?? null

/** Field → sentences, if the API names fields; otherwise one sentence under the name ''. */
export function problemsOf(error) {
  const told = toldBy(error)
  return told?.errors && Object.keys(told.errors).length > 0 ? told.errors : { '': [sentenceOf(error)] }
}

/** One sentence for the shopper. The API's `message` is for shoppers; its `errors` are for developers. */
export function sentenceOf(error) {
  const told = toldBy(error)
  if (told !== null) return told.message
  if (error?.isAxiosError) return 'The shop does not answer. Please try again in a moment.'
  // A bug of this page: report it to the console.
  reportError(error)
  return 'Something went wrong on this page. Please load it again.'
}

export const isMissing = (error) => error?.statusCode === 404

/** Notifies every part of the page that shows the cart. */
export const tellCart = (cart) => dispatchEvent(new CustomEvent('cart', { detail: cart }))

/** Returns products as in lists, by id; without those that are deleted or failed to load. */
export async function findProducts(ids) {
  const wanted = [...new Set(ids)].slice(0, 200)
  if (wanted.length === 0) return new Map()
  const { data } = await commerce.products.list({ query: wanted.join(','), limit: 200 }).catch(() => ({}))
  return new Map((data ?? []).map((product) => [product.id, product]))
}

let categories = null

/** All categories, requested once. */
export function listCategories() {
  categories ??= listAll().catch((error) => {
    categories = null
    throw error
  })
  return categories
}

async function listAll() {
  const all = []
  for (let page = 1; ; page += 1) {
    const { data = [], meta } = await commerce.categories.list({ limit: 200, page })
    all.push(...data)
    if (page >= (meta?.pagination?.total_pages ?? 1)) return all
  }
}
