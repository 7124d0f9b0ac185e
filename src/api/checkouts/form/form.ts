// Answers the questions of a storefront's form: the requirements of capture as rules and as fields, and the place of taxation. Also locates
// an IP address.

import { isIP } from 'node:net'
import type { Static } from 'typebox'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { missingParameter, notFound, unprocessable } from '../../../lib/errors.ts'
import { fieldRefusal, type ShopperRefusal, shopperSentence } from '../../../lib/words/refusals.ts'
import {
  ALREADY_ORDERED_REFUSAL,
  type CheckoutContext,
  identifyToken,
  readCheckout,
  readTokenDetails,
  renderLiveTotals,
  saveChoiceAndRead,
} from '../checkout.ts'
import { findRegionProblem, priceCheckout, readPlace } from '../price.ts'
import type { CheckoutRow, TaxationPlaceRow } from '../read-store.ts'
import { type CaptureField, formName, listCaptureFields } from '../requirements.ts'
import { hasCheckout, saveTaxZone } from '../store.ts'
import type { FieldList, Location, RuleList, TaxZoneQuery, TaxZoneSet } from './schema.ts'

export async function listRules(context: CheckoutContext, id: string): Promise<Static<typeof RuleList>> {
  const rulesByField = (await readDemands(context, id)).map((demand) => [formName(demand), allRules(demand)] as const)
  return { rules: Object.fromEntries(rulesByField.filter(([, rules]) => Object.keys(rules).length > 0)) }
}

const allRules = ({ isRequired, rules: { options, ...rules } }: CaptureField) => ({
  ...(isRequired ? { required: true } : {}),
  ...rules,
  ...(options && { options: [...options] }),
})

export const listFields = async (context: CheckoutContext, id: string): Promise<Static<typeof FieldList>> => ({
  fields: (await readDemands(context, id)).map((demand) => ({
    name: formName(demand),
    label: demand.label,
    type: demand.type,
    required: demand.isRequired,
    options: demand.options && [...demand.options],
  })),
})

async function readDemands(context: CheckoutContext, id: string): Promise<CaptureField[]> {
  const row = await readCheckout(context, id)
  return listCaptureFields(row, priceCheckout(row), await readTokenDetails(context, row))
}

type PlaceContext = CheckoutContext & Pick<Context, 'geo' | 'clientAddress'>

/** A place where the merchant charges no tax is accepted too. */
export async function setTaxZone(
  context: PlaceContext,
  id: string,
  query: Static<typeof TaxZoneQuery>,
): Promise<Static<typeof TaxZoneSet>> {
  const place = taxPlace(context, query)
  const refuse = async (reason: ShopperRefusal, row: CheckoutRow) => ({
    valid: false,
    message: shopperSentence(reason),
    live: await renderLiveTotals(context, row),
  })
  if ('code' in place) return refuse(place, await readCheckout(context, id))
  const { isSaved, row } = await saveChoiceAndRead(context, id, (db, token) => saveTaxZone(db, token, place))
  if (!isSaved) return refuse(ALREADY_ORDERED_REFUSAL, row)
  return {
    valid: true,
    tax_region: {
      country: place.country,
      region: place.region,
      postal_zip_code: place.postal_code,
      ip_address: place.ip_address,
    },
    live: await renderLiveTotals(context, row),
  }
}

/** The place, or the reason for refusing it. The shopper's entry takes precedence over the location of the IP address. */
function taxPlace({ geo }: PlaceContext, query: Static<typeof TaxZoneQuery>): TaxationPlaceRow | ShopperRefusal {
  const { country = '', region, postal_zip_code: postalCode = '' } = query
  const ipAddress = readAddress(query.ip_address)
  if (country !== '') {
    const place = readPlace({ country, region })
    if (place === null) return fieldRefusal('country')
    // An unknown region would be saved as none, and be taxed like the rest of the country without notice.
    if (findRegionProblem(place) !== null) return fieldRefusal('region')
    return {
      country: place.country,
      region: place.region ?? null,
      postal_code: postalCode === '' ? null : postalCode,
      ip_address: ipAddress,
    }
  }
  if (ipAddress === null) throw missingParameter('country, or ip_address,', 'country')
  const located = geo.locate(ipAddress)
  const place = readPlace({ country: located?.country_code ?? '', region: located?.region_code ?? '' })
  if (place === null) return fieldRefusal('country', true)
  return {
    country: place.country,
    region: place.region ?? null,
    postal_code: located?.postal_zip_code ?? null,
    ip_address: ipAddress,
  }
}

/** Locates the given address, or else the client's. Unknown fields are null; without a database all are. */
export async function locateIpAddress(
  context: PlaceContext,
  id: string,
  address: string | undefined,
): Promise<Static<typeof Location>> {
  const ipAddress = readAddress(address) ?? context.clientAddress
  if (!(await hasCheckout(context.db, identifyToken(context, id)))) throw notFound('checkout token')
  return { ip_address: ipAddress, ...(context.geo.locate(ipAddress) ?? UNKNOWN_LOCATION) }
}

export const UNKNOWN_LOCATION = {
  country_code: null,
  country_name: null,
  region_code: null,
  region_name: null,
  city: null,
  postal_zip_code: null,
}

/** Null if none is given. A form sends an empty one for a field that was left blank. */
function readAddress(text = ''): string | null {
  if (text === '') return null
  if (isIP(text) === 0) throw unprocessable({ ip_address: ['ip_address must be an IPv4 or IPv6 address.'] })
  return text
}
