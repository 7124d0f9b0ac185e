// What a product's own fields become: those that are sent replace, those left out stay. Also permalinks, and the stock that a body sends.

import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { notValid } from '../../lib/errors.ts'
import { sentOr } from '../../lib/json.ts'
import { parseAmount } from '../../lib/money.ts'
import type { Problems } from '../../lib/problems.ts'
import { isSlug } from '../../lib/text.ts'
import { parseUrl } from '../../lib/url.ts'
import type { Conditional } from '../context.ts'
import type { ProductChanges } from './body-schema.ts'
import type { LifespanRow, ProductColumns } from './read-store.ts'
import { clearStock, countStock, heldStock, lockStock, type StockItem, setStock } from './stock-store.ts'

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
    seo_title: sentOr(seo.title, current.seo_title),
    seo_description: sentOr(seo.description, current.seo_description),
    thank_you_url: body.thank_you_url === undefined ? current.thank_you_url : readUrl(body.thank_you_url, problems),
    meta: sentOr(body.meta, current.meta),
    collects_fullname: collects.fullname ?? current.collects_fullname,
    collects_shipping_address: collects.shipping_address ?? current.collects_shipping_address,
    collects_billing_address: collects.billing_address ?? current.collects_billing_address,
    is_physical: sentOr(delivery.physical, current.is_physical),
    weight_grams: sentOr(delivery.weight, current.weight_grams),
    lifespan:
      delivery.digital === undefined ? current.lifespan : readLifespan(delivery.digital?.lifespan ?? null, problems),
    shipping_zone_ids: sentOr(delivery.shipping_zones, current.shipping_zone_ids),
  }
}

/** Undefined: as before. `quantity` is the short form, and not read beside `inventory`. */
function isManaged({ inventory, quantity }: ProductChanges): boolean | undefined {
  if (inventory !== undefined) return inventory.managed
  return quantity === undefined ? undefined : quantity !== null
}

/** The stock that a body sets. */
export const stockOf = ({ inventory, quantity }: ProductChanges): SentStock =>
  inventory === undefined
    ? { available: quantity ?? undefined, onHand: undefined }
    : { available: inventory.available, onHand: inventory.on_hand }

export const STOCK_FIELDS: StockFields = { available: 'inventory.available', onHand: 'inventory.on_hand' }

/** Look-ups trim what they look for, so that one kept with blanks around it could not be found. */
export function readSku(sent: string | null | undefined, current: string | null, problems: Problems): string | null {
  if (sent === undefined || sent === null) return sentOr(sent, current)
  const sku = sent.trim()
  if (sku === '') problems.malformed('sku', 'must not be empty')
  return sku
}

export function readPrice(price: number | string, currency: string, problems: Problems): number {
  const amount = parseAmount(price, currency, { field: 'price' })
  if (amount.ok) return amount.minor
  problems.malformedAs({ price: [amount.reason] })
  return 0
}

function readUrl(url: string | null, problems: Problems): string | null {
  if (url === null) return null
  // Shoppers are sent there: `javascript:` and the like must not pass.
  const isWeb = /^https?:$/.test(parseUrl(url)?.protocol ?? '')
  if (!isWeb) problems.malformed('thank_you_url', 'must be an address that begins with https:// or http://')
  return url
}

type SentLifespan = NonNullable<NonNullable<NonNullable<ProductChanges['delivery']>['digital']>['lifespan']>

/** A lifespan that ends nothing is none. */
function readLifespan(sent: SentLifespan | null, problems: Problems): LifespanRow | null {
  if (sent === null) return null
  const { duration = null, period = null, download_limit = null } = sent
  if ((duration === null) !== (period === null))
    problems.refused('delivery.digital.lifespan.duration', 'and .period go together: give both, or neither for no end')
  return duration === null && download_limit === null ? null : { duration, period, download_limit }
}

// Permalinks: what one may look like, and those that are tried for a product that comes without one.

/** It becomes a part of a path, also with clients that do not encode it. */
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

/** In turn: the name as a slug, the slug with a small number, the slug with random characters, of which one is always free. */
export function* permalinksFor(name: string): Generator<string> {
  const slug = slugOf(name)
  if (slug !== '') {
    yield slug
    for (let number = 2; number <= NUMBERED; number++) yield `${slug}-${number}`
  }
  for (let tries = 0; tries < RANDOM_TRIES; tries++) yield slug === '' ? randomText() : `${slug}-${randomText()}`
}

/** `Crème brûlée, 2 pcs` → `creme-brulee-2-pcs`; nothing is left of a name in another script. */
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-|-$/g, '')

const randomText = () => Array.from({ length: 8 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

// Stock: a merchant writes `available`, what can be sold now, or `on_hand`, a count of the shelf, on which what captures under way hold
// still lies. A variant says `inventory` for the former; null is a variant without stock of its own.

type Figure = number | null | undefined

/** What a body says of stock; undefined where it says nothing. */
export type SentStock = { readonly available: Figure; readonly onHand: Figure }

/** What the body calls the two. */
export type StockFields = { readonly available: string; readonly onHand: string }

/** The stock of something new, of which nothing can be held: the two figures are the same. */
export function newStock({ available, onHand }: SentStock, fields: StockFields, problems: Problems): Figure {
  if (available !== undefined && onHand !== undefined && available !== onHand)
    problems.refused(
      fields.onHand,
      `must be the same as ${fields.available}, as nothing is held of what is new. Send one of the two`,
    )
  return onHand ?? available
}

/**
 * Sets the stock of one mode. Throws `notValid` where more is held than was counted, and where both figures are sent and do not agree
 * with what is held now: they were read before a capture took some, or one of them was changed and nobody knows which was meant.
 */
export async function writeStock(
  tx: Tx,
  item: StockItem,
  { available, onHand }: SentStock,
  fields: StockFields,
): Promise<void> {
  if (onHand === undefined) return available === undefined ? undefined : setAvailable(tx, item, available)
  await lockStock(tx, item)
  if (available === undefined) return setOnHand(tx, item, onHand, fields)
  const held = await heldStock(tx, item)
  if (onHand !== (available === null ? null : available + held))
    throw notValid({
      [fields.onHand]: [
        `${fields.onHand} must agree with ${fields.available}: it is that and the ${held} held by captures under way. Send one of the two.`,
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
        `${fields.onHand} must be ${held} or more: so many are held by captures under way, and still lie on the shelf.`,
      ],
    })
}

/** Where the stock is to be written: what `If-Match` compares holds it first, or a capture could take some of it in between. */
export const holdingStock = (
  { refuseIfChanged }: Conditional,
  item: StockItem,
  { available, onHand }: SentStock,
): Conditional =>
  !refuseIfChanged || (available === undefined && onHand === undefined)
    ? {}
    : {
        async refuseIfChanged(tx) {
          await lockStock(tx, item)
          await refuseIfChanged(tx)
        },
      }
