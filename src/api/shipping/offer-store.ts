// What a checkout asks of shipping: the methods whose zone serves everything that is to be shipped, wherever to.
// offer.ts picks those for a place.

import type { MethodRow, ZoneRow } from './store.ts'

/** A method with the places that its zone covers. */
export type OfferRow = MethodRow & { zone_id: string } & Pick<ZoneRow, 'countries' | 'regions'>

const SHOWN: Record<keyof OfferRow, string> = {
  id: 'method.id',
  zone_id: 'method.zone_id',
  description: 'method.description',
  price: 'method.price',
  on_own: 'method.on_own',
  with_others: 'method.with_others',
  min_order_value: 'method.min_order_value',
  max_order_value: 'method.max_order_value',
  min_weight: 'method.min_weight',
  max_weight: 'method.max_weight',
  countries: 'zone.countries',
  regions: 'zone.regions',
}

/**
 * SQL for a list of `OfferRow` as JSON: zones by age, methods in the merchant's order. `productIds` is SQL for a text[] of what is
 * bought; $1 is the merchant. A zone serves a physical product that names it, or that names none; one zone must serve them all,
 * as an order is shipped by one method. Where nothing physical is bought every zone serves: whether to ship is not asked here.
 */
export const offersJson = (productIds: string) => `coalesce((
    select json_agg(
      json_build_object(${Object.entries(SHOWN)
        .map(([name, sql]) => `'${name}', ${sql}`)
        .join(', ')})
      order by zone.id, method.position
    )
    from shipping_zones zone
    join shipping_methods method on method.merchant_id = $1 and method.zone_id = zone.id
    where zone.merchant_id = $1 and not exists (
      select from products shipped
      where shipped.merchant_id = $1 and shipped.id = any(${productIds}) and shipped.is_physical
        and zone.id <> all(shipped.shipping_zone_ids)
    )
  ), '[]')`
