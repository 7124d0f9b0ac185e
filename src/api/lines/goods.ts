// Cache of what lines show of their products, per process. An entry is stored under the catalogue versions of the product and the shop. The
// statement that reads a line reads both versions, so an outdated entry is never used. Stock changes without a version, so it is read each
// time.

import type { Db, Scope } from '../../db/db.ts'
import { RecentMap } from '../../lib/memory.ts'
import type { Combination } from '../products/variants/schema.ts'
import { type LineGroupRow, type LineRow, OPTION_BYTES } from './line.ts'
import {
  type ChoicesRow,
  type CombinationRow,
  findCombinations,
  findGoods,
  findStock,
  type GoodsRow,
  type LiveGoods,
  type LiveLine,
  type MissingGoods,
  type VariantGoodsRow,
  type VariantKey,
} from './read-store.ts'

/**
 * Cache size, measured in JSON text. Parsed objects would take several times as much, and slow down garbage collection. It holds some
 * thousand products, so that a shop's carts do not evict each other's.
 */
export const GOODS_CACHE_BYTES = 16_777_216

/** A product, a variant (null if it does not exist), or all combinations of a product. */
type Value = GoodsRow | VariantGoodsRow | null | readonly CombinationRow[]

type Entry = { readonly version: number; readonly stamp: number; readonly text: string }

/** Memory of an entry in addition to its text, including its key. */
const ENTRY_BYTES = 300

/** Shared by all databases of the process. Product ids are globally unique, so entries of different databases cannot collide. */
const cache = new RecentMap<Entry>(GOODS_CACHE_BYTES, ({ text }) => ENTRY_BYTES + text.length)

export const goodsCacheBytes = () => cache.weight

/** The lines with all that they show, and their products. */
export type Goods = {
  lines: LineRow[]
  /** Products by id. Deleted products are missing. */
  products: ReadonlyMap<string, GoodsRow>
}

/** Takes one more statement if something is not cached, and one if a product with counted stock has an option left to choose. */
export async function loadGoods(
  db: Db,
  scope: Scope & { readonly isSecret: boolean },
  live: LiveGoods,
): Promise<Goods> {
  const shelf = new Shelf(scope.merchant_id, live)
  if (!(await shelf.fill(db, shelf.missing(live.lines)))) await shelf.fill(db, everythingOf(live.lines))
  const open = live.lines.filter((line) => isLeftOpen(line, shelf.productOf(line)))
  const stock = open.length === 0 ? null : await findStock(db, scope, productIdsOf(open))
  if (open.length > 0) await shelf.fillCombinations(db, open)
  const viewOf = sharedViews(live.lines, shelf)
  const lines = live.lines.map((line): LineRow => {
    const view = viewOf(line.product_id)
    const variant = shelf.variantOf(line)
    return {
      id: line.id,
      product_id: line.product_id,
      name: line.name,
      quantity: line.quantity,
      options: line.options,
      product: view.product,
      groups: view.groupsFor(line.options),
      variant: variant && {
        ...variant,
        inventory: line.inventory,
        assets: scope.isSecret ? variant.assets : variant.assets.filter(({ is_private }) => !is_private),
      },
      open_stock: stock && openStock(line, shelf, stock),
      image: view.product?.image ?? null,
    }
  })
  return { lines, products: shelf.products }
}

/** Reads everything again for lines that a concurrent change has affected, so that one reply shows one state. */
const everythingOf = (lines: readonly LiveLine[]): MissingGoods => ({
  productIds: productIdsOf(lines),
  variants: lines,
})

const productIdsOf = (lines: readonly LiveLine[]): string[] => [...new Set(lines.map(({ product_id }) => product_id))]

/** Shares the same objects among the lines of one product, because three hundred lines may be of one product. */
function sharedViews(lines: readonly LiveLine[], shelf: Shelf) {
  const views = new Map(
    lines.map((line) => {
      const product = shelf.productOf(line)
      return [
        line.product_id,
        {
          product: product && { ...product, available: line.available ?? 0 },
          groupsFor: groupChooser(product?.variant_groups ?? []),
        },
      ]
    }),
  )
  return (productId: string) => {
    const view = views.get(productId)
    if (view === undefined) throw new Error('A line was read without its product.')
    return view
  }
}

/** Returns, for the chosen options, each group of the product with its chosen option or with none. */
function groupChooser(groups: readonly ChoicesRow[]): (options: Combination) => LineGroupRow[] {
  return (options) =>
    groups.map(({ id, name, options: choices }, position) => {
      const group = { group_id: id, group_name: name, position }
      const chosenOption = choices.find((choice) => choice.id === options[id])
      return chosenOption === undefined
        ? { ...group, option_id: null, option_name: null, price_delta: null }
        : {
            ...group,
            option_id: chosenOption.id,
            option_name: chosenOption.name,
            price_delta: chosenOption.price_delta,
          }
    })
}

/** True if a product with counted stock has an option left to choose. */
const isLeftOpen = ({ options }: LiveLine, product: GoodsRow | null): boolean =>
  product?.is_inventory_managed === true && Object.keys(options).length < product.variant_groups.length

/** The highest own stock of a valid variant that matches the options chosen so far. Null if no variant has own stock. */
function openStock(line: LiveLine, shelf: Shelf, stock: ReadonlyMap<string, number>): number | null {
  const product = shelf.productOf(line)
  if (product === null || !isLeftOpen(line, product)) return null
  const choices = Object.entries(line.options)
  let maxStock: number | null = null
  for (const { id, options } of shelf.combinationsOf(line)) {
    const available = stock.get(id)
    if (available === undefined || (maxStock !== null && available <= maxStock)) continue
    if (choices.every(([group, option]) => options[group] === option) && isValid(options, product)) maxStock = available
  }
  return maxStock
}

/** True if the options name one option of each group and nothing else. */
const isValid = (options: Combination, { variant_groups: groups }: GoodsRow): boolean =>
  Object.keys(options).length === groups.length &&
  groups.every((group) => group.options.some(({ id }) => id === options[group.id]))

/** The catalogue versions of the shop and of the products. */
type Stamps = { readonly stamp: number; readonly lines: readonly ProductStamp[] }
type ProductStamp = Pick<LiveLine, 'product_id' | 'version'>

/** The products of one reply, taken from the cache or read from the database. */
class Shelf {
  readonly products = new Map<string, GoodsRow>()
  readonly #variants = new Map<string, VariantGoodsRow | null>()
  readonly #combinations = new Map<string, readonly CombinationRow[]>()

  readonly merchant_id: number
  readonly #live: Stamps

  constructor(merchant_id: number, live: Stamps) {
    this.merchant_id = merchant_id
    this.#live = live
  }

  productOf = ({ product_id: id }: LiveLine): GoodsRow | null => this.products.get(id) ?? null

  variantOf = (line: LiveLine): VariantGoodsRow | null => this.#variants.get(variantKey(line)) ?? null

  combinationsOf = ({ product_id: id }: Pick<LiveLine, 'product_id'>): readonly CombinationRow[] =>
    this.#combinations.get(id) ?? []

  missing(lines: readonly LiveLine[]): MissingGoods {
    const productIds = new Set<string>()
    const variants = new Map<string, VariantKey>()
    for (const line of lines) {
      const { product_id: id, version } = line
      if (version === null) continue
      if (!this.products.has(id) && !this.#take(id, version, (value) => this.products.set(id, value as GoodsRow)))
        productIds.add(id)
      const key = variantKey(line)
      const isKnown =
        this.#variants.has(key) ||
        this.#take(key, version, (value) => this.#variants.set(key, value as VariantGoodsRow | null))
      if (!isKnown) variants.set(key, line)
    }
    return { productIds: [...productIds], variants: [...variants.values()] }
  }

  /** Reads what is missing. Returns false if a part has other catalogue versions than the lines, because it has changed meanwhile. */
  async fill(db: Db, missing: MissingGoods): Promise<boolean> {
    if (missing.productIds.length + missing.variants.length === 0) return true
    const parts = await findGoods(db, this, missing)
    for (const { product_id: id, options, version, stamp, text } of parts) {
      const key = options === null ? id : variantKey({ product_id: id, options: JSON.parse(options) })
      if (options === null) this.products.set(id, JSON.parse(text))
      else this.#variants.set(key, JSON.parse(text))
      // Cached under the versions read together with it. The line's versions may be older by now.
      if (version !== null) this.#keep(key, version, stamp, text)
    }
    const { stamp: current, lines } = this.#live
    const versions = new Map(lines.map(({ product_id: id, version }) => [id, version]))
    return parts.every(({ product_id: id, version, stamp }) => stamp === current && versions.get(id) === version)
  }

  /** Loads all variants of these products, by their options. */
  async fillCombinations(db: Db, lines: readonly ProductStamp[]) {
    const missing = new Set<string>()
    for (const { product_id: id, version } of lines) {
      const isKnown =
        version === null ||
        this.#combinations.has(id) ||
        this.#take(`${id} *`, version, (value) => this.#combinations.set(id, value as readonly CombinationRow[]))
      if (!isKnown) missing.add(id)
    }
    if (missing.size === 0) return
    for (const { product_id: id, version, stamp, text } of await findCombinations(db, this, [...missing])) {
      this.#combinations.set(id, JSON.parse(text))
      if (version !== null) this.#keep(`${id} *`, version, stamp, text)
    }
  }

  #keep(key: string, version: number, stamp: number, text: string) {
    cache.set(`${this.merchant_id} ${key}`, { version, stamp, text })
  }

  /** Takes an entry from the cache. False if there is none with the current catalogue versions. */
  #take(key: string, version: number, take: (value: Value) => void): boolean {
    const entry = cache.get(`${this.merchant_id} ${key}`)
    if (entry === undefined || entry.version !== version || entry.stamp !== this.#live.stamp) return false
    take(JSON.parse(entry.text))
    return true
  }
}

const variantKey = ({ product_id: id, options }: VariantKey): string => `${id} ${JSON.stringify(options)}`

type ShownProduct = NonNullable<LineRow['product']>

/** The products of the lines, each once, in the order of the lines. Deleted products are missing. */
const productsOf = (lines: readonly LineRow[]): ShownProduct[] => [
  ...new Map(lines.flatMap(({ product }) => (product ? [[product.id, product]] : []))).values(),
]

/** The products with stock that may be counted per variant. */
export const countedProducts = (lines: readonly LineRow[]): ShownProduct[] =>
  productsOf(lines).filter((product) => product.is_inventory_managed && product.variant_groups.length > 0)

/**
 * The products of the lines, with `is_sold_out`. A product with valid variants is sold out if all of them are. A variant without own stock
 * sells from the product's stock. `stock` comes from `findStock` and covers `countedProducts` with their variants.
 */
export async function productsWithStock(
  db: Db,
  scope: Scope,
  lines: readonly LineRow[],
  stock: ReadonlyMap<string, number>,
): Promise<(GoodsRow & { is_sold_out: boolean })[]> {
  const countedProductRows = countedProducts(lines)
  const keys = countedProductRows.map(({ id, version }) => ({ product_id: id, version }))
  const shelf = new Shelf(scope.merchant_id, { stamp: countedProductRows[0]?.stamp ?? 0, lines: keys })
  await shelf.fillCombinations(db, keys)
  return productsOf(lines).map((product) => ({
    ...product,
    is_sold_out: isSoldOut(product, shelf.combinationsOf({ product_id: product.id }), stock),
  }))
}

function isSoldOut(
  product: GoodsRow & { available: number },
  combinations: readonly CombinationRow[],
  stock: ReadonlyMap<string, number>,
): boolean {
  if (!product.is_inventory_managed) return false
  const valid = combinations.filter(({ options }) => isValid(options, product))
  return valid.length === 0
    ? product.available === 0
    : valid.every(({ id }) => (stock.get(id) ?? product.available) === 0)
}

/** Bytes that a line shows of its product and its variant in a cart or a token. Capped at the largest 32-bit integer. */
export function shownBytes({ product, variant, image }: LineRow): number {
  if (product === null) return 0
  const options = product.variant_groups.flatMap((group) => group.options)
  const sum =
    bytesOf(product.description) +
    bytesOf(product.meta) +
    options.reduce((before, { name }) => before + OPTION_BYTES + bytesOf(name), 0) +
    bytesOf(variant?.description ?? null) +
    bytesOf(variant?.meta ?? null) +
    [...(image === null ? [] : [image]), ...(variant?.assets ?? [])].reduce(
      (before, { description, meta }) => before + ASSET_BYTES + bytesOf(description) + bytesOf(meta),
      0,
    )
  return Math.min(2_147_483_647, sum)
}

/** Size of an asset in addition to its description and its meta. */
const ASSET_BYTES = 400

const bytesOf = (value: unknown): number =>
  value === null ? 0 : Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
