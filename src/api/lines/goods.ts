// What lines show of their products, kept in memory. Each entry is kept under the two stamps that it was read with, the product's and the
// shop's; the statement that reads a line reads both, so that an entry which anybody has changed since cannot be used. What changes without
// a stamp (stock) is read each time.

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
 * Of JSON text: as objects they would take several times as much, and be looked through by every collection of garbage. Some thousand
 * products, so that a shop's carts do not drive each other's goods out.
 */
export const MOST_BYTES = 16_777_216

/** A product, a variant of it or null where there is none, or all that can be chosen of it. */
type Value = GoodsRow | VariantGoodsRow | null | readonly CombinationRow[]

type Entry = { readonly version: number; readonly stamp: number; readonly text: string }

/** What an entry takes beside its text, with its key. */
const ENTRY_BYTES = 300

/** One for each process. The ids of products are not given twice, so that databases beside each other cannot meet in it. */
const kept = new RecentMap<Entry>(MOST_BYTES, ({ text }) => ENTRY_BYTES + text.length)

export const keptBytes = () => kept.weight

/** The lines with all that they show, and the products they are of. */
export type Goods = {
  lines: LineRow[]
  /** By their ids; deleted ones are missing. */
  products: ReadonlyMap<string, GoodsRow>
}

/** One more statement where something is not known yet, and one where an option of a counted product is left to choose. */
export async function goodsOf(db: Db, scope: Scope & { readonly isSecret: boolean }, live: LiveGoods): Promise<Goods> {
  const shelf = new Shelf(scope.merchantId, live)
  if (!(await shelf.fill(db, shelf.missing(live.lines)))) await shelf.fill(db, everythingOf(live.lines))
  const open = live.lines.filter((line) => isLeftOpen(line, shelf.productOf(line)))
  const stock = open.length === 0 ? null : await findStock(db, scope, productIdsOf(open))
  if (open.length > 0) await shelf.fillCombinations(db, open)
  const asShown = onceFor(live.lines, shelf)
  const lines = live.lines.map((line): LineRow => {
    const shown = asShown(line.product_id)
    const variant = shelf.variantOf(line)
    return {
      id: line.id,
      product_id: line.product_id,
      name: line.name,
      quantity: line.quantity,
      options: line.options,
      product: shown.product,
      groups: shown.groupsFor(line.options),
      variant: variant && {
        ...variant,
        inventory: line.inventory,
        assets: scope.isSecret ? variant.assets : variant.assets.filter(({ is_private }) => !is_private),
      },
      open_stock: stock && openStock(line, shelf, stock),
      image: shown.product?.image ?? null,
    }
  })
  return { lines, products: shelf.products }
}

/** For the lines of a product that was changed while they were read: what is shown of it must be of one moment. */
const everythingOf = (lines: readonly LiveLine[]): MissingGoods => ({
  productIds: productIdsOf(lines),
  variants: lines,
})

const productIdsOf = (lines: readonly LiveLine[]): string[] => [...new Set(lines.map(({ product_id }) => product_id))]

/** What the lines of one product share, as the very same objects: three hundred lines may be of one product. */
function onceFor(lines: readonly LiveLine[], shelf: Shelf) {
  const shown = new Map(
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
    const found = shown.get(productId)
    if (found === undefined) throw new Error('A line was read without its product.')
    return found
  }
}

/** For what a line has chosen: each group of its product with that option of it, or with none. */
function groupChooser(groups: readonly ChoicesRow[]): (options: Combination) => LineGroupRow[] {
  return (options) =>
    groups.map(({ id, name, options: choices }, position) => {
      const group = { group_id: id, group_name: name, position }
      const chosen = choices.find((choice) => choice.id === options[id])
      return chosen === undefined
        ? { ...group, option_id: null, option_name: null, price_delta: null }
        : { ...group, option_id: chosen.id, option_name: chosen.name, price_delta: chosen.price_delta }
    })
}

/** Whether an option is left to choose of a product whose stock is counted. */
const isLeftOpen = ({ options }: LiveLine, product: GoodsRow | null): boolean =>
  product?.is_inventory_managed === true && Object.keys(options).length < product.variant_groups.length

/** The most that one valid variant has in stock of its own, of those that agree with what has been chosen so far. */
function openStock(line: LiveLine, shelf: Shelf, stock: ReadonlyMap<string, number>): number | null {
  const product = shelf.productOf(line)
  if (product === null || !isLeftOpen(line, product)) return null
  const chosen = Object.entries(line.options)
  let most: number | null = null
  for (const { id, options } of shelf.combinationsOf(line)) {
    const available = stock.get(id)
    if (available === undefined || (most !== null && available <= most)) continue
    if (chosen.every(([group, option]) => options[group] === option) && isValid(options, product)) most = available
  }
  return most
}

/** Whether it names one option of each group, and nothing else. */
const isValid = (options: Combination, { variant_groups: groups }: GoodsRow): boolean =>
  Object.keys(options).length === groups.length &&
  groups.every((group) => group.options.some(({ id }) => id === options[group.id]))

/** The stamps of what is shown. */
type Stamps = { readonly stamp: number; readonly lines: readonly ProductStamp[] }
type ProductStamp = Pick<LiveLine, 'product_id' | 'version'>

/** What one reply needs of the products: taken from what is kept, or read, and held until the reply is made. */
class Shelf {
  readonly products = new Map<string, GoodsRow>()
  readonly #variants = new Map<string, VariantGoodsRow | null>()
  readonly #combinations = new Map<string, readonly CombinationRow[]>()

  readonly merchantId: number
  readonly #live: Stamps

  constructor(merchantId: number, live: Stamps) {
    this.merchantId = merchantId
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

  /** Reads what is missing. False when something of it has other stamps than the lines: it was changed since. */
  async fill(db: Db, missing: MissingGoods): Promise<boolean> {
    if (missing.productIds.length + missing.variants.length === 0) return true
    const parts = await findGoods(db, this, missing)
    for (const { product_id: id, options, version, stamp, text } of parts) {
      const key = options === null ? id : variantKey({ product_id: id, options: JSON.parse(options) })
      if (options === null) this.products.set(id, JSON.parse(text))
      else this.#variants.set(key, JSON.parse(text))
      // Under the stamps that it was read with: something may have changed since the line was read.
      if (version !== null) this.#keep(key, version, stamp, text)
    }
    const { stamp: current, lines } = this.#live
    const versions = new Map(lines.map(({ product_id: id, version }) => [id, version]))
    return parts.every(({ product_id: id, version, stamp }) => stamp === current && versions.get(id) === version)
  }

  /** Every variant of the products of these lines, by its options. */
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
    kept.set(`${this.merchantId} ${key}`, { version, stamp, text })
  }

  /** False when nothing is kept that has these very stamps. */
  #take(key: string, version: number, take: (value: Value) => void): boolean {
    const entry = kept.get(`${this.merchantId} ${key}`)
    if (entry === undefined || entry.version !== version || entry.stamp !== this.#live.stamp) return false
    take(JSON.parse(entry.text))
    return true
  }
}

const variantKey = ({ product_id: id, options }: VariantKey): string => `${id} ${JSON.stringify(options)}`

type ShownProduct = NonNullable<LineRow['product']>

/** The products of the lines, in their order, each once; deleted ones are missing. */
const productsOf = (lines: readonly LineRow[]): ShownProduct[] => [
  ...new Map(lines.flatMap(({ product }) => (product ? [[product.id, product]] : []))).values(),
]

/** Those of which variants may have stock of their own. */
export const countedProducts = (lines: readonly LineRow[]): ShownProduct[] =>
  productsOf(lines).filter((product) => product.is_inventory_managed && product.variant_groups.length > 0)

/**
 * The products of the lines. One with valid variants is sold out when all of them are; a variant without stock of its own sells from the
 * product's. `stock`: of `countedProducts` and their variants, as `findStock` gives it.
 */
export async function productsWithStock(
  db: Db,
  scope: Scope,
  lines: readonly LineRow[],
  stock: ReadonlyMap<string, number>,
): Promise<(GoodsRow & { is_sold_out: boolean })[]> {
  const counted = countedProducts(lines)
  const keys = counted.map(({ id, version }) => ({ product_id: id, version }))
  const shelf = new Shelf(scope.merchantId, { stamp: counted[0]?.stamp ?? 0, lines: keys })
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

/** How many bytes a line shows of its product and its variant, in a cart or in a token; never more than an integer holds. */
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

/** What an asset takes beside its description and its meta. */
const ASSET_BYTES = 400

const bytesOf = (value: unknown): number =>
  value === null ? 0 : Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
