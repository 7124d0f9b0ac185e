// The endpoints of /v1/tax_zones.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { CreateTaxZone, TaxZone, UpdateTaxZone } from './schema.ts'
import { deleteTaxZoneRow, findTaxZone, listTaxZones } from './store.ts'
import { createTaxZone, updateTaxZone, viewTaxZone } from './zone.ts'

const DEFAULT_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of a tax zone: taxz_…' }) })

export const tax: Slice = {
  kinds: [TaxZone],
  endpoints: [
    endpoint({
      operation: 'tax_zones.list',
      summary: 'Lists tax zones, oldest first.',
      method: 'GET',
      path: '/v1/tax_zones',
      access: 'secret',
      query: Type.Object(pageQuery(DEFAULT_LIMIT)),
      status: 200,
      returns: listOf(TaxZone),
      handle: async ({ db, caller, query, url }) => {
        const page = readPage(query, DEFAULT_LIMIT)
        const { rows, total } = await listTaxZones(db, caller.merchantId, page)
        return pageOf(rows.map(viewTaxZone), total, page, url)
      },
    }),
    endpoint({
      operation: 'tax_zones.get',
      summary: 'Gives one tax zone.',
      method: 'GET',
      path: '/v1/tax_zones/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: TaxZone,
      handle: async ({ db, caller, params }) => {
        const row = await findTaxZone(db, caller.merchantId, params.id)
        if (row === null) throw notFound('tax zone')
        return viewTaxZone(row)
      },
    }),
    endpoint({
      operation: 'tax_zones.create',
      summary: 'Creates a tax zone. Where several cover a place, only the most specific one applies.',
      method: 'POST',
      path: '/v1/tax_zones',
      access: 'secret',
      body: CreateTaxZone,
      status: 201,
      returns: TaxZone,
      handle: ({ db, clock, caller, body }) => createTaxZone(db, clock, caller, body),
    }),
    endpoint({
      operation: 'tax_zones.update',
      summary: 'Changes the fields of a tax zone that are sent; a list of rates replaces the old one.',
      method: 'PUT',
      path: '/v1/tax_zones/:id',
      access: 'secret',
      params: Id,
      body: UpdateTaxZone,
      status: 200,
      returns: TaxZone,
      handle: ({ db, clock, caller, params, body }) =>
        db.transaction((tx) => updateTaxZone(tx, clock, caller, params.id, body)),
    }),
    endpoint({
      operation: 'tax_zones.delete',
      summary: 'Deletes a tax zone.',
      method: 'DELETE',
      path: '/v1/tax_zones/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, caller, params }) => {
        if (!(await deleteTaxZoneRow(db, caller.merchantId, params.id))) throw notFound('tax zone')
        return undefined
      },
    }),
  ],
}
