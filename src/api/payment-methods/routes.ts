// The endpoints of /v1/gateways. They write no events: no webhook is to learn of credentials, not even that they changed.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { createPaymentMethod, updatePaymentMethod, viewPaymentMethod } from './payment-method.ts'
import { CreateGateway, GatewayRecord, UpdateGateway } from './schema.ts'
import { deletePaymentMethod, findPaymentMethod, listPaymentMethods } from './store.ts'

const DEFAULT_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of a gateway: gway_…' }) })

export const paymentMethods: Slice = {
  kinds: [GatewayRecord],
  endpoints: [
    endpoint({
      operation: 'gateways.list',
      summary: 'Lists the gateways that are set up, oldest first.',
      method: 'GET',
      path: '/v1/gateways',
      access: 'secret',
      query: Type.Object(pageQuery(DEFAULT_LIMIT)),
      status: 200,
      returns: listOf(GatewayRecord),
      handle: async ({ db, caller, query, url }) => {
        const page = readPage(query, DEFAULT_LIMIT)
        const { rows, total } = await listPaymentMethods(db, caller.merchantId, page)
        return pageOf(rows.map(viewPaymentMethod), total, page, url)
      },
    }),
    endpoint({
      operation: 'gateways.get',
      summary: 'Gives one gateway, without its secrets.',
      method: 'GET',
      path: '/v1/gateways/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: GatewayRecord,
      handle: async ({ db, caller, params }) => {
        const row = await findPaymentMethod(db, caller.merchantId, params.id)
        if (row === null) throw notFound('gateway')
        return viewPaymentMethod(row)
      },
    }),
    endpoint({
      operation: 'gateways.create',
      summary: 'Sets up a gateway to take payments by.',
      method: 'POST',
      path: '/v1/gateways',
      access: 'secret',
      body: CreateGateway,
      status: 201,
      returns: GatewayRecord,
      handle: ({ db, clock, caller, body }) => createPaymentMethod(db, clock, caller, body),
    }),
    endpoint({
      operation: 'gateways.update',
      summary: 'Changes the fields of a gateway that are sent; a secret sent back as it is shown stays.',
      method: 'PUT',
      path: '/v1/gateways/:id',
      access: 'secret',
      params: Id,
      body: UpdateGateway,
      status: 200,
      returns: GatewayRecord,
      handle: ({ db, clock, caller, params, body }) =>
        db.transaction((tx) => updatePaymentMethod(tx, clock, caller, params.id, body)),
    }),
    endpoint({
      operation: 'gateways.delete',
      summary: 'Deletes a gateway, with its credentials.',
      method: 'DELETE',
      path: '/v1/gateways/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, caller, params }) => {
        if (!(await deletePaymentMethod(db, caller.merchantId, params.id))) throw notFound('gateway')
        return undefined
      },
    }),
  ],
}
