// Where the region decides how something is sent or taxed: what capture makes of one that is left out, and that it taxes the very place
// that live totals show.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { notValidField, replyOf } from '../../support/shop.ts'
import { ADDRESS, openCaptureShop } from './capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const rate = (value: number) => ({ rates: [{ type: 'tax', rate: value }] })
await shop.taxZone({ country: 'US', ...rate(0.01) })
await shop.taxZone({ country: 'US', region: 'CA', ...rate(0.06) })
await shop.taxZone({ country: 'US', region: 'CA', postal_prefix: '900', ...rate(0.1) })
await shop.taxZone({ country: 'DE', ...rate(0.19) })
const methods = [{ description: 'Ship', price: 20 }]
const abroad = await shop.zone({ name: 'Abroad', countries: ['DE', 'CA'], regions: { CA: ['BC'] }, methods })
const ship = abroad.methods[0]?.id ?? ''
const thing = await shop.product({ price: 100 })

const { county_state: _, postal_zip_code: __, ...withoutRegion } = ADDRESS
const body = (shipping: Record<string, unknown>, shipping_method = shop.method) =>
  shop.body({ shipping: { ...withoutRegion, ...shipping }, fulfillment: { shipping_method } })
const refused = async (...sent: Parameters<typeof body>) =>
  replyOf(shop.capture(await shop.token({ id: thing.id }), body(...sent)))

describe('a region', () => {
  it('is never demanded: where none is known, the country is taxed, and no method is had that is for some regions alone', async () => {
    for (const sent of [{}, { county_state: ' ' }, { county_state: null, town_city: null, postal_zip_code: '' }]) {
      const order = await shop.order(await shop.token({ id: thing.id }), body(sent))
      expect([order.tax.zone.region, order.tax.amount.raw]).toEqual([null, 1])
    }
    const rule =
      'is for some regions of the country alone: say which in shipping.county_state, or choose another method.'
    expect(await refused({ country: 'CA' }, ship)).toEqual(notValidField('fulfillment.shipping_method', rule))
  })

  it('is the one that was chosen with the method, where the address of the same country leaves it out', async () => {
    const token = await shop.token({ id: thing.id })
    const choose = `checkouts/${token.id}/check/shipping?id=${ship}&country=CA&region=BC`
    expect(await shop.succeed(200, 'GET', choose)).toMatchObject({ valid: true })
    expect((await shop.capture(token, body({ country: 'US' }, ship))).status).toBe(422)
    const order = await shop.order(token, body({ country: 'CA' }, ship))
    expect([order.order.shipping.id, order.shipping.county_state, order.tax.zone.region]).toEqual([ship, null, 'BC'])
  })

  it('must be one of the country there', async () => {
    const unknownIn = (country: string, code: string) => {
      const rule = `must be the ISO 3166-2 code of a region of ${country}, such as ${code} or ${country}-${code}.`
      return notValidField('shipping.county_state', rule)
    }
    expect(await refused({ county_state: 'Atlantis' })).toEqual(unknownIn('US', 'AL'))
    expect(await refused({ country: 'CA', county_state: 'Atlantis' }, ship)).toEqual(unknownIn('CA', 'AB'))
  })
})
