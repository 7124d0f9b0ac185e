// Data of the demo shop: its categories and attributes, and the form of its products.

// Categories: two rooms with subcategories, and products sent by e-mail.

import type { Static } from 'typebox'
import type { CreateAttribute } from '../api/attributes/schema.ts'
import type { NewProduct } from '../api/products/body-schema.ts'

export type DemoCategory = {
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Picture of the category. */
  readonly picture: string
  readonly children?: readonly DemoCategory[]
}

export const demoCategories: readonly DemoCategory[] = [
  {
    slug: 'kitchen',
    name: 'Kitchen',
    description: 'For cooking, and for what comes after.',
    picture: 'kettle',
    children: [
      {
        slug: 'tableware',
        name: 'Tableware',
        description: 'Stoneware and glass that is meant to be used every day.',
        picture: 'teapot',
      },
      {
        slug: 'cooking',
        name: 'Cooking',
        description: 'Pots, pans and tools that outlive a few cooks.',
        picture: 'saucepan-rust',
      },
    ],
  },
  {
    slug: 'home',
    name: 'Home',
    description: 'For the other rooms.',
    picture: 'side-table',
    children: [
      {
        slug: 'furniture',
        name: 'Furniture',
        description: 'Solid wood, honest joints, fabric that can be taken off and washed.',
        picture: 'chair-moss',
      },
      {
        slug: 'lighting-and-decor',
        name: 'Lighting and Decor',
        description: 'What makes an evening.',
        picture: 'pendant-lamp',
      },
      {
        slug: 'textiles',
        name: 'Textiles',
        description: 'Wool, linen and cotton.',
        picture: 'blanket-rust',
      },
    ],
  },
  {
    slug: 'downloads-and-gifts',
    name: 'Downloads and Gifts',
    description: 'Nothing to ship: it comes as a file or by e-mail.',
    picture: 'gift-card',
  },
]

// Attributes: one of each type that shops usually need.

export const demoAttributes: readonly Static<typeof CreateAttribute>[] = [
  {
    name: 'Material',
    description: 'What the product is mainly made of.',
    type: 'options',
    is_multiselect: true,
    options: [
      { value: 'oak', label: 'Oak' },
      { value: 'walnut', label: 'Walnut' },
      { value: 'steel', label: 'Steel' },
      { value: 'cast-iron', label: 'Cast iron' },
      { value: 'brass', label: 'Brass' },
      { value: 'stoneware', label: 'Stoneware' },
      { value: 'terracotta', label: 'Terracotta' },
      { value: 'glass', label: 'Glass' },
      { value: 'paper', label: 'Paper' },
      { value: 'beeswax', label: 'Beeswax' },
      { value: 'cotton', label: 'Cotton' },
      { value: 'linen', label: 'Linen' },
      { value: 'wool', label: 'Wool' },
    ],
  },
  {
    name: 'Care',
    description: 'How to wash and keep it.',
    type: 'long_text',
  },
  {
    name: 'Warranty (months)',
    description: 'Months of warranty from the day of purchase.',
    type: 'number',
    required: true,
    default_value: 24,
  },
  {
    name: 'Dishwasher-safe',
    description: 'Whether it may be washed by a machine.',
    type: 'checkbox',
  },
  {
    name: 'Assembly',
    description: 'What is left to do when it arrives.',
    type: 'radio',
    options: [
      { value: 'none', label: 'Comes assembled' },
      { value: 'short', label: 'Ten minutes with a screwdriver' },
      { value: 'wall', label: 'To be fixed to a wall' },
    ],
  },
  {
    name: 'Available from',
    description: 'The first day on which it is shipped.',
    type: 'date',
  },
  {
    name: 'Supplier code',
    description: 'For the warehouse; shoppers do not see it.',
    type: 'short_text',
    is_public: false,
  },
]

/** Ids by the names that the demo data uses. */
export type IdsByName = ReadonlyMap<string, string>

export function findDemoId<T>(ids: ReadonlyMap<string, T>, name: string): T {
  const id = ids.get(name)
  // A mistake in the demo data; the tests seed all of it.
  if (id === undefined) throw new Error(`The demo shop has nothing named ${name}.`)
  return id
}

// Form of a demo product: the body of a request, with names instead of ids.

type DemoOption = { readonly name: string; readonly price?: number; readonly picture?: string }

export type DemoVariant = {
  /** Option name by group name. */
  readonly options: Readonly<Record<string, string>>
  readonly sku: string
  readonly inventory: number
  /** Price of the variant, instead of the product's price plus its options. */
  readonly price?: number
}

export type DemoProduct = Pick<
  NewProduct,
  'price' | 'active' | 'tax_exempt' | 'pay_what_you_want' | 'inventory' | 'extra_fields' | 'collects'
> & {
  readonly name: string
  readonly permalink: string
  readonly sku: string
  readonly description: string
  readonly category: string
  /** Files of demo/pictures without extension, main picture first. Pictures of options need not be repeated. */
  readonly pictures: readonly string[]
  /** Weight in grams; absent if nothing is shipped. */
  readonly weight?: number
  /** Names of its shipping zones; absent for all. */
  readonly zones?: readonly string[]
  /** Files of demo/downloads with their display names. */
  readonly downloads?: readonly { readonly file: string; readonly name: string }[]
  readonly lifespan?: NonNullable<NonNullable<NonNullable<NewProduct['delivery']>['digital']>['lifespan']>
  /** Values by attribute name. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** For the attribute "Available from", so that the day is always in the future. */
  readonly availableInDays?: number
  readonly groups?: Readonly<Record<string, readonly DemoOption[]>>
  readonly variants?: readonly DemoVariant[]
  /** Permalinks of products that come later in the list. */
  readonly related?: readonly string[]
}
