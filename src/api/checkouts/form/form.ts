// What capture will demand, told to forms: as rules by the names of fields, and as the fields themselves.

import { isIP } from 'node:net'
import type { Static } from 'typebox'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { missingParameter, notFound, unprocessable } from '../../../lib/errors.ts'
import { ALREADY_ORDERED, type Checking, readCheckout, readDetails, showLive, tokenAt } from '../checkout.ts'
import { hasCheckout } from '../checks/store.ts'
import { NO_SUCH_COUNTRY, priceCheckout, readPlace, wrongRegion } from '../price.ts'
import { type Demand, demandsOf, formName } from '../requirements.ts'
import { saveTaxZone, type TaxPlaceChoice } from '../store.ts'
import type { FieldList, Location, RuleList, TaxZoneQuery, TaxZoneSet } from './routes.ts'

export async function listRules(checking: Checking, id: string): Promise<Static<typeof RuleList>> {
  const ruled = (await demands(checking, id)).map((demand) => [formName(demand), allRules(demand)] as const)
  return { rules: Object.fromEntries(ruled.filter(([, rules]) => Object.keys(rules).length > 0)) }
}

const allRules = ({ isRequired, rules: { options, ...rules } }: Demand) => ({
  ...(isRequired ? { required: true } : {}),
  ...rules,
  ...(options && { options: [...options] }),
})

export const listFields = async (checking: Checking, id: string): Promise<Static<typeof FieldList>> => ({
  fields: (await demands(checking, id)).map((demand) => ({
    name: formName(demand),
    label: demand.label,
    type: demand.type,
    required: demand.isRequired,
    options: demand.options && [...demand.options],
  })),
})

async function demands(checking: Checking, id: string): Promise<Demand[]> {
  const row = await readCheckout(checking, id)
  return demandsOf(row, priceCheckout(row), await readDetails(checking, row))
}

// Where a checkout is taxed, as the shopper says or by an address on the network; and where such an address is.

type Locating = Checking & Pick<Context, 'geo' | 'clientAddress'>

/** A place in which the merchant taxes nothing is accepted like any other. */
export async function setTaxZone(
  locating: Locating,
  id: string,
  query: Static<typeof TaxZoneQuery>,
): Promise<Static<typeof TaxZoneSet>> {
  const place = taxPlace(locating, query)
  const refuse = async (message: string) => {
    const live = await showLive(locating, await readCheckout(locating, id))
    return { valid: false, message, live }
  }
  if (typeof place === 'string') return refuse(place)
  if (!(await saveTaxZone(locating.db, tokenAt(locating, id), place))) return refuse(ALREADY_ORDERED)
  return {
    valid: true,
    tax_region: {
      country: place.country,
      region: place.region,
      postal_zip_code: place.postalCode,
      ip_address: place.ipAddress,
    },
    live: await showLive(locating, await readCheckout(locating, id)),
  }
}

/** The place, or the reason why there is none. What the shopper says goes before where the address seems to be. */
function taxPlace({ geo }: Locating, query: Static<typeof TaxZoneQuery>): TaxPlaceChoice | string {
  const { country = '', region, postal_zip_code: postalCode = '' } = query
  const ipAddress = readAddress(query.ip_address)
  if (country !== '') {
    const place = readPlace({ country, region })
    if (place === null) return NO_SUCH_COUNTRY
    // Saved as none, it would quietly be taxed as the rest of the country is.
    const wrong = wrongRegion(place)
    if (wrong !== null) return `There is no such region: region ${wrong}`
    return {
      country: place.country,
      region: place.region ?? null,
      postalCode: postalCode === '' ? null : postalCode,
      ipAddress,
    }
  }
  if (ipAddress === null) throw missingParameter('country, or ip_address,')
  const located = geo.locate(ipAddress)
  const place = readPlace({ country: located?.country_code ?? '', region: located?.region_code ?? '' })
  if (place === null) return 'Where this address is, is not known: name the country.'
  return {
    country: place.country,
    region: place.region ?? null,
    postalCode: located?.postal_zip_code ?? null,
    ipAddress,
  }
}

/** Of the address that is given, else of the client's own. What is not known is null, all of it where there is no database. */
export async function locate(
  locating: Locating,
  id: string,
  address: string | undefined,
): Promise<Static<typeof Location>> {
  const ipAddress = readAddress(address) ?? locating.clientAddress
  if (!(await hasCheckout(locating.db, tokenAt(locating, id)))) throw notFound('checkout token')
  return { ip_address: ipAddress, ...(locating.geo.locate(ipAddress) ?? NOWHERE) }
}

export const NOWHERE = {
  country_code: null,
  country_name: null,
  region_code: null,
  region_name: null,
  city: null,
  postal_zip_code: null,
}

/** Null when none is given; an empty one is what a form sends that nobody has filled in. */
function readAddress(text = ''): string | null {
  if (text === '') return null
  if (isIP(text) === 0) throw unprocessable({ ip_address: ['ip_address must be an IPv4 or IPv6 address.'] })
  return text
}
