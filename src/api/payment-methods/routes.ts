// Endpoints of /v1/gateways. They emit no events, so that no webhook learns of credentials, not even that they changed.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { listGatewayTypes } from './available.ts'
import { testPaymentMethod } from './check.ts'
import { fetchAccountFacts } from './learn.ts'
import { createPaymentMethod, deletePaymentMethod, updatePaymentMethod, viewPaymentMethod } from './payment-method.ts'
import { CreateGateway, GatewayRecord, GatewayTest, GatewayType, GatewayTypes, UpdateGateway } from './schema.ts'
import { findPaymentMethod, listPaymentMethods, sweepDeletedMethods } from './store.ts'

export const paymentMethods: Slice = {
  kinds: [GatewayRecord, GatewayTest, GatewayType],
  endpoints: [
    defineEndpoint({
      operation: 'gateways.list_types',
      permission: 'read',
      summary: 'Lists the gateways that can be set up, with the fields that each needs: what a form is drawn from.',
      method: 'GET',
      path: '/v1/gateways/types',
      access: 'secret',
      status: 200,
      returns: GatewayTypes,
      handle: async ({ caller }) => ({ data: listGatewayTypes(caller.is_sandbox) }),
    }),
    ...resourceEndpoints(
      {
        name: 'gateways',
        kind: GatewayRecord,
        one: 'a gateway',
        idPrefix: 'gway',
        permissions: { read: 'read', write: 'set_up_payments' },
      },
      {
        list: {
          summary: 'Lists the gateways that are set up, oldest first.',
          read: ({ db, caller }, page) => listPaymentMethods(db, caller, page),
        },
        get: {
          summary: 'Gives one gateway, without its secrets.',
          read: ({ db, caller }, id) => findPaymentMethod(db, caller, id),
        },
        create: { summary: 'Sets up a gateway to take payments by.', body: CreateGateway, run: createPaymentMethod },
        update: {
          summary: 'Changes the fields of a gateway that are sent; a secret sent back as it is shown stays.',
          body: UpdateGateway,
          run: updatePaymentMethod,
        },
        delete: {
          summary:
            'Deletes a gateway. Payments and refunds under way are still finished. For that its credentials are kept hidden, and deleted after 30 days.',
          run: deletePaymentMethod,
        },
        view: viewPaymentMethod,
      },
    ),
    defineEndpoint({
      operation: 'gateways.test',
      permission: 'read',
      summary: 'Asks the provider whether it knows the credentials of a gateway. No money moves.',
      method: 'POST',
      path: '/v1/gateways/:id/test',
      access: 'secret',
      params: Type.Object({ id: Type.String({ description: 'The id of a gateway: gway_…' }) }),
      status: 200,
      returns: GatewayTest,
      handle: (context) => testPaymentMethod(context, context.params.id),
    }),
  ],
  jobs: (services) => [fetchAccountFacts(services)],
  sweeps: () => [sweepDeletedMethods],
}
