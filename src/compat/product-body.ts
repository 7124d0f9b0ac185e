// Accepts the older shape of a product's body, which existing tools still send. It has the product's fields under `product`, with
// `variant`, `collect` and `extra_field` beside it. Every version accepts it; it becomes the flat shape before validation.

import { CreateProduct } from '../api/products/body-schema.ts'

type Body = Readonly<Record<string, unknown>>

/** Converts the body of an update. Omitted fields stay unchanged. */
export const rewriteProductChanges = (body: Body): Record<string, unknown> => normalize(body, false)

/** Converts the body of a new product. Fields missing from an older `collect` are not collected. */
export const rewriteNewProduct = (body: Body): Record<string, unknown> => normalize(body, true)

/** A new name wins if both are given. Values of a wrong type pass unchanged, so that validation rejects them. */
function normalize(body: Body, isNew: boolean): Record<string, unknown> {
  const { product, ...beside } = body
  const isNested = isObject(product)
  const flat: Record<string, unknown> = isNested ? { ...product, ...beside } : { ...body }
  const isShipped = flat.collects === undefined ? shippedByCollect(flat.collect, isNested && isNew) : undefined

  moveField(flat, 'variant', 'variant_groups')
  moveField(flat, 'extrafields', 'extra_fields')
  moveField(flat, 'extra_field', 'extra_fields')
  moveField(flat, 'collect', 'collects', (collect) => renameKeys(collect, COLLECTS))
  if (Array.isArray(flat.variant_groups))
    flat.variant_groups = flat.variant_groups.map((group) => normalizeOptions(group, isNested))
  if (isShipped !== undefined) flat.delivery ??= {}
  if (isObject(flat.delivery)) {
    const delivery = addPhysical(flat.delivery, isShipped)
    flat.delivery = flattenZones(delivery)
    // `delivery.physical` already implies the address. Without a shippable product, `collect` requested the address on its own.
    if (isShipped === true && delivery.physical === true) flat.collects = dropShippingAddress(flat.collects)
  }
  return isNested ? (convertNumbers(flat, CreateProduct as unknown as Shape) as Record<string, unknown>) : flat
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

function moveField(body: Record<string, unknown>, from: string, to: string, edit = (value: unknown): unknown => value) {
  if (body[from] === undefined) return
  if (body[to] === undefined) body[to] = edit(body[from])
  delete body[from]
}

const COLLECTS: Record<string, string> = { shipping: 'shipping_address', billing: 'billing_address' }

const renameKeys = (value: unknown, names: Record<string, string>): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, content]) => [names[name] ?? name, content]))
    : value

const dropShippingAddress = (collects: unknown): unknown => {
  if (!isObject(collects)) return collects
  const { shipping_address: _address, ...rest } = collects
  return rest
}

function normalizeOptions(group: unknown, isNested: boolean): unknown {
  if (!isObject(group) || !Array.isArray(group.options)) return group
  const options = group.options.map((option: unknown) => {
    if (!isObject(option)) return option
    const namedOption = option.name === undefined ? { ...option, name: option.description } : option
    return isNested ? addStock(namedOption) : namedOption
  })
  return { ...group, options }
}

/**
 * An option's stock used to be its `quantity`. Tools that do not count stock by option send 0; the seeder is one of them. Reading 0 as a
 * count would make everything they create sold out.
 */
function addStock(option: Body): Body {
  const { quantity, ...rest } = option
  if (quantity === undefined || rest.inventory !== undefined) return rest
  const isCounted = quantity !== null && quantity !== '' && toNumber(quantity) !== 0
  return isCounted ? { ...rest, inventory: quantity } : rest
}

/**
 * Collecting a shipping address used to mean that the product is shipped. Undefined if `collect` says nothing about it. With `isWhole`,
 * `collect` lists everything collected, so a missing entry means no.
 */
function shippedByCollect(collect: unknown, isWhole: boolean): boolean | undefined {
  if (!isObject(collect)) return undefined
  const { shipping } = collect
  if (typeof shipping === 'boolean') return shipping
  return isWhole && shipping === undefined ? false : undefined
}

/** `delivery.enabled` used to list the delivery methods of a product; `isSent` is the answer from `collect`. */
function addPhysical(delivery: Body, isShipped: boolean | undefined): Body {
  const { enabled, ...rest } = delivery
  if (rest.physical !== undefined) return delivery
  if (isObject(enabled) && enabled.shipping_native_v1 !== undefined)
    return { ...rest, physical: enabled.shipping_native_v1 }
  return isShipped === undefined ? delivery : { ...delivery, physical: isShipped }
}

/** A zone used to be an object with `zone_id` and rates. The zone's methods hold the rates now. */
function flattenZones(delivery: Body): Body {
  const { shipping_zones: zones } = delivery
  if (!Array.isArray(zones)) return delivery
  return { ...delivery, shipping_zones: zones.map((zone) => (isObject(zone) ? (zone.zone_id ?? zone) : zone)) }
}

/** The parts of a JSON schema that locate numbers. */
type Shape = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/**
 * The older shape comes from web forms and seed files, which write numbers as text. Convert text where the schema accepts a number and
 * no text. Prices stay unchanged, because they may be text in any shape.
 */
function convertNumbers(value: unknown, { type = [], properties, items }: Shape): unknown {
  if (typeof value === 'string') {
    const accepted = [type].flat()
    const takesNumbers = accepted.includes('integer') || accepted.includes('number')
    return takesNumbers && !accepted.includes('string') ? toNumber(value) : value
  }
  if (Array.isArray(value)) return items ? value.map((entry: unknown) => convertNumbers(entry, items)) : value
  if (!isObject(value) || !properties) return value
  const fields = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name))
  return { ...value, ...Object.fromEntries(fields.map(([name, shape]) => [name, convertNumbers(value[name], shape)])) }
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/

const toNumber = (value: unknown): unknown => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value)
