// The endpoints of /v1/attributes.

import { asModeSharedEndpoints } from '../../http/endpoint/endpoint.ts'
import { resourceEndpoints } from '../resource.ts'
import type { Slice } from '../slice.ts'
import { createAttribute, deleteAttribute, updateAttribute, viewAttribute } from './attribute.ts'
import { Attribute, CreateAttribute, UpdateAttribute } from './schema.ts'
import { attributeStore } from './store.ts'

export const attributes: Slice = {
  kinds: [Attribute],
  endpoints: asModeSharedEndpoints(
    resourceEndpoints(
      {
        name: 'attributes',
        kind: Attribute,
        one: 'an attribute',
        idPrefix: 'attr',
        permissions: { read: 'see', write: 'write' },
      },
      {
        list: { read: ({ db, caller }, page) => attributeStore.list(db, caller, page) },
        get: { read: ({ db, caller }, id) => attributeStore.find(db, caller, id) },
        create: { body: CreateAttribute, run: createAttribute },
        update: { body: UpdateAttribute, run: updateAttribute },
        delete: { run: deleteAttribute },
        view: viewAttribute,
      },
    ),
  ),
}
