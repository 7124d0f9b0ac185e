// Measures a merchant's product queries, in a shop with 10,000 products and in one with 100: `npm run bench:products`. It runs lists,
// searches and each filter, one request at a time, without table statistics.

import { fileURLToPath } from 'node:url'
import { fillTables } from './full-tables.js'
import { openService } from './service.js'
import { makeShop } from './shop.js'

const SIZES = [100, Number(process.argv[2] ?? 10_000)]
const TIMES = 60

const columns = []
for (const products of SIZES) columns.push(await measureShop(products))
console.log(
  `| found · p50 and p95 in ms, ${TIMES} times each | ${SIZES.map((size) => `${size} products`).join(' | ')} |`,
)
console.log(`|---|${SIZES.map(() => '---|').join('')}`)
for (const name of Object.keys(columns[0]))
  console.log(`| ${name} | ${columns.map((column) => cell(column[name])).join(' | ')} |`)

function cell({ found, times }) {
  return `${found} · ${times[TIMES / 2].toFixed(1)} · ${times[Math.floor(TIMES * 0.95)].toFixed(1)}`
}

async function measureShop(products) {
  const service = await openService(fileURLToPath(new URL('../', import.meta.url)), {})
  try {
    const { templates } = await makeShop(service.send)
    await fillTables(service.connection, {
      merchantId: service.merchantId,
      rows: products,
      shops: 2,
      rowsOfOthers: 200,
      only: ['products'],
      templates: { products: templates.products },
    })
    const { attribute, category } = await scatter(service)
    const page = Math.floor(products / 40)
    return await measure(service, {
      'list, the first 20': '/v1/products',
      'list, a page in the middle': `/v1/products?page=${page}`,
      'list by price': '/v1/products?sortBy=price&sortDirection=desc',
      'list of a category': `/v1/products?category_id=${category}`,
      'search, a word of all': '/v1/products?query=product',
      'search, a word of one in ten': '/v1/products?query=chair',
      'search, what few have': '/v1/products?query=zebra',
      'stock_below=5': '/v1/products?stock_below=5',
      'attribute, one in a hundred': `/v1/products?attribute[${attribute}]=ash`,
      'attribute, nearly all': `/v1/products?attribute[${attribute}]=oak`,
      'has_image=true': '/v1/products?has_image=true',
      'has_image=false': '/v1/products?has_image=false',
      'attribute, stock_below and has_image': `/v1/products?attribute[${attribute}]=ash&stock_below=5&has_image=true`,
      'not active, without a picture': '/v1/products?active=false&has_image=false',
    })
  } finally {
    await service.close()
  }
}

/** Varies the products: some without pictures, some low on stock, some made of ash, some inactive, some with rare names. */
async function scatter({ admin, merchantId, send }) {
  const one = (step, rest, id = 'product_id') => `merchant_id = $1 and (hashtext(${id}) & 65535) % ${step} = ${rest}`
  await admin.query('set session_replication_role = replica')
  await admin.query(`delete from product_assets where ${one(50, 1)}`, [merchantId])
  await admin.query(`update stock set available = 3 where ${one(50, 3)}`, [merchantId])
  await admin.query(`update product_attributes set value = '"ash"' where ${one(100, 3)}`, [merchantId])
  await admin.query(`update products set name = 'Chair ' || name where ${one(10, 4, 'id')}`, [merchantId])
  await admin.query(`update products set name = 'Zebra ' || name where ${one(50, 6, 'id')}`, [merchantId])
  await admin.query(`update products set is_active = false where ${one(100, 1, 'id')}`, [merchantId])
  await admin.query(`update products set is_inventory_managed = true where merchant_id = $1`, [merchantId])
  await admin.query('set session_replication_role = origin')
  const [attribute] = (await send('GET', '/v1/attributes')).data
  const [category] = (await send('GET', '/v1/categories')).data
  return { attribute: attribute.id, category: category.id }
}

async function measure({ send }, wanted) {
  const measured = Object.fromEntries(Object.keys(wanted).map((name) => [name, { found: 0, times: [] }]))
  // In turns, so that a slow moment affects all of them.
  for (let time = 0; time < TIMES; time++)
    for (const [name, url] of Object.entries(wanted)) {
      const startedAt = performance.now()
      const { meta } = await send('GET', url)
      measured[name].times.push(performance.now() - startedAt)
      measured[name].found = meta.pagination.total
    }
  for (const { times } of Object.values(measured)) times.sort((one, other) => one - other)
  return measured
}
