// The demo shop's categories and attributes, as data.

// Two rooms with shelves in them, and what is sent by e-mail.

import type { Static } from 'typebox'
import type { CreateAttribute } from '../api/attributes/schema.ts'

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
