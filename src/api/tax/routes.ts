// The endpoints of /v1/tax_zones.

import { asModeSharedEndpoints } from '../../http/endpoint/endpoint.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { AppliedTaxZone, CreateTaxZone, TaxZone, UpdateTaxZone } from './schema.ts'
import { taxZoneStore } from './store.ts'
import { createTaxZone, deleteTaxZone, updateTaxZone, viewTaxZone } from './zone.ts'

export const tax: Slice = {
  kinds: [TaxZone, AppliedTaxZone],
  endpoints: asModeSharedEndpoints(
    resourceEndpoints(
      {
        name: 'tax_zones',
        kind: TaxZone,
        one: 'a tax zone',
        idPrefix: 'taxz',
        permissions: { read: 'read', write: 'write' },
      },
      {
        list: { read: ({ db, caller }, page) => taxZoneStore.list(db, caller, page) },
        get: { read: ({ db, caller }, id) => taxZoneStore.find(db, caller, id) },
        create: {
          summary: 'Creates a tax zone. Where several cover a place, only the most specific one applies.',
          body: CreateTaxZone,
          run: createTaxZone,
        },
        update: {
          summary: 'Changes the fields of a tax zone that are sent; a list of rates replaces the old one.',
          body: UpdateTaxZone,
          run: updateTaxZone,
        },
        delete: { run: deleteTaxZone },
        view: viewTaxZone,
      },
    ),
  ),
}
