// The shop that is measured: made through the API, so that the rows are what real requests leave behind.

import { openMerchant } from '../dist/api/merchants/merchant.js'
import { createApp } from '../dist/app.js'
import { readMigrations } from '../dist/db/migrate.js'
import { createLog } from '../dist/http/log.js'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const CATEGORIES = 60
const PICTURES = 40
const PRODUCTS = 1_000

export async function fill(connection, dataDir) {
  const app = await createApp({ connection, dataDir, log: createLog('silent'), migrations: await readMigrations() })
  const { keys } = await app.db.transaction((tx) =>
    openMerchant(tx, app.clock, { name: 'Bench', email: 'bench@example.com' }),
  )
  const send = async (method, path, body) => {
    const headers = { 'x-authorization': keys.sandbox.secret, 'content-type': 'application/json' }
    const response = await app.server.inject({ method, url: path, headers, payload: body })
    if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${response.body}`)
    return response.json().id
  }
  const post = (path, body) => send('POST', path, body)
  const put = (path, body) => send('PUT', path, body)

  const categories = []
  for (let n = 0; n < CATEGORIES; n++) {
    // Six at the top, then a tree of them.
    const parent = n < 6 ? {} : { parent_id: categories[Math.floor((n - 6) / 3)] }
    categories.push(await post('/v1/categories', { slug: `category-${n}`, name: `Category ${n}`, ...parent }))
  }
  const pictures = []
  for (let n = 0; n < PICTURES; n++)
    pictures.push(await post('/v1/assets', { filename: `picture-${n}.png`, contents: PICTURE }))
  const material = await post('/v1/attributes', {
    name: 'Material',
    description: 'What it is made of',
    type: 'short_text',
  })

  const pick = (list, n) => list[n % list.length]
  const products = await inBatches(PRODUCTS, (n) =>
    post('/v1/products', {
      name: `Product ${n}`,
      description: 'A well-made thing for every day, described in a sentence or two as shops do. '.repeat(3),
      price: 5 + (n % 400) / 4,
      sku: `SKU-${n}`,
      inventory: { managed: true, available: 100 },
      assets: [{ id: pick(pictures, n) }, { id: pick(pictures, n + 7) }],
      categories: [{ id: pick(categories, n) }, { id: pick(categories, n + 11) }],
      attributes: [{ id: material, value: 'oak' }],
      variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'M', price: 1 }, { name: 'L', price: 2.5 }] }],
      extra_fields: n % 5 === 0 ? [{ name: 'Engraving', type: 'text', required: false }] : [],
    }),
  )
  // A third of them with variants of their own and two related products, as shops have them.
  for (let n = 0; n < PRODUCTS; n += 3) {
    await post(`/v1/products/${products[n]}/variants/generate`, {})
    await put(`/v1/products/${products[n]}`, { related_products: [pick(products, n + 1), pick(products, n + 2)] })
  }
  await app.db.run({ name: 'bench.analyze', text: 'analyze' }, [])
  await app.close()
  return { publicKey: keys.sandbox.public, secretKey: keys.sandbox.secret, productId: products[501] }
}

async function inBatches(count, make) {
  const made = []
  while (made.length < count)
    made.push(
      ...(await Promise.all(Array.from({ length: Math.min(4, count - made.length) }, (_, n) => make(made.length + n)))),
    )
  return made
}
