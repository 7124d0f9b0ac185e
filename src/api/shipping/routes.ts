// The endpoints of /v1/shipping_zones.

import { asModeSharedEndpoints } from '../../http/endpoint/endpoint.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { CreateShippingZone, ShippingZone, UpdateShippingZone, ZoneMethod } from './schema.ts'
import { findZone, listZones } from './store.ts'
import { createZone, deleteZone, updateZone, viewZone } from './zone.ts'

export const shipping: Slice = {
  kinds: [ShippingZone, ZoneMethod],
  endpoints: asModeSharedEndpoints(
    resourceEndpoints(
      {
        name: 'shipping_zones',
        kind: ShippingZone,
        one: 'a shipping zone',
        idPrefix: 'zone',
        permissions: { read: 'read', write: 'write' },
      },
      {
        list: {
          summary: 'Lists shipping zones with their methods, oldest first.',
          read: ({ db, caller }, page) => listZones(db, caller, page),
        },
        get: {
          summary: 'Gives one shipping zone with its methods.',
          read: ({ db, caller }, id) => findZone(db, caller, id),
        },
        create: { summary: 'Creates a shipping zone with its methods.', body: CreateShippingZone, run: createZone },
        update: {
          summary: 'Changes the fields of a shipping zone that are sent; a list of methods replaces the old one.',
          body: UpdateShippingZone,
          run: updateZone,
        },
        delete: {
          summary:
            'Deletes a shipping zone and its methods. A product that names no other zone is then shipped nowhere.',
          run: deleteZone,
        },
        view: (row, { currency }) => viewZone(row, currency),
      },
    ),
  ),
}
