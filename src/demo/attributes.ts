// The demo shop's attributes: one of each sort that a shop usually wants.

import type { Static } from 'typebox'
import type { CreateAttribute } from '../api/attributes/schema.ts'

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
