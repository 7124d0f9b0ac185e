// The endpoints of /v1/giftcards.

import { resource } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { createGiftCard, deleteGiftCard, updateGiftCard, viewGiftCard } from './gift-card.ts'
import { CreateGiftCard, GiftCard, UpdateGiftCard } from './schema.ts'
import { findGiftCard, listGiftCards } from './store.ts'

export const giftCards: Slice = {
  kinds: [GiftCard],
  endpoints: resource(
    { name: 'giftcards', kind: GiftCard, one: 'a gift card', idPrefix: 'gift' },
    {
      list: { read: ({ db, caller }, page) => listGiftCards(db, caller, page) },
      get: { read: ({ db, caller }, id) => findGiftCard(db, caller, id) },
      create: {
        summary: 'Creates a gift card, with its whole value in sandbox and live alike.',
        body: CreateGiftCard,
        run: createGiftCard,
      },
      update: {
        summary: 'Changes the fields of a gift card that are sent; its balance in the mode of the key.',
        body: UpdateGiftCard,
        run: updateGiftCard,
      },
      delete: { summary: 'Deletes a gift card, with what is left on it.', run: deleteGiftCard },
      view: (row, { currency }) => viewGiftCard(row, currency),
    },
  ),
}
