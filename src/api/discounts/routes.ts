// The endpoints of /v1/discounts.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { createDiscount, deleteDiscount, updateDiscount, viewDiscount } from './discount.ts'
import { AppliedDiscount, CreateDiscount, Discount, UpdateDiscount } from './schema.ts'
import { findDiscount, listDiscounts } from './store.ts'

const DEFAULT_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of a discount: code_…' }) })

export const discounts: Slice = {
  kinds: [Discount, AppliedDiscount],
  endpoints: [
    endpoint({
      operation: 'discounts.list',
      summary: 'Lists discounts, oldest first.',
      method: 'GET',
      path: '/v1/discounts',
      access: 'secret',
      query: Type.Object({
        ...pageQuery(DEFAULT_LIMIT),
        query: Type.Optional(
          Type.String({ maxLength: 255, description: 'An id, or a part of the code in upper or lower case.' }),
        ),
        is_expired: Type.Optional(Type.Boolean({ description: 'Only those that have expired, or only the others.' })),
      }),
      status: 200,
      returns: listOf(Discount),
      handle: async ({ db, clock, caller, query, url }) => {
        const page = readPage(query, DEFAULT_LIMIT)
        const filter = { text: query.query ?? '', isExpired: query.is_expired ?? null, now: clock.now() }
        const { rows, total } = await listDiscounts(db, caller, filter, page)
        return pageOf(
          rows.map((row) => viewDiscount(row, caller.currency)),
          total,
          page,
          url,
        )
      },
    }),
    endpoint({
      operation: 'discounts.get',
      summary: 'Gives one discount.',
      method: 'GET',
      path: '/v1/discounts/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: Discount,
      handle: async ({ db, caller, params }) => {
        const row = await findDiscount(db, caller, params.id)
        if (row === null) throw notFound('discount')
        return viewDiscount(row, caller.currency)
      },
    }),
    endpoint({
      operation: 'discounts.create',
      summary: 'Creates a discount.',
      method: 'POST',
      path: '/v1/discounts',
      access: 'secret',
      body: CreateDiscount,
      status: 201,
      returns: Discount,
      handle: ({ db, clock, caller, body }) => db.transaction((tx) => createDiscount(tx, clock, caller, body)),
    }),
    endpoint({
      operation: 'discounts.update',
      summary: 'Changes the fields of a discount that are sent.',
      method: 'PUT',
      path: '/v1/discounts/:id',
      access: 'secret',
      params: Id,
      body: UpdateDiscount,
      status: 200,
      returns: Discount,
      handle: ({ db, clock, caller, params, body }) =>
        db.transaction((tx) => updateDiscount(tx, clock, caller, params.id, body)),
    }),
    endpoint({
      operation: 'discounts.delete',
      summary: 'Deletes a discount. Carts that have it go on without one.',
      method: 'DELETE',
      path: '/v1/discounts/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, clock, caller, params }) => {
        await db.transaction((tx) => deleteDiscount(tx, clock, caller, params.id))
        return undefined
      },
    }),
  ],
}
