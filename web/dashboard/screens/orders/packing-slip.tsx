// The packing slip of an order, without prices. It is printed, and hidden on the screen.

import type { Order } from '../../../../src/api/orders/schema.ts'
import { momentText } from '../../parts/show/values.tsx'
import { useSession } from '../../session.tsx'
import { optionsText } from './order.ts'
import { PostalAddressView } from './people.tsx'

export function PackingSlip({ order }: { order: Order }) {
  const { merchant } = useSession()
  const { items } = order.fulfillment.physical
  const skus = new Map(order.order.line_items.map(({ id, sku }) => [id, sku]))
  return (
    <div class="slip">
      <header class="row apart">
        <h2>{merchant.name}</h2>
        <p>
          Order {order.customer_reference}
          <br />
          {momentText(order.created, merchant.time_zone)}
        </p>
      </header>
      <PostalAddressView address={order.shipping} />
      {order.order.shipping.description !== null && <p>Sent by: {order.order.shipping.description}</p>}
      <table>
        <caption>Packing slip</caption>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">SKU</th>
            <th scope="col">Ordered</th>
            <th scope="col">To pack</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td>
                {item.product_name}
                {item.selected_options.length > 0 && `, ${optionsText(item.selected_options)}`}
              </td>
              <td>{skus.get(item.line_item_id) ?? ''}</td>
              <td>{item.quantity}</td>
              <td>{item.status === 'returned' ? 0 : item.quantity_remaining}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
