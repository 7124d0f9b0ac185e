// Endpoints for the delivery of an order: items to ship, shipments, downloads.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { paginate, parsePageQuery } from '../../lib/page.ts'
import { Download, DownloadPackage, Fulfillment, FulfillmentItem, Shipment } from '../orders/fulfillment-schema.ts'
import { viewFulfillment, viewPackage } from '../orders/line-view.ts'
import { getOrder } from '../orders/order.ts'
import type { Slice } from '../slice.ts'
import { createShipment, updateItem, updatePackage } from './fulfillment.ts'
import { CreateShipment, UpdateItem, UpdatePackage } from './schema.ts'

const PACKAGES_LIMIT = 15

const Id = Type.Object({ id: Type.String({ description: 'The id of an order: ord_…' }) })
const ItemId = Type.Object({ id: Type.String(), item_id: Type.String({ description: 'ful_…' }) })
const PackageId = Type.Object({ id: Type.String(), package_id: Type.String({ description: 'dwnld_…' }) })

export const fulfillment: Slice = {
  kinds: [Fulfillment, FulfillmentItem, Shipment, Download, DownloadPackage],
  endpoints: [
    defineEndpoint({
      operation: 'orders.get_fulfillments',
      permission: 'see',
      summary: 'Gives what is to be shipped, what was, and what can be downloaded.',
      method: 'GET',
      path: '/v1/orders/:id/fulfillments',
      access: 'secret',
      params: Id,
      status: 200,
      returns: Fulfillment,
      handle: async (context) => {
        const { row, addresses } = await getOrder(context, context.params.id)
        return viewFulfillment(row, addresses, context.clock.now())
      },
    }),
    defineEndpoint({
      operation: 'orders.create_shipment',
      permission: 'pack',
      summary: 'Ships items of an order.',
      method: 'POST',
      path: '/v1/orders/:id/fulfillments/physical/shipments',
      access: 'secret',
      params: Id,
      body: CreateShipment,
      status: 201,
      returns: Shipment,
      handle: (context) => createShipment(context, context.params.id, context.body),
    }),
    defineEndpoint({
      operation: 'orders.update_item',
      permission: 'pack',
      summary: 'Says of an item that it was delivered, was not, or came back.',
      method: 'PUT',
      path: '/v1/orders/:id/fulfillments/physical/items/:item_id',
      access: 'secret',
      params: ItemId,
      body: UpdateItem,
      status: 200,
      returns: FulfillmentItem,
      handle: (context) => updateItem(context, context.params.id, context.params.item_id, context.body.status),
    }),
    defineEndpoint({
      operation: 'orders.list_packages',
      permission: 'see',
      summary: 'Lists the downloads of an order.',
      method: 'GET',
      path: '/v1/orders/:id/fulfillments/digital/packages',
      access: 'secret',
      params: Id,
      query: Type.Object(pageQuery(PACKAGES_LIMIT)),
      status: 200,
      returns: listOf(DownloadPackage),
      handle: async (context) => {
        const { row, addresses } = await getOrder(context, context.params.id)
        const page = parsePageQuery(context.query, PACKAGES_LIMIT)
        const downloads = row.downloads.slice(page.offset, page.offset + page.limit)
        return paginate(
          downloads.map((download) => viewPackage(row, download, addresses)),
          row.downloads.length,
          page,
          context.url,
        )
      },
    }),
    defineEndpoint({
      operation: 'orders.get_package',
      permission: 'see',
      summary: 'Gives one download of an order.',
      method: 'GET',
      path: '/v1/orders/:id/fulfillments/digital/packages/:package_id',
      access: 'secret',
      params: PackageId,
      status: 200,
      returns: DownloadPackage,
      handle: async (context) => {
        const { row, addresses } = await getOrder(context, context.params.id)
        const download = row.downloads.find(({ id }) => id === context.params.package_id)
        if (!download) throw notFound('package')
        return viewPackage(row, download, addresses)
      },
    }),
    defineEndpoint({
      operation: 'orders.update_package',
      permission: 'write',
      summary: 'Takes back the access to a download, gives it again, or says how often it can still be fetched.',
      method: 'PUT',
      path: '/v1/orders/:id/fulfillments/digital/packages/:package_id',
      access: 'secret',
      params: PackageId,
      body: UpdatePackage,
      status: 200,
      returns: DownloadPackage,
      handle: (context) => updatePackage(context, context.params.id, context.params.package_id, context.body),
    }),
  ],
}
