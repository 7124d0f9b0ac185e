// Merges the sent fields into a product's own columns. Also permalinks, and the stock in a request body.

import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { notValid } from '../../lib/errors.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { parseAmount } from '../../lib/money.ts'
import type { Problems } from '../../lib/problems.ts'
import { isSlug } from '../../lib/text.ts'
import { parseUrl } from '../../lib/url.ts'
import type { Precondition } from '../context.ts'
import type { ProductChanges } from './body-schema.ts'
import type { LifespanRow, ProductColumns } from './read-store.ts'
import { clearStock, countStock, findHeldStock, lockStock, type StockItem, setStock } from './stock-store.ts'

export function mergeColumns(
  current: ProductColumns,
  body: ProductChanges,
  currency: string,
  problems: Problems,
): ProductColumns {
  const { seo = {}, collects = {}, delivery = {} } = body
  return {
    name: body.name ?? current.name,
    sku: readSku(body.sku, current.sku, problems),
    description: body.description === undefined ? current.description : (body.description ?? ''),
    price: body.price === undefined ? current.price : readPrice(body.price, currency, problems),
    is_active: body.active ?? current.is_active,
    is_tax_exempt: body.tax_exempt ?? current.is_tax_exempt,
    is_pay_what_you_want: body.pay_what_you_want ?? current.is_pay_what_you_want,
    is_inventory_managed: isManaged(body) ?? current.is_inventory_managed,
    sort_order: body.sort_order ?? current.sort_order,
    seo_title: newOrCurrent(seo.title, current.seo_title),
    seo_description: newOrCurrent(seo.description, current.seo_description),
    thank_you_url:
      body.thank_you_url === undefined ? current.thank_you_url : parseUrlField(body.thank_you_url, problems),
    meta: newOrCurrent(body.meta, current.meta),
    collects_fullname: collects.fullname ?? current.collects_fullname,
    collects_shipping_address: collects.shipping_address ?? current.collects_shipping_address,
    collects_billing_address: collects.billing_address ?? current.collects_billing_address,
    is_physical: newOrCurrent(delivery.physical, current.is_physical),
    weight_grams: newOrCurrent(delivery.weight, current.weight_grams),
    lifespan:
      delivery.digital === undefined ? current.lifespan : parseLifespan(delivery.digital?.lifespan ?? null, problems),
    shipping_zone_ids: newOrCurrent(delivery.shipping_zones, current.shipping_zone_ids),
  }
}

/** Undefined leaves it unchanged. `quantity` is the short form and is ignored if `inventory` is sent. */
function isManaged({ inventory, quantity }: ProductChanges): boolean | undefined {
  if (inventory !== undefined) return inventory.managed
  return quantity === undefined ? undefined : quantity !== null
}

/** The stock in a request body. */
export const stockInBody = ({ inventory, quantity }: ProductChanges): StockInput =>
  inventory === undefined
    ? { available: quantity ?? undefined, onHand: undefined }
    : { available: inventory.available, onHand: inventory.on_hand }

export const STOCK_FIELDS: StockFields = { available: 'inventory.available', onHand: 'inventory.on_hand' }

/** Trimmed, because lookups trim: a SKU stored with blanks could not be found. */
export function readSku(newSku: string | null | undefined, current: string | null, problems: Problems): string | null {
  if (newSku === undefined || newSku === null) return newOrCurrent(newSku, current)
  const sku = newSku.trim()
  if (sku === '') problems.malformed('sku', 'must not be empty')
  return sku
}

export function readPrice(price: number | string, currency: string, problems: Problems): number {
  const amount = parseAmount(price, currency, { field: 'price' })
  if (amount.ok) return amount.minor
  problems.malformedAs({ price: [amount.reason] })
  return 0
}

function parseUrlField(url: string | null, problems: Problems): string | null {
  if (url === null) return null
  // Shoppers are redirected to this URL, so `javascript:` and the like are refused.
  const isWeb = /^https?:$/.test(parseUrl(url)?.protocol ?? '')
  if (!isWeb) problems.malformed('thank_you_url', 'must be an address that begins with https:// or http://')
  return url
}

type SentLifespan = NonNullable<NonNullable<NonNullable<ProductChanges['delivery']>['digital']>['lifespan']>

/** A lifespan without any limit is stored as none. */
function parseLifespan(newLifespan: SentLifespan | null, problems: Problems): LifespanRow | null {
  if (newLifespan === null) return null
  const { duration = null, period = null, download_limit = null } = newLifespan
  if ((duration === null) !== (period === null))
    problems.refused(
      'delivery.digital.lifespan.duration',
      'and .period belong together: set both, or neither for no expiry',
    )
  return duration === null && download_limit === null ? null : { duration, period, download_limit }
}

// Permalinks: their form, and candidates for a product without one.

/** The permalink is part of a path, even in clients that do not encode it. */
export function checkPermalink(permalink: string, problems: Problems) {
  if (!isSlug(permalink))
    problems.malformed(
      'permalink',
      'must begin with a letter a to z or a digit and may hold letters a to z, digits, hyphens, underscores, dots and tildes',
    )
}

const LONGEST_SLUG = 100
const NUMBERED = 5
const RANDOM_TRIES = 5
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Candidates in order: the name as a slug, the slug with a small number, the slug with random characters. */
export function* permalinksFor(name: string): Generator<string> {
  const slug = slugOf(name)
  if (slug !== '') {
    yield slug
    for (let number = 2; number <= NUMBERED; number++) yield `${slug}-${number}`
  }
  for (let tries = 0; tries < RANDOM_TRIES; tries++) yield slug === '' ? randomText() : `${slug}-${randomText()}`
}

/** `Crème brûlée, 2 pcs` → `creme-brulee-2-pcs`. Empty for names in other scripts. */
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-|-$/g, '')

const randomText = () => Array.from({ length: 8 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

// Stock. A merchant writes either `available`, which can be sold now, or `on_hand`, a count of the shelf. The count includes goods held by
// pending captures. A variant's `inventory` means `available`; null means that it has no own stock.

type Figure = number | null | undefined

/** Stock in a request body. Undefined if it is not sent. */
export type StockInput = { readonly available: Figure; readonly onHand: Figure }

/** Names of the two fields in the request body. */
export type StockFields = { readonly available: string; readonly onHand: string }

/** The stock of a new item. Nothing can be held yet, so both figures must be equal. */
export function newStock({ available, onHand }: StockInput, fields: StockFields, problems: Problems): Figure {
  if (available !== undefined && onHand !== undefined && available !== onHand)
    problems.refused(fields.onHand, `must be equal to ${fields.available} for a new item. Send only one of the two`)
  return onHand ?? available
}

/**
 * Sets the stock of one mode. Throws `notValid` if more is held than was counted. Also throws if both figures are sent and contradict the
 * current holds. Then they were read before a capture, or only one was edited, and the intention is unclear.
 */
export async function writeStock(
  tx: Tx,
  item: StockItem,
  { available, onHand }: StockInput,
  fields: StockFields,
): Promise<void> {
  if (onHand === undefined) return available === undefined ? undefined : setAvailable(tx, item, available)
  await lockStock(tx, item)
  if (available === undefined) return setOnHand(tx, item, onHand, fields)
  const hold = await findHeldStock(tx, item)
  if (onHand !== (available === null ? null : available + hold))
    throw notValid({
      [fields.onHand]: [
        `${fields.onHand} must be ${fields.available} plus the ${hold} held by captures in progress. Send only one of the two.`,
      ],
    })
  await setAvailable(tx, item, available)
}

async function setAvailable(tx: Tx, item: StockItem, available: number | null): Promise<void> {
  if (available === null) await clearStock(tx, item)
  else await setStock(tx, item, available)
}

async function setOnHand(tx: Tx, item: StockItem, onHand: number | null, fields: StockFields): Promise<void> {
  if (onHand === null) return void (await clearStock(tx, item))
  const { held, is_written: isWritten } = await countStock(tx, item, onHand)
  if (!isWritten)
    throw notValid({
      [fields.onHand]: [
        `${fields.onHand} must be ${held} or more: captures in progress hold that many of the items in stock.`,
      ],
    })
}

/** Locks the stock before `If-Match` is checked, if it is to be written. Otherwise a capture could change it in between. */
export const lockStockBeforeCheck = (
  { refuseIfChanged }: Precondition,
  item: StockItem,
  { available, onHand }: StockInput,
): Precondition =>
  !refuseIfChanged || (available === undefined && onHand === undefined)
    ? {}
    : {
        async refuseIfChanged(tx) {
          await lockStock(tx, item)
          await refuseIfChanged(tx)
        },
      }
