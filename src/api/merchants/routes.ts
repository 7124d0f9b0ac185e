// Endpoints of /v1/merchants: only the merchant that the key belongs to.

import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import { fileUrlsFor } from '../assets/view.ts'
import type { Slice } from '../slice.ts'
import { findMerchantProfile } from './read-store.ts'
import { Merchant, UpdateMerchant } from './schema.ts'
import { updateMerchant } from './update.ts'
import { viewMerchant } from './view.ts'

export const merchants: Slice = {
  kinds: [Merchant],
  endpoints: [
    defineEndpoint({
      operation: 'merchants.get',
      permission: 'see',
      summary: 'Gives the merchant that the key belongs to; with the secret key, its settings too.',
      method: 'GET',
      path: '/v1/merchants',
      access: 'public',
      status: 200,
      returns: Merchant,
      handle: async (context) => {
        const { db, caller } = context
        const row = await findMerchantProfile(db, caller)
        if (row === null) throw notFound('merchant')
        return viewMerchant(row, await fileUrlsFor(context), caller.isSecret)
      },
    }),
    defineEndpoint({
      operation: 'merchants.update',
      permission: 'write',
      summary:
        'Changes the settings of the merchant that are sent. A live secret key changes them for both modes; a sandbox key sets them for the sandbox only.',
      method: 'PUT',
      path: '/v1/merchants',
      access: 'secret',
      body: UpdateMerchant,
      status: 200,
      returns: Merchant,
      handle: async (context) => {
        const row = await updateMerchant(context, context.body)
        return viewMerchant(row, await fileUrlsFor(context), true)
      },
    }),
  ],
}
