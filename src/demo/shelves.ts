// How the demo shop is written down: its categories and attributes as data, and the form of its products.

// Two rooms with shelves in them, and what is sent by e-mail.

import type { Static } from 'typebox'
import type { CreateAttribute } from '../api/attributes/schema.ts'
import type { NewProduct } from '../api/products/body-schema.ts'

export type DemoCategory = {
  readonly slug: string
  readonly name: string
  readonly description: string
  /** The picture that stands for it. */
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

// The demo shop's attributes: one of each sort that a shop usually wants.

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

/** Ids by the names under which the data speaks of things. */
export type Ids = ReadonlyMap<string, string>

export function idOf<T>(ids: ReadonlyMap<string, T>, name: string): T {
  const id = ids.get(name)
  // A mistake in the data beside this file; the tests seed all of it.
  if (id === undefined) throw new Error(`The demo shop has nothing named ${name}.`)
  return id
}

// How a product of the demo shop is written down: as a request would give it, with names where a request has ids.

type DemoOption = { readonly name: string; readonly price?: number; readonly picture?: string }

export type DemoVariant = {
  /** Names of groups, each with the name of its option. */
  readonly options: Readonly<Record<string, string>>
  readonly sku: string
  readonly inventory: number
  /** Instead of the product's price and what its options add. */
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
  /** Files of demo/pictures without their ending; the first one leads. Those of its options need not be named again. */
  readonly pictures: readonly string[]
  /** Grams; left out where nothing is shipped. */
  readonly weight?: number
  /** Names of the shipping zones that it is sent to; left out: all. */
  readonly zones?: readonly string[]
  /** Files of demo/downloads and what they are called. */
  readonly downloads?: readonly { readonly file: string; readonly name: string }[]
  readonly lifespan?: NonNullable<NonNullable<NonNullable<NewProduct['delivery']>['digital']>['lifespan']>
  /** Values by the names of attributes. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** For the attribute "Available from": a day that lies ahead whenever the shop is made. */
  readonly availableInDays?: number
  readonly groups?: Readonly<Record<string, readonly DemoOption[]>>
  readonly variants?: readonly DemoVariant[]
  /** Permalinks of products that stand further down in the list. */
  readonly related?: readonly string[]
}
