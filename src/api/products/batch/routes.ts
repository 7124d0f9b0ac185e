// The endpoints of /v1/products/batch.

import { Type } from 'typebox'
import { defineEndpoint, type Endpoint } from '../../../http/endpoint/endpoint.ts'
import { createBatch, readBatch } from './batch.ts'
import { CreateBatch, ProductBatch } from './schema.ts'

export const batchEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operation: 'products.create_batch',
    permission: 'write',
    summary:
      'Changes up to 200 products at once. The answer comes before that is done; ask for the batch by its id to see how far it is. Each product is changed by itself: one that is refused stays as it was, and holds up none of the others. A shop has one batch or import worked through at a time, and at most ten waiting.',
    method: 'POST',
    path: '/v1/products/batch',
    access: 'secret',
    body: CreateBatch,
    limited: true,
    status: 202,
    returns: ProductBatch,
    handle: (context) => createBatch(context, context.body),
  }),
  defineEndpoint({
    operation: 'products.get_batch',
    permission: 'read',
    summary:
      'Tells how far a batch of changes, or an import, is, and what has become of each product. Kept for seven days.',
    method: 'GET',
    path: '/v1/products/batch/:batch_id',
    access: 'secret',
    params: Type.Object({ batch_id: Type.String({ description: 'The id of a batch: bat_…' }) }),
    status: 200,
    returns: ProductBatch,
    handle: (context) => readBatch(context, context.params.batch_id),
  }),
]
