// All codes: discount, uses and end of each.

import type { Discount } from '../../../../src/api/discounts/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Badge, count } from '../../parts/show/values.tsx'
import { Until } from './code.tsx'
import { discountStatus, worthText } from './discount.ts'

export const DiscountList = listScreen<Discount>({
  screen: '/dashboard/discounts',
  path: '/v1/discounts',
  title: 'Discounts',
  intro: ({ mode }) =>
    `Codes that shoppers enter at the checkout. Sandbox and live share them; uses are counted in each by itself, here those of ${mode}.`,
  things: ['code', 'codes'],
  search: 'Part of a code',
  filters: [
    {
      name: 'is_expired',
      label: 'Show',
      options: [
        ['', 'All'],
        ['false', 'Not ended'],
        ['true', 'Ended'],
      ],
    },
  ],
  export: { permission: 'discounts.export', file: 'discounts.csv' },
  add: { permission: 'discounts.create', label: 'New discount' },
  columns: ({ merchant }) => [
    { label: 'Code', cell: ({ code }) => <code class="code-text">{code}</code> },
    { label: 'Takes off', cell: (discount) => worthText(discount, merchant.currency), isNumber: true, phone: 'aside' },
    { label: 'Standing', cell: (discount) => <DiscountStatus discount={discount} /> },
    { label: 'Uses', cell: usesText },
    { label: 'Until', cell: ({ expires }) => <Until expires={expires} /> },
  ],
  noMatch: 'No code has this in it and stands like that.',
  empty: {
    title: 'No discounts yet',
    icon: 'discount',
    text: 'Make a code, and whoever enters it at the checkout pays less: a percentage, or a fixed amount.',
  },
})

/** "3 of 10 uses" */
export const usesText = ({ used, limit }: Discount): string =>
  limit === null ? `${count(used)} used, no limit` : `${count(used)} of ${count(limit)} used`

export function DiscountStatus({ discount }: { discount: Discount }) {
  const [tone, text] = discountStatus(discount)
  return <Badge tone={tone}>{text}</Badge>
}
