// The endpoints of /v1/giftcards.

import { Type } from 'typebox'
import { asModeSharedEndpoints, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { hasOnly } from '../../lib/json.ts'
import { paginate, parsePageQuery } from '../../lib/page.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { exportGiftCards, GIFT_CARD_EXPORT_MS } from './export.ts'
import { createGiftCard, deleteGiftCard, updateGiftCard, viewEntry, viewGiftCard } from './gift-card.ts'
import { listEntries } from './ledger-store.ts'
import { CreateGiftCard, GiftCard, GiftCardEntry, giftCardFilters, UpdateGiftCard } from './schema.ts'
import { findGiftCard, listGiftCards } from './store.ts'

const ENTRIES = 15

export const giftCards: Slice = {
  kinds: [GiftCard, GiftCardEntry],
  endpoints: asModeSharedEndpoints([
    defineEndpoint({
      operation: 'giftcards.export',
      permission: 'read',
      summary:
        "Gives gift cards as a table, comma-separated in UTF-8 with a byte order mark: all that the list would show, with what is left on each in the mode of the key. Times are those of the shop's time zone.",
      method: 'GET',
      path: '/v1/giftcards/export',
      access: 'secret',
      query: Type.Object(giftCardFilters),
      noStore: true,
      deadlineMs: GIFT_CARD_EXPORT_MS,
      status: 200,
      media: 'text/csv',
      handle: exportGiftCards,
    }),
    ...resourceEndpoints(
      {
        name: 'giftcards',
        kind: GiftCard,
        one: 'a gift card',
        idPrefix: 'gift',
        permissions: { read: 'read', write: 'write' },
      },
      {
        list: {
          filters: giftCardFilters,
          read: ({ db, caller, query: { query: text = '' } }, page) => listGiftCards(db, caller, text, page),
        },
        get: { read: ({ db, caller }, id) => findGiftCard(db, caller, id) },
        create: {
          summary:
            'Creates a gift card, with its whole value in sandbox and live alike; with a sandbox key in the sandbox only.',
          body: CreateGiftCard,
          run: createGiftCard,
        },
        update: {
          summary: 'Changes the fields of a gift card that are sent; its balance in the mode of the key.',
          shared: (body) => hasOnly(body, ['balance']),
          body: UpdateGiftCard,
          run: updateGiftCard,
        },
        delete: { summary: 'Deletes a gift card, with what is left on it.', run: deleteGiftCard },
        view: (row, { currency }) => viewGiftCard(row, currency),
      },
    ),
    defineEndpoint({
      operation: 'giftcards.list_entries',
      permission: 'read',
      summary: 'Lists how the balance of a gift card has moved in the mode of the key, newest first.',
      method: 'GET',
      path: '/v1/giftcards/:id/entries',
      access: 'secret',
      params: Type.Object({ id: Type.String({ description: 'The id of a gift card: gift_…' }) }),
      query: Type.Object(pageQuery(ENTRIES)),
      status: 200,
      returns: listOf(GiftCardEntry),
      handle: async ({ db, caller, params: { id }, query, url }) => {
        if ((await findGiftCard(db, caller, id)) === null) throw notFound('gift card')
        const page = parsePageQuery(query, ENTRIES)
        const { rows, total } = await listEntries(db, caller, id, page)
        const entries = rows.map((row) => viewEntry(row, caller.currency))
        return paginate(entries, total, page, url)
      },
    }),
  ]),
}
