// The older form of a product's body, in which existing tools still write: the product's own fields under `product`, and `variant`,
// `collect` and `extra_field` beside it. It is accepted in every version and brought into the flat form before validation.

import { CreateProduct } from '../api/products/body-schema.ts'

type Body = Readonly<Record<string, unknown>>

/** The body of a change: what it leaves out stays. */
export const rewriteProductChanges = (sent: Body): Record<string, unknown> => rewrite(sent, false)

/** The body of a new product: what its older form leaves out of `collect` is not collected. */
export const rewriteNewProduct = (sent: Body): Record<string, unknown> => rewrite(sent, true)

/** A new name counts wherever both are given. Values of a wrong type pass as they are, for validation to refuse. */
function rewrite(sent: Body, isNew: boolean): Record<string, unknown> {
  const { product, ...beside } = sent
  const isNested = isObject(product)
  const flat: Record<string, unknown> = isNested ? { ...product, ...beside } : { ...sent }
  const isSent = flat.collects === undefined ? saidToBeSent(flat.collect, isNested && isNew) : undefined

  move(flat, 'variant', 'variant_groups')
  move(flat, 'extrafields', 'extra_fields')
  move(flat, 'extra_field', 'extra_fields')
  move(flat, 'collect', 'collects', (collect) => renamed(collect, COLLECTS))
  if (Array.isArray(flat.variant_groups))
    flat.variant_groups = flat.variant_groups.map((group) => withOptions(group, isNested))
  if (isSent !== undefined) flat.delivery ??= {}
  if (isObject(flat.delivery)) {
    const delivery = withPhysical(flat.delivery, isSent)
    flat.delivery = withZones(delivery)
    // `delivery.physical` says the same, and knows whether anything can be sent at all. Beside a product that is not sent, the address was
    // asked for on its own.
    if (isSent === true && delivery.physical === true) flat.collects = withoutAddress(flat.collects)
  }
  return isNested ? (withNumbers(flat, CreateProduct as unknown as Shape) as Record<string, unknown>) : flat
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

function move(body: Record<string, unknown>, from: string, to: string, edit = (value: unknown): unknown => value) {
  if (body[from] === undefined) return
  if (body[to] === undefined) body[to] = edit(body[from])
  delete body[from]
}

const COLLECTS: Record<string, string> = { shipping: 'shipping_address', billing: 'billing_address' }

const renamed = (value: unknown, names: Record<string, string>): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, content]) => [names[name] ?? name, content]))
    : value

const withoutAddress = (collects: unknown): unknown => {
  if (!isObject(collects)) return collects
  const { shipping_address: _address, ...rest } = collects
  return rest
}

function withOptions(group: unknown, isNested: boolean): unknown {
  if (!isObject(group) || !Array.isArray(group.options)) return group
  const options = group.options.map((option: unknown) => {
    if (!isObject(option)) return option
    const named = option.name === undefined ? { ...option, name: option.description } : option
    return isNested ? withStock(named) : named
  })
  return { ...group, options }
}

/**
 * An option's stock used to be its `quantity`. Zero is what tools send that count no stock by option, the seeder among them, and
 * says nothing: taken for a count, it would make everything they create sold out.
 */
function withStock(option: Body): Body {
  const { quantity, ...rest } = option
  if (quantity === undefined || rest.inventory !== undefined) return rest
  const isCounted = quantity !== null && quantity !== '' && toNumber(quantity) !== 0
  return isCounted ? { ...rest, inventory: quantity } : rest
}

/**
 * Whether a shipping address was collected told whether a product is sent. Undefined where `collect` says nothing of it; `isWhole`: then
 * it says no, as all that is collected stands in it.
 */
function saidToBeSent(collect: unknown, isWhole: boolean): boolean | undefined {
  if (!isObject(collect)) return undefined
  const { shipping } = collect
  if (typeof shipping === 'boolean') return shipping
  return isWhole && shipping === undefined ? false : undefined
}

/** `delivery.enabled` said which ways of delivery a product has; `isSent` is what `collect` said of it. */
function withPhysical(delivery: Body, isSent: boolean | undefined): Body {
  const { enabled, ...rest } = delivery
  if (rest.physical !== undefined) return delivery
  if (isObject(enabled) && enabled.shipping_native_v1 !== undefined)
    return { ...rest, physical: enabled.shipping_native_v1 }
  return isSent === undefined ? delivery : { ...delivery, physical: isSent }
}

/** A zone used to be named inside an object, beside rates that the zone's methods now hold. */
function withZones(delivery: Body): Body {
  const { shipping_zones: zones } = delivery
  if (!Array.isArray(zones)) return delivery
  return { ...delivery, shipping_zones: zones.map((zone) => (isObject(zone) ? (zone.zone_id ?? zone) : zone)) }
}

/** The parts of a JSON schema that say where numbers stand. */
type Shape = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/**
 * The older form comes from forms and seed files, in which numbers are text. Wherever the schema takes a number and no text, text
 * that is one becomes it; prices are left alone, as they may be text in any form.
 */
function withNumbers(value: unknown, { type = [], properties, items }: Shape): unknown {
  if (typeof value === 'string') {
    const accepted = [type].flat()
    const takesNumbers = accepted.includes('integer') || accepted.includes('number')
    return takesNumbers && !accepted.includes('string') ? toNumber(value) : value
  }
  if (Array.isArray(value)) return items ? value.map((entry: unknown) => withNumbers(entry, items)) : value
  if (!isObject(value) || !properties) return value
  const known = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name))
  return { ...value, ...Object.fromEntries(known.map(([name, shape]) => [name, withNumbers(value[name], shape)])) }
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/

const toNumber = (value: unknown): unknown => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value)
