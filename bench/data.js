// The shop that is measured: made through the API, so that the rows are what real requests leave behind.

import { openMerchant } from '../dist/api/merchants/merchant.js'
import { createApp } from '../dist/app.js'
import { statement } from '../dist/db/db.js'
import { readMigrations } from '../dist/db/migrate.js'
import { createLog } from '../dist/http/server/log.js'
import { newId } from '../dist/lib/ids.js'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const CATEGORIES = 60
const PICTURES = 40
const PRODUCTS = 1_000
const LINES = 5
// Enough that eight connections seldom meet at one cart.
const FEW_CARTS = 512
// Each is added to once.
const MANY_CARTS = 60_000
// Each is captured once.
const TOKENS = 20_000
const SPREAD = 500

export async function fill(connection, dataDir) {
  const app = await createApp({
    connection,
    dataDir,
    log: createLog('silent'),
    migrations: await readMigrations(),
    clientRequestsPerSecond: 0,
  })
  const { keys } = await app.db.transaction((tx) =>
    openMerchant(tx, app.clock, { name: 'Bench', email: 'bench@example.com' }),
  )
  const send = async (method, path, body) => {
    const headers = { 'x-authorization': keys.sandbox.secret, 'content-type': 'application/json' }
    const response = await app.server.inject({ method, url: path, headers, payload: body })
    if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${response.body}`)
    return response.json()
  }
  const post = async (path, body) => (await send('POST', path, body)).id
  const put = async (path, body) => (await send('PUT', path, body)).id

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
      inventory: { managed: true, available: 100_000_000 },
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
  const methodId = await openShipping(send)
  const filled = await fillCarts(app, send, products)
  const captures = await fillTokens(app, send, products)
  await app.db.run(statement('bench.analyze', 'analyze'), {})
  await app.close()
  return {
    publicKey: keys.sandbox.public,
    secretKey: keys.sandbox.secret,
    productId: products[501],
    methodId,
    ...filled,
    captures,
  }
}

async function openShipping(send) {
  const methods = [{ description: 'Parcel', price: 4.5, with_others: 0.5 }]
  const zone = await send('POST', '/v1/shipping_zones', { name: 'North America', countries: ['US', 'CA'], methods })
  const rates = [{ type: 'state', rate: 0.0725 }]
  await send('POST', '/v1/tax_zones', { country: 'US', region: 'CA', rates })
  return zone.methods[0].id
}

/** One of a product, with the second option of each group. */
async function choiceOf(send, id) {
  const { variant_groups: groups } = await send('GET', `/v1/products/${id}`)
  return { id, quantity: 1, options: Object.fromEntries(groups.map((group) => [group.id, group.options[1].id])) }
}

async function cartOf(send, choices) {
  const { id } = await send('GET', '/v1/carts')
  for (const choice of choices) await send('POST', `/v1/carts/${id}`, choice)
  return id
}

/** One cart is made through the API; the many are copies of its rows. */
async function fillCarts(app, send, products) {
  const chosen = []
  for (const id of products.slice(500, 500 + LINES)) chosen.push(await choiceOf(send, id))
  const whole = await cartOf(send, chosen)
  const lacking = await cartOf(send, chosen.slice(0, -1))
  const copies = async (model, count) => {
    const ids = Array.from({ length: count }, () => newId('cart', app.clock.now()))
    await app.db.run(statement('bench.copy_carts', COPY_CARTS), { model, ids })
    await app.db.run(statement('bench.copy_lines', COPY_LINES), { model, ids })
    return ids.map((id) => [id])
  }
  const token = (await send('GET', `/v1/checkouts/${whole}?type=cart`)).id
  return {
    choice: chosen.at(-1),
    carts: {
      read: await copies(whole, FEW_CARTS),
      growing: await copies(whole, FEW_CARTS),
      fresh: await copies(lacking, MANY_CARTS),
    },
    tokens: { read: [[token]] },
  }
}

/** Tokens to be captured, each once: all of one product, and of many products in turn. Copies of some that the API made. */
async function fillTokens(app, send, products) {
  const models = await inBatches(SPREAD, async (n) => {
    const cart = await cartOf(send, [await choiceOf(send, products[n])])
    return [(await send('GET', `/v1/checkouts/${cart}?type=cart`)).id, products[n]]
  })
  const copies = async (chosen) => {
    const made = Array.from({ length: TOKENS }, (_, n) => {
      const [model, product] = chosen[n % chosen.length]
      return { model, product, id: newId('checkoutToken', app.clock.now()) }
    })
    const values = { models: made.map(({ model }) => model), ids: made.map(({ id }) => id) }
    await app.db.run(statement('bench.copy_tokens', COPY_TOKENS), values)
    await app.db.run(statement('bench.copy_token_lines', COPY_TOKEN_LINES), values)
    return made.map(({ id, product }) => [id, product])
  }
  const [hot] = models
  return {
    hot8: await copies([hot]),
    hot64: await copies([hot]),
    spread8: await copies(models),
    spread64: await copies(models),
  }
}

const COPY_TOKENS = `insert into checkouts (merchant_id, id, is_sandbox, cart_id, created_at, updated_at, expires_at)
  select merchant_id, copy.id, is_sandbox, cart_id, created_at, updated_at, expires_at
  from unnest(:models::text[], :ids::text[]) as copy (model, id) join checkouts on checkouts.id = copy.model`

const COPY_TOKEN_LINES = `insert into checkout_lines (merchant_id, checkout_id, id, product_id, name, options, quantity)
  select merchant_id, copy.id, line.id, product_id, name, options, quantity
  from unnest(:models::text[], :ids::text[]) as copy (model, id) join checkout_lines line on line.checkout_id = copy.model`

const COPY_CARTS = `insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
  select merchant_id, copy.id, is_sandbox, created_at, updated_at, expires_at
  from carts, unnest(:ids::text[]) as copy (id) where carts.id = :model`

const COPY_LINES = `insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
  select merchant_id, copy.id, cart_lines.id, product_id, name, options, quantity
  from cart_lines, unnest(:ids::text[]) as copy (id) where cart_lines.cart_id = :model`

async function inBatches(count, make) {
  const made = []
  while (made.length < count)
    made.push(
      ...(await Promise.all(Array.from({ length: Math.min(4, count - made.length) }, (_, n) => make(made.length + n)))),
    )
  return made
}
