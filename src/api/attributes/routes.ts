// The endpoints of /v1/attributes.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { createAttribute, deleteAttribute, updateAttribute, viewAttribute } from './attribute.ts'
import { Attribute, CreateAttribute, UpdateAttribute } from './schema.ts'
import { findAttribute, listAttributes } from './store.ts'

const DEFAULT_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of an attribute: attr_…' }) })

export const attributes: Slice = {
  kinds: [Attribute],
  endpoints: [
    endpoint({
      operation: 'attributes.list',
      summary: 'Lists attributes, oldest first.',
      method: 'GET',
      path: '/v1/attributes',
      access: 'secret',
      query: Type.Object(pageQuery(DEFAULT_LIMIT)),
      status: 200,
      returns: listOf(Attribute),
      handle: async ({ db, caller, query, url }) => {
        const page = readPage(query, DEFAULT_LIMIT)
        const { rows, total } = await listAttributes(db, caller.merchantId, page)
        return pageOf(rows.map(viewAttribute), total, page, url)
      },
    }),
    endpoint({
      operation: 'attributes.get',
      summary: 'Gives one attribute.',
      method: 'GET',
      path: '/v1/attributes/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: Attribute,
      handle: async ({ db, caller, params }) => {
        const row = await findAttribute(db, caller.merchantId, params.id)
        if (row === null) throw notFound('attribute')
        return viewAttribute(row)
      },
    }),
    endpoint({
      operation: 'attributes.create',
      summary: 'Creates an attribute.',
      method: 'POST',
      path: '/v1/attributes',
      access: 'secret',
      body: CreateAttribute,
      status: 201,
      returns: Attribute,
      handle: ({ db, clock, caller, body }) => db.transaction((tx) => createAttribute(tx, clock, caller, body)),
    }),
    endpoint({
      operation: 'attributes.update',
      summary: 'Changes the fields of an attribute that are sent.',
      method: 'PUT',
      path: '/v1/attributes/:id',
      access: 'secret',
      params: Id,
      body: UpdateAttribute,
      status: 200,
      returns: Attribute,
      handle: ({ db, clock, caller, params, body }) =>
        db.transaction((tx) => updateAttribute(tx, clock, caller, params.id, body)),
    }),
    endpoint({
      operation: 'attributes.delete',
      summary: 'Deletes an attribute.',
      method: 'DELETE',
      path: '/v1/attributes/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, clock, caller, params }) => {
        await db.transaction((tx) => deleteAttribute(tx, clock, caller, params.id))
        return undefined
      },
    }),
  ],
}
