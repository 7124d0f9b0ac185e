// The endpoints of /v1/discounts.

import { type Static, Type } from 'typebox'
import { asModeSharedEndpoints, type Context, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { createDiscount, deleteDiscount, updateDiscount, viewDiscount } from './discount.ts'
import { DISCOUNT_EXPORT_MS, exportDiscounts } from './export.ts'
import { type DiscountFilter, listDiscounts } from './list-store.ts'
import { AppliedDiscount, CreateDiscount, Discount, UpdateDiscount } from './schema.ts'
import { findDiscount } from './store.ts'

/** Filters of the list and of the export. */
const filters = {
  query: Type.Optional(
    Type.String({ maxLength: 255, description: 'An id, or a part of the code in upper or lower case.' }),
  ),
  is_expired: Type.Optional(Type.Boolean({ description: 'Only those that have expired, or only the others.' })),
}

const Filters = Type.Object(filters)

const filterOf = ({ clock, query }: Context<object, Static<typeof Filters>>): DiscountFilter => ({
  text: query.query ?? '',
  is_expired: query.is_expired ?? null,
  now: clock.now(),
})

export const discounts: Slice = {
  kinds: [Discount, AppliedDiscount],
  endpoints: asModeSharedEndpoints([
    defineEndpoint({
      operation: 'discounts.export',
      permission: 'read',
      summary:
        "Gives discounts as a table, comma-separated in UTF-8 with a byte order mark: the same filters as the list, all that match, with their uses in the mode of the key. Times are those of the shop's time zone.",
      method: 'GET',
      path: '/v1/discounts/export',
      access: 'secret',
      query: Filters,
      noStore: true,
      deadlineMs: DISCOUNT_EXPORT_MS,
      status: 200,
      media: 'text/csv',
      handle: (context) => exportDiscounts(context, filterOf(context)),
    }),
    ...resourceEndpoints(
      {
        name: 'discounts',
        kind: Discount,
        one: 'a discount',
        idPrefix: 'code',
        permissions: { read: 'read', write: 'write' },
      },
      {
        list: { filters, read: (context, page) => listDiscounts(context.db, context.caller, filterOf(context), page) },
        get: { read: ({ db, caller }, id) => findDiscount(db, caller, id) },
        create: { body: CreateDiscount, run: createDiscount },
        update: { body: UpdateDiscount, run: updateDiscount },
        delete: { summary: 'Deletes a discount. Carts that have it go on without one.', run: deleteDiscount },
        view: (row, { currency }) => viewDiscount(row, currency),
      },
    ),
  ]),
}
