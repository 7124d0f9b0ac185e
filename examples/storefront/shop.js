// The SDK, told where the shop is; what it says when something fails, in sentences for the shopper; and what several views ask it for.

import { config } from './config.js'

// Loaded by index.html; undefined when that failed.
const { Commerce } = globalThis

/** The settings are the third argument. As the second one they would be taken for `debug`, and the URL for none. */
export const commerce = Commerce
  ? new Commerce(config.publicKey, false, {
      url: config.url,
      axiosConfig: { headers: { 'Chec-Version': config.version } },
    })
  : null

/** What the API says of a failed request: `{type, message, errors}`. Null where it was not the API that failed. */
const toldBy = (error) =>
  // The SDK throws plain objects: {statusCode, data: the body of the error}. Where nobody has answered, the error of its HTTP client.
  error?.data?.error ?? null

/** Field → sentences, where the API names fields; of anything else one sentence under the name ''. */
export function problemsOf(error) {
  const told = toldBy(error)
  return told?.errors && Object.keys(told.errors).length > 0 ? told.errors : { '': [sentenceOf(error)] }
}

/** One sentence for the shopper. The API's `message` is meant for them; its `errors` are for whoever wrote the page. */
export function sentenceOf(error) {
  const told = toldBy(error)
  if (told !== null) return told.message
  if (error?.isAxiosError) return 'The shop does not answer. Please try again in a moment.'
  // A mistake of this page, for whoever looks into the console.
  reportError(error)
  return 'Something went wrong on this page. Please load it again.'
}

export const isMissing = (error) => error?.statusCode === 404

/** Everybody who shows the cart hears of every change by this. */
export const tellCart = (cart) => dispatchEvent(new CustomEvent('cart', { detail: cart }))

/** As the shelves have them, by id; of one that is gone, or not found out, nothing. */
export async function findProducts(ids) {
  const wanted = [...new Set(ids)].slice(0, 200)
  if (wanted.length === 0) return new Map()
  const { data } = await commerce.products.list({ query: wanted.join(','), limit: 200 }).catch(() => ({}))
  return new Map((data ?? []).map((product) => [product.id, product]))
}

let categories = null

/** All categories, asked for once. */
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
