// The endpoints of /v1/discounts.

import { Type } from 'typebox'
import { resource } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { createDiscount, deleteDiscount, updateDiscount, viewDiscount } from './discount.ts'
import { listDiscounts } from './list-store.ts'
import { AppliedDiscount, CreateDiscount, Discount, UpdateDiscount } from './schema.ts'
import { findDiscount } from './store.ts'

export const discounts: Slice = {
  kinds: [Discount, AppliedDiscount],
  endpoints: resource(
    { name: 'discounts', kind: Discount, one: 'a discount', idPrefix: 'code' },
    {
      list: {
        filters: {
          query: Type.Optional(
            Type.String({ maxLength: 255, description: 'An id, or a part of the code in upper or lower case.' }),
          ),
          is_expired: Type.Optional(Type.Boolean({ description: 'Only those that have expired, or only the others.' })),
        },
        read: ({ db, clock, caller, query: { query: text = '', is_expired = null } }, page) =>
          listDiscounts(db, caller, { text, is_expired, now: clock.now() }, page),
      },
      get: { read: ({ db, caller }, id) => findDiscount(db, caller, id) },
      create: { body: CreateDiscount, run: createDiscount },
      update: { body: UpdateDiscount, run: updateDiscount },
      delete: { summary: 'Deletes a discount. Carts that have it go on without one.', run: deleteDiscount },
      view: (row, { currency }) => viewDiscount(row, currency),
    },
  ),
}
