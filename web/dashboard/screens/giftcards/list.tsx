// The list of gift cards, with their balance and expiry, and a search by the start of the code.

import type { GiftCard } from '../../../../src/api/gift-cards/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Badge, Money, None } from '../../parts/show/values.tsx'
import { Until } from '../discounts/code.tsx'
import { giftCardStatus } from './gift-card.ts'

export const GiftCardList = listScreen<GiftCard>({
  screen: '/dashboard/giftcards',
  path: '/v1/giftcards',
  title: 'Gift cards',
  intro: ({ mode }) =>
    `Codes with money on them, to be spent at the checkout. Sandbox and live share the cards; what is left is that of each mode, here of ${mode}.`,
  things: ['gift card', 'gift cards'],
  search: 'How the code begins',
  export: { permission: 'giftcards.export', file: 'gift-cards.csv' },
  add: { permission: 'giftcards.create', label: 'New gift card' },
  columns: [
    { label: 'Code', cell: ({ code }) => <code class="code-text">{code}</code> },
    { label: 'Left', cell: ({ balance }) => <Money price={balance} />, isNumber: true, phone: 'aside' },
    {
      label: 'Of',
      cell: ({ initial_value }) => (
        <>
          <span class="phone-word">of </span>
          <Money price={initial_value} />
        </>
      ),
      isNumber: true,
    },
    { label: 'Standing', cell: (card) => <GiftCardStatus card={card} /> },
    { label: 'Until', cell: ({ expires }) => <Until expires={expires} /> },
    { label: 'Note', cell: ({ note }) => note ?? <None /> },
  ],
  noMatch: 'No card has a code that begins like this. Look again at what is printed on it.',
  empty: {
    title: 'No gift cards yet',
    icon: 'gift',
    text: 'Make one with a value, and hand its code to whoever may spend it, in one order or in several.',
  },
})

export function GiftCardStatus({ card }: { card: GiftCard }) {
  const [tone, text] = giftCardStatus(card)
  return <Badge tone={tone}>{text}</Badge>
}
