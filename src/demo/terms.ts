// Makes what the demo shop's checkouts need, from what is written down beside it, through the rules that requests go through.

import { createDiscount } from '../api/discounts/discount.ts'
import { createGiftCard, updateGiftCard } from '../api/gift-cards/gift-card.ts'
import { createPaymentMethod } from '../api/payment-methods/payment-method.ts'
import type { Writer } from '../api/products/writer.ts'
import { createZone } from '../api/shipping/zone.ts'
import { createTaxZone } from '../api/tax/zone.ts'
import type { Tx } from '../db/db.ts'
import { type Ids, idOf } from './catalogue.ts'
import { demoDiscounts, demoGateways, demoGiftCard } from './payment.ts'
import { demoShippingZones } from './shipping.ts'
import { demoTaxZones } from './tax.ts'

/** Gives the ids of the zones by their names. Before the catalogue, where products name them. */
export async function createShipping(tx: Tx, { clock, caller }: Writer): Promise<Ids> {
  const ids = new Map<string, string>()
  for (const zone of demoShippingZones) ids.set(zone.name, (await createZone(tx, clock, caller, zone)).id)
  return ids
}

/** Taxes, codes, the gift card and gateways. `products`: ids by permalinks. */
export async function createTerms(tx: Tx, { clock, caller }: Writer, products: Ids): Promise<void> {
  for (const zone of demoTaxZones) await createTaxZone(tx, clock, caller, zone)
  for (const { products: permalinks = [], ...discount } of demoDiscounts) {
    const product_ids = permalinks.map((permalink) => idOf(products, permalink))
    await createDiscount(tx, clock, caller, { ...discount, product_ids })
  }
  const { id } = await createGiftCard(tx, clock, caller, demoGiftCard)
  // Its code is printed in every copy of this program: with live keys it would be money for whoever has read it.
  await updateGiftCard(tx, clock, { ...caller, isSandbox: false }, id, { balance: 0 })
  for (const gateway of demoGateways) await createPaymentMethod(tx, clock, caller, gateway)
}
