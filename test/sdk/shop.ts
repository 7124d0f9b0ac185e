// The shop that the SDK is tried on, and one pass through it: a surrounding, a version, and what the API itself answers at that version.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import type { Product } from '../../src/api/products/schema.ts'
import { HEAD } from '../../src/versions/index.ts'
import { base64, png } from '../api/assets/support.ts'
import { openCheckoutShop } from '../api/checkouts/support.ts'
import { mmdb } from '../geo/mmdb-writer.ts'
import type { TestApp } from '../support/app.ts'
import type { Sdk } from './surroundings.ts'

/** The two that existing storefronts name most, the newest, and none, as many do. */
export const VERSIONS = ['2021-03-10', '2021-09-29', HEAD, undefined] as const

/** Where the test database of addresses places it. */
export const VICTORIA_IP = '198.51.100.7'

const VICTORIA = {
  country: { iso_code: 'CA', names: { en: 'Canada' } },
  subdivisions: [{ iso_code: 'BC', names: { en: 'British Columbia' } }],
  city: { names: { en: 'Victoria' } },
  postal: { code: 'V8V' },
}

/** The path of a database of addresses that knows Victoria alone; it goes with the file's tests. */
export async function geoDatabase(networks: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-sdk-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'city.mmdb')
  const known = [`${VICTORIA_IP}/32`, ...networks].map((network) => [network, VICTORIA] as const)
  await writeFile(path, mmdb({ networks: Object.fromEntries(known) }))
  return path
}

/** For what happens beside the calls: it is waited for, however busy the machine is. */
export const PATIENT = { timeout: 60_000 }

export type SdkShop = Awaited<ReturnType<typeof openSdkShop>>

export type Pass = {
  readonly app: TestApp
  readonly shop: SdkShop
  readonly sdk: Sdk
  readonly version: string | undefined
  /** Before a change of a cart answered the bare cart. */
  readonly isOld: boolean
  /** What the API answers to the SDK's header and the public key, at the version of this pass. */
  raw(path: string): Promise<unknown>
}

export const passOf = (app: TestApp, shop: SdkShop, sdk: Sdk, version: string | undefined): Pass => ({
  app,
  shop,
  sdk,
  version,
  isOld: version !== undefined && version < HEAD,
  raw: async (path) => {
    const answer = await app.call('GET', `/v1/${path}`, {
      key: shop.keys.sandbox.public,
      headers: { 'x-chec-agent': 'commerce.js/v2' },
      version,
    })
    expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text])
    return answer.body
  },
})

export async function openSdkShop(app: TestApp, draft: { apiVersion?: string } = {}) {
  const shop = await openCheckoutShop(app, draft)
  const secret = shop.keys.sandbox.secret
  const make = (path: string, body: object) =>
    shop.succeed<{ id: string; url: string }>(201, 'POST', path, body, secret)
  const category = await make('categories', { slug: 'mugs', name: 'Mugs', meta: { image: 'mugs.png' } })
  const asset = await make('assets', { filename: 'mug.png', contents: base64(png(4, 3)) })
  const mug = await shop.product({
    name: 'Mug',
    permalink: 'mug',
    sku: 'MUG-1',
    price: 12,
    inventory: { managed: true, available: 50 },
    categories: [category.id],
    assets: [asset.id],
  })
  const shirt = await shop.product({
    name: 'Shirt',
    permalink: 'shirt',
    price: 20,
    variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }],
  })
  const [size, small, large] = sizesOf(shirt)
  const variant = await shop.variant(shirt.id, { options: { [size]: large }, price: 25, sku: 'SHIRT-L' })
  const delivery = { physical: false }
  const donation = await shop.product({ name: 'Donation', price: 5, pay_what_you_want: true, delivery })
  const free = await shop.product({ name: 'Leaflet', price: 0, delivery })
  const zone = await shop.zone({
    countries: ['US', 'CA'],
    regions: { CA: ['BC', 'AB'] },
    methods: [{ description: 'Post', price: 5 }],
  })
  await shop.taxZone({ country: 'CA', region: 'BC', rates: [{ type: 'state', rate: 0.1 }] })
  await shop.discount({ type: 'percentage', value: 50, code: 'HALF' })
  await shop.giftCard({ value: 3, code: 'THREE' })
  const method = zone.methods[0]?.id ?? ''
  return { ...shop, category, asset, mug, shirt, size, small, large, variant, donation, free, method }
}

function sizesOf({ variant_groups: [group] }: Product): [string, string, string] {
  return [group?.id ?? '', group?.options[0]?.id ?? '', group?.options[1]?.id ?? '']
}
