// @unit
// Transactions that the catalogue-version rule must reject, so that it provably fails when it should.

import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { forgottenStamps } from './stamps.ts'

await loadModule()

const statements = {
  rename: { name: 'categories.update', text: 'update categories set name = $1' },
  move: { name: 'categories.adopt', text: 'update categories set parent_id = $1' },
  raiseStamp: { name: 'catalogue.raise_stamp', text: 'update catalogue_stamps set version = version + 1' },
  link: { name: 'products.set_assets', text: 'insert into product_assets (asset_id) values ($1)' },
  lock: { name: 'products.lock', text: 'update products set version = version + 1' },
  make: { name: 'products.insert', text: 'insert into products (id) values ($1)' },
  touch: { name: 'products.touch', text: 'update products set updated_at = $1' },
  takeStock: { name: 'capture.take_stock', text: 'update stock set available = available - 1' },
}

const forgotten = (...names: (keyof typeof statements)[]) => forgottenStamps(names.map((name) => statements[name]))

describe('a transaction that changes the catalogue', () => {
  it.each([
    ['renames a category and raises the stamp', forgotten('rename', 'raiseStamp')],
    ['moves a category', forgotten('move')],
    ['locks a product and links an asset', forgotten('lock', 'link', 'touch')],
    ['makes a product with its assets', forgotten('make', 'link')],
    ['takes stock', forgotten('takeStock')],
  ])('passes when it %s', (_, found) => {
    expect(found).toEqual([])
  })

  it.each([
    ['renames a category alone', forgotten('rename'), "does not raise the shop's stamp"],
    ["raises a product's version instead", forgotten('lock', 'rename'), "does not raise the shop's stamp"],
    ['links an asset alone', forgotten('link'), 'does not raise the version of the product'],
    ['only touches the product', forgotten('touch', 'link'), 'does not raise the version of the product'],
  ])('is refused when it %s', (_, found, sentence) => {
    expect(found.join('\n')).toContain(sentence)
  })
})
