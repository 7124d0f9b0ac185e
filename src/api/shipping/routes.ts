// The endpoints of /v1/shipping_zones.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { CreateShippingZone, ShippingZone, UpdateShippingZone, ZoneMethod } from './schema.ts'
import { deleteZoneRow, findZone, listZones } from './store.ts'
import { createZone, updateZone, viewZone } from './zone.ts'

const DEFAULT_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of a shipping zone: zone_…' }) })

export const shipping: Slice = {
  kinds: [ShippingZone, ZoneMethod],
  endpoints: [
    endpoint({
      operation: 'shipping_zones.list',
      summary: 'Lists shipping zones with their methods, oldest first.',
      method: 'GET',
      path: '/v1/shipping_zones',
      access: 'secret',
      query: Type.Object(pageQuery(DEFAULT_LIMIT)),
      status: 200,
      returns: listOf(ShippingZone),
      handle: async ({ db, caller, query, url }) => {
        const page = readPage(query, DEFAULT_LIMIT)
        const { rows, total } = await listZones(db, caller.merchantId, page)
        const zones = rows.map((row) => viewZone(row, caller.currency))
        return pageOf(zones, total, page, url)
      },
    }),
    endpoint({
      operation: 'shipping_zones.get',
      summary: 'Gives one shipping zone with its methods.',
      method: 'GET',
      path: '/v1/shipping_zones/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: ShippingZone,
      handle: async ({ db, caller, params }) => {
        const row = await findZone(db, caller.merchantId, params.id)
        if (row === null) throw notFound('shipping zone')
        return viewZone(row, caller.currency)
      },
    }),
    endpoint({
      operation: 'shipping_zones.create',
      summary: 'Creates a shipping zone with its methods.',
      method: 'POST',
      path: '/v1/shipping_zones',
      access: 'secret',
      body: CreateShippingZone,
      status: 201,
      returns: ShippingZone,
      handle: ({ db, clock, caller, body }) => db.transaction((tx) => createZone(tx, clock, caller, body)),
    }),
    endpoint({
      operation: 'shipping_zones.update',
      summary: 'Changes the fields of a shipping zone that are sent; a list of methods replaces the old one.',
      method: 'PUT',
      path: '/v1/shipping_zones/:id',
      access: 'secret',
      params: Id,
      body: UpdateShippingZone,
      status: 200,
      returns: ShippingZone,
      handle: ({ db, clock, caller, params, body }) =>
        db.transaction((tx) => updateZone(tx, clock, caller, params.id, body)),
    }),
    endpoint({
      operation: 'shipping_zones.delete',
      summary: 'Deletes a shipping zone and its methods. A product that names no other zone is then shipped nowhere.',
      method: 'DELETE',
      path: '/v1/shipping_zones/:id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: async ({ db, caller, params }) => {
        if (!(await deleteZoneRow(db, caller.merchantId, params.id))) throw notFound('shipping zone')
        return undefined
      },
    }),
  ],
}
