// @proof @alone: it runs the command of the seeder in processes of their own.
// The npm package `@chec/seeder`, unmodified, run as its users do: it fills a shop from the folder of JSON files that examples/seed is.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Category } from '../../src/api/categories/schema.ts'
import type { Product } from '../../src/api/products/schema.ts'
import { newFolder } from '../demo/support.ts'
import { listen } from '../http/harness.ts'
import { testApp } from '../support/app.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/seed/', import.meta.url))
const seeder = dirname(createRequire(import.meta.url).resolve('@chec/seeder/package.json'))

type Draft = { filename: string; contents: string }

const app = await testApp()
const url = `http://127.0.0.1:${await listen(app)}`

it('fills a shop from a folder of JSON, with categories, products, their pictures, shipping and discounts', async () => {
  const { keys } = await app.merchant()
  const { stdout, code } = await seed(EXAMPLE, keys.sandbox.secret)
  expect([code, stdout]).toEqual([0, expect.stringContaining('Completed seeding')])
  expect(addedIn(stdout)).toEqual({ categories: 2, products: 3, shipping_zones: 1, discounts: 1, assets: 3 })

  const list = async <T>(path: string, key = keys.sandbox.secret) => {
    const { status, body } = await app.call('GET', `/v1/${path}`, { key })
    expect([path, status]).toEqual([path, 200])
    return (body as { data: T[] }).data
  }
  const categories = await list<Category>('categories')
  expect(categories.map(({ slug, name, products }) => [slug, name, products]).sort()).toEqual([
    ['baking', 'For baking', 1],
    ['bread', 'Bread', 1],
  ])
  const products = await list<Product>('products')
  const byName = (name: string) => products.find((product) => product.name === name)
  expect(products).toHaveLength(3)
  expect(byName('Rye Loaf')).toMatchObject({
    price: { raw: 6.5 },
    categories: [{ slug: 'bread' }],
    variant_groups: [{ name: 'Size', options: [{ name: 'Half' }, { name: 'Whole', price: { raw: 5 } }] }],
  })
  expect(byName('Linen Apron')).toMatchObject({
    price: { raw: 38 },
    inventory: { managed: true, available: 12 },
    collects: { fullname: true, billing_address: true, extra_fields: true },
    extra_fields: [{ name: 'Name to embroider', required: false }],
    categories: [{ slug: 'baking' }],
  })
  expect(byName('The Bread Book')).toMatchObject({ active: false, categories: [{ slug: 'baking' }] })
  const assets = JSON.parse(await readFile(join(EXAMPLE, 'assets.json'), 'utf8')) as Draft[]
  for (const [name, filename] of [
    ['Rye Loaf', 'rye-loaf.png'],
    ['Linen Apron', 'linen-apron.png'],
    ['The Bread Book', 'bread-book.png'],
  ] as const) {
    const picture = { filename, is_image: true, image_dimensions: { width: 320, height: 320 } }
    const product = byName(name)
    expect(product).toMatchObject({ image: picture, assets: [picture] })
    const { pathname } = new URL(product?.image?.url ?? '')
    const bytes = await fetch(url + pathname).then((answer) => answer.arrayBuffer())
    expect(Buffer.from(bytes).toString('base64')).toBe(assets.find((asset) => asset.filename === filename)?.contents)
  }
  expect(await list('shipping_zones')).toMatchObject([{ name: 'North America', methods: [{}, {}] }])
  expect(await list('discounts')).toMatchObject([{ code: 'CUSTOMCOMMERCE', type: 'percentage', value: 10 }])
})

it('fills a shop whose pictures lie on a host that is gone: products show a placeholder until it answers', async () => {
  // Nobody listens on this port, and the app may ask this machine.
  const other = await testApp({ allowPrivateAddresses: true })
  const { keys } = await other.merchant()
  const folder = await newFolder()
  await writeFile(join(folder, 'products.json'), '[{"product": {"name": "Rye Loaf", "price": "6.50"}}]')
  const picture = { filename: 'loaf.png', url: 'http://127.0.0.1:1/loaf.png', link: 'products[0].id' }
  await writeFile(join(folder, 'assets.json'), JSON.stringify([picture]))
  const at = `http://127.0.0.1:${await listen(other)}`
  const { stdout, code } = await seed(folder, keys.sandbox.secret, at)
  expect([code, addedIn(stdout)]).toEqual([0, { products: 1, assets: 1 }])
  expect((await other.call('GET', '/v1/products', { key: keys.sandbox.public })).body).toMatchObject({
    data: [{ name: 'Rye Loaf', image: { filename: 'loaf.png', is_image: true, meta: { source_unreachable: true } } }],
  })
})

it('stops at an asset whose url leads to a private address, and says with which status', async () => {
  const { keys } = await app.merchant()
  const folder = await newFolder()
  await writeFile(join(folder, 'categories.json'), '[{"slug": "bread", "name": "Bread"}]')
  await writeFile(join(folder, 'assets.json'), '[{"filename": "loaf.png", "url": "http://127.0.0.1:1/loaf.png"}]')
  const { stdout, code } = await seed(folder, keys.sandbox.secret)
  expect([code, stdout]).toEqual([1, expect.stringContaining('Response code 422 (Unprocessable Entity)')])
  expect(await app.call('GET', '/v1/categories', { key: keys.sandbox.secret })).toMatchObject({
    body: { data: [{ slug: 'bread' }] },
  })
})

/** In a folder of its own: the seeder reads a file `.env` where it is started. */
async function seed(folder: string, key: string, at = url): Promise<{ code: number; stdout: string }> {
  const cwd = await newFolder()
  const env = { PATH: process.env.PATH, CHEC_API_URL: at, CHEC_SECRET_KEY: key }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(seeder, 'bin.js'), folder], { cwd, env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    )
  })
}

/** `Added:` and then a line `  3 products` for each. */
const addedIn = (stdout: string) =>
  Object.fromEntries([...stdout.matchAll(/^ {2}(\d+) (\w+)$/gm)].map(([, count, name = '']) => [name, Number(count)]))
