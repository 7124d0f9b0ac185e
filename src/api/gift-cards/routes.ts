// The endpoints of /v1/giftcards.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { createGiftCard, deleteGiftCard, updateGiftCard, viewGiftCard } from './gift-card.ts'
import { CreateGiftCard, GiftCard, UpdateGiftCard } from './schema.ts'
import { findGiftCard, listGiftCards } from './store.ts'

const DEFAULT_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of a gift card: gift_…' }) })

export const giftCards: Slice = {
  kinds: [GiftCard],
  endpoints: [
    endpoint({
      operation: 'giftcards.list',
      summary: 'Lists gift cards, oldest first.',
      method: 'GET',
      path: '/v1/giftcards',
      access: 'secret',
      query: Type.Object(pageQuery(DEFAULT_LIMIT)),
      status: 200,
      returns: listOf(GiftCard),
      handle: async ({ db, caller, query, url }) => {
        const page = readPage(query, DEFAULT_LIMIT)
        const { rows, total } = await listGiftCards(db, caller, page)
        return pageOf(
          rows.map((row) => viewGiftCard(row, caller.currency)),
          total,
          page,
          url,
        )
      },
    }),
    endpoint({
      operation: 'giftcards.get',
      summary: 'Gives one gift card.',
      method: 'GET',
      path: '/v1/giftcards/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: GiftCard,
      handle: async ({ db, caller, params }) => {
        const row = await findGiftCard(db, caller, params.id)
        if (row === null) throw notFound('gift card')
        return viewGiftCard(row, caller.currency)
      },
    }),
    endpoint({
      operation: 'giftcards.create',
      summary: 'Creates a gift card, with its whole value in sandbox and live alike.',
      method: 'POST',
      path: '/v1/giftcards',
      access: 'secret',
      body: CreateGiftCard,
      status: 201,
      returns: GiftCard,
      handle: ({ db, clock, caller, body }) => db.transaction((tx) => createGiftCard(tx, clock, caller, body)),
    }),
    endpoint({
      operation: 'giftcards.update',
      summary: 'Changes the fields of a gift card that are sent; its balance in the mode of the key.',
      method: 'PUT',
      path: '/v1/giftcards/:id',
      access: 'secret',
      params: Id,
      body: UpdateGiftCard,
      status: 200,
      returns: GiftCard,
      handle: ({ db, clock, caller, params, body }) =>
        db.transaction((tx) => updateGiftCard(tx, clock, caller, params.id, body)),
    }),
    endpoint({
      operation: 'giftcards.delete',
      summary: 'Deletes a gift card, with what is left on it.',
      method: 'DELETE',
      path: '/v1/giftcards/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, clock, caller, params }) => {
        await db.transaction((tx) => deleteGiftCard(tx, clock, caller, params.id))
        return undefined
      },
    }),
  ],
}
