// What a capture's body says of the shopper: who buys, the addresses, and the answers to the checkout's own questions; and which of it is
// wrong or missing.

import { countryName } from '../../../geo/places.ts'
import { cardNumberErrors } from '../../../lib/credentials/card-numbers.ts'
import { metaErrors, textOrNull } from '../../../lib/json.ts'
import type { Problems } from '../../../lib/problems.ts'
import { readEmail } from '../../../lib/text.ts'
import { readPlace, wrongRegion } from '../../checkouts/price.ts'
import { brokenRule, type Demand, dottedPath, missingRefusal, wrongRefusal } from '../../checkouts/requirements.ts'
import type { PostalAddress } from '../../customers/postal-address.ts'
import type { OrderDraft } from '../../orders/make.ts'
import type { OrderContent } from '../../orders/read-store.ts'
import type { Place } from '../../shipping/methods.ts'
import type { CapturedProductRow, CaptureFacts } from '../read-store.ts'
import type { CaptureBody, SentAddress } from './schema.ts'

/** An address as an order keeps it, and the place that it names. */
export type ReadAddress = {
  /** Null when nothing of it was given. */
  readonly address: PostalAddress | null
  /** Null while the country is not known. */
  readonly place: Place | null
}

export const COUNTRY_RULE = 'must be an ISO 3166-1 alpha-2 code of a country, such as US'

export function readAddress(
  whose: 'shipping' | 'billing',
  sent: SentAddress | null | undefined,
  problems: Problems,
): ReadAddress {
  if (sent === undefined || sent === null) return { address: null, place: null }
  const country = textOrNull(sent.country)?.trim().toUpperCase() ?? null
  if (country !== null && countryName(country) === undefined) problems.malformed(`${whose}.country`, COUNTRY_RULE)
  const address: PostalAddress = {
    name:
      textOrNull(sent.name) ??
      textOrNull([textOrNull(sent.firstname), textOrNull(sent.lastname)].filter(Boolean).join(' ')),
    street: textOrNull(sent.street),
    street_2: textOrNull(sent.street_2),
    town_city: textOrNull(sent.town_city),
    county_state: textOrNull(sent.county_state) ?? textOrNull(sent.region),
    postal_zip_code: textOrNull(sent.postal_zip_code),
    country,
    delivery_instructions: textOrNull(sent.delivery_instructions),
    meta: sent.meta ?? null,
  }
  return {
    address: Object.values(address).some((value) => value !== null) ? address : null,
    place: country === null ? null : readPlace({ country, region: address.county_state ?? undefined }),
  }
}

/**
 * Who buys. Of a customer who is known by id the e-mail address is the stored one, where none was sent. Nothing else that is stored
 * is ever shown: any public key sees the reply.
 */
export function readCustomer(
  sent: CaptureBody['customer'],
  { customer: known }: Pick<CaptureFacts, 'customer'>,
  problems: Problems,
): OrderDraft['customer'] {
  const email = textOrNull(sent?.email)
  const address = email === null ? null : readEmail(email)
  if (textOrNull(sent?.id) !== null && known === null) problems.refused('customer.id', 'must be the id of a customer')
  return {
    id: known?.id ?? null,
    // Empty only where it is refused, as missing or as none.
    email: address ?? known?.email ?? '',
    firstname: textOrNull(sent?.firstname),
    lastname: textOrNull(sent?.lastname),
    phone: textOrNull(sent?.phone),
    meta: sent?.meta ?? null,
  }
}

/** Those that the checkout asks for and that were answered, in the order in which it asks. Others that were sent are passed over. */
export function readExtraFields(
  sent: CaptureBody['extrafields'],
  products: readonly CapturedProductRow[],
): OrderContent['extra_fields'][number][] {
  return products
    .flatMap(({ extra_fields }) => extra_fields)
    .flatMap(({ id, name, type, is_required }) => {
      const answer = sent && Object.hasOwn(sent, id) ? sent[id] : null
      const value = answer === undefined || answer === null ? null : textOrNull(String(answer))
      return value === null ? [] : [{ id, name, type, is_required, value }]
    })
}

/** What the shopper has answered, by the paths of the body. */
export type Answers = {
  readonly customer: OrderDraft['customer']
  /** Whether the address was sent, and is not that of the customer who was named. */
  readonly isEmailGiven: boolean
  readonly shipping: ReadAddress
  readonly billing: ReadAddress
  readonly extraFields: OrderContent['extra_fields']
  readonly methodId: string | null
  readonly gateway: string | null
}

/** Refuses answers that break the rules which forms were told. `email` as it was sent. */
export function refuseWrong(
  demands: readonly Demand[],
  { email, extraFields }: { email: string | null; extraFields: OrderContent['extra_fields'] },
  problems: Problems,
) {
  for (const demand of demands) {
    const [part, field] = demand.path
    const entry = part === 'extrafields' ? extraFields.find(({ id }) => id === field)?.value : undefined
    const value = dottedPath(demand) === 'customer.email' ? email : entry
    const broken = typeof value === 'string' ? brokenRule(demand, value) : null
    if (broken === null) continue
    const said = wrongRefusal(demand)
    if (broken.isMalformed) problems.malformedAs({ [dottedPath(demand)]: [broken.sentence] }, said)
    else problems.refusedAs(dottedPath(demand), broken.sentence, said)
  }
}

/** Refuses what is demanded and was not answered. An answer that was refused is not missing too. `isForm`: the page that asks for it all. */
export function refuseMissing(demands: readonly Demand[], answers: Answers, problems: Problems, isForm: boolean) {
  for (const demand of demands) {
    const path = dottedPath(demand)
    if (!demand.isRequired || problems.has(path)) continue
    if (isAnswered(demand, answers)) {
      // An unknown region would evade rules that go by region just as a missing one would.
      const place = demand.type === 'region' ? placeIn(demand, answers) : null
      const wrong = place && wrongRegion(place)
      if (wrong !== null) problems.refusedAs(path, `${path} ${wrong}`)
      continue
    }
    if (demand.isLeftToForms && !isForm) continue
    // If a customer is named, even wrongly, do not also ask for an address.
    if (path === 'customer.email' && problems.has('customer.id')) continue
    problems.malformed(path, 'is required', missingRefusal(demand))
  }
}

/** The place that the address with this field names. */
const placeIn = ({ path: [part] }: Demand, { shipping, billing }: Answers): Place | null =>
  (part === 'billing' ? billing : shipping).place

function isAnswered({ path: [part, field = ''] }: Demand, answers: Answers): boolean {
  switch (part) {
    case 'customer':
      return isFilled(answers.customer, field)
    case 'shipping':
    case 'billing':
      return isFilled(answers[part].address, field)
    case 'fulfillment':
      return answers.methodId !== null
    case 'extrafields':
      return answers.extraFields.some(({ id }) => id === field)
    case 'payment':
      return answers.gateway !== null
    // An option left to choose: once it is chosen nothing demands it.
    default:
      return false
  }
}

const isFilled = (fields: object | null, name: string): boolean =>
  fields !== null && ((Object.entries(fields).find(([field]) => field === name)?.[1] as unknown) ?? '') !== ''

/**
 * Refuses a meta that is too large, with the same limit as everywhere, and the number of a card in whatever text is kept: a public key sends it,
 * and an order copies it for good.
 */
export function refuseWhatIsNotKept(body: CaptureBody, problems: Problems) {
  for (const [part, { meta, ...texts }] of Object.entries(keptPartsOf(body))) {
    const path = part === '' ? 'meta' : `${part}.meta`
    for (const errors of [metaErrors(meta, path), part === '' ? null : cardNumberErrors(texts, part)])
      if (errors !== null) problems.malformedAs(errors)
  }
}

/** Without the phone: its number may look like a card's. */
const keptPartsOf = ({ meta, customer, shipping, billing, extrafields }: CaptureBody): Record<string, KeptPart> => ({
  '': { meta },
  customer: { meta: customer?.meta, firstname: customer?.firstname, lastname: customer?.lastname },
  shipping: { ...shipping },
  billing: { ...billing },
  extrafields: { ...extrafields, meta: undefined },
})

type KeptPart = { readonly meta?: unknown; readonly [field: string]: unknown }

/** What an order keeps under `collected` of whether its e-mail address was sent with it, and not taken from a customer's record. */
const EMAIL = 'customer_email'

export const emailCollected = (isGiven: boolean) => ({ [EMAIL]: isGiven })

export const wasEmailGiven = ({ collected }: Pick<OrderContent, 'collected'>): boolean => collected[EMAIL] !== false
