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
      { value: 'steel', label: 'Steel' },
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
