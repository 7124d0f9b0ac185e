// The flag families `is`, `has` and `collects`, and `conditionals` that repeats them with their prefixes: what a product's are,
// and the one place that knows how the families hang together. Checkout tokens show them too.

import { type TBoolean, type TObject, Type } from 'typebox'

const IS = [
  'active',
  'free',
  'tax_exempt',
  'pay_what_you_want',
  'inventory_managed',
  'quantity_limited',
  'sold_out',
] as const
const HAS = ['digital_delivery', 'physical_delivery', 'images', 'video', 'rich_embed'] as const
const COLLECTS = ['fullname', 'shipping_address', 'billing_address', 'extra_fields', 'extrafields'] as const

type Flags<Name extends string> = Record<Name, boolean>

export type ProductFlags = {
  is: Flags<(typeof IS)[number]>
  has: Flags<(typeof HAS)[number]>
  collects: Flags<(typeof COLLECTS)[number]>
}

/** What the flags of a product are derived from. */
export type FlagSource = {
  readonly price: number
  readonly is_active: boolean
  readonly is_tax_exempt: boolean
  readonly is_pay_what_you_want: boolean
  readonly is_inventory_managed: boolean
  readonly is_sold_out: boolean
  readonly is_physical: boolean
  readonly collects_fullname: boolean
  readonly collects_shipping_address: boolean | null
  readonly collects_billing_address: boolean
  readonly packages: readonly unknown[]
  readonly extra_fields: readonly unknown[]
  readonly assets: readonly Picture[]
}

type Picture = { readonly is_image: boolean; readonly is_private: boolean; readonly is_pending: boolean }

/** The picture that stands for the product: the first that a shopper's browser can show. */
export const leadImage = <Asset extends Picture>(assets: readonly Asset[]): Asset | null =>
  assets.find((asset) => asset.is_image && !asset.is_private && !asset.is_pending) ?? null

export function flagsOf(product: FlagSource): ProductFlags {
  const hasExtraFields = product.extra_fields.length > 0
  return {
    is: {
      active: product.is_active,
      // With pay what you want the price is only the least that is taken, so nothing says that it is free.
      free: product.price === 0 && !product.is_pay_what_you_want,
      tax_exempt: product.is_tax_exempt,
      pay_what_you_want: product.is_pay_what_you_want,
      inventory_managed: product.is_inventory_managed,
      // The older name of the same.
      quantity_limited: product.is_inventory_managed,
      sold_out: product.is_sold_out,
    },
    has: {
      digital_delivery: product.packages.length > 0,
      physical_delivery: product.is_physical,
      images: leadImage(product.assets) !== null,
      // Assets are files; nothing here embeds a video or a page.
      video: false,
      rich_embed: false,
    },
    collects: {
      fullname: product.collects_fullname,
      shipping_address: product.collects_shipping_address ?? product.is_physical,
      billing_address: product.collects_billing_address,
      extra_fields: hasExtraFields,
      extrafields: hasExtraFields,
    },
  }
}

type Families = Record<string, Flags<string>>
type Prefixed<F extends Families> = {
  [Name in { [Family in keyof F & string]: `${Family}_${keyof F[Family] & string}` }[keyof F & string]]: boolean
}

/** The families beside `conditionals`, which repeats every flag as `is_active`, `has_images`, `collects_fullname`. */
export function withConditionals<F extends Families>(families: F): F & { conditionals: Prefixed<F> } {
  const conditionals = Object.fromEntries(
    Object.entries(families).flatMap(([family, flags]) =>
      Object.entries(flags).map(([name, value]) => [`${family}_${name}`, value]),
    ),
  )
  return { conditionals: conditionals as Prefixed<F>, ...families }
}

/** An object of flags with these names. */
export const booleans = <Name extends string>(names: readonly Name[]): TObject<Record<Name, TBoolean>> =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Boolean()])) as Record<Name, TBoolean>)

export const prefixed = <Prefix extends string, Name extends string>(prefix: Prefix, names: readonly Name[]) =>
  names.map((name) => `${prefix}_${name}` as const)

/** The schemas of the families, for the kinds that show them. */
export const flagSchemas = {
  conditionals: booleans([...prefixed('is', IS), ...prefixed('has', HAS), ...prefixed('collects', COLLECTS)]),
  is: booleans(IS),
  has: booleans(HAS),
  collects: booleans(COLLECTS),
}
