// Reads the shopper's answers from a capture's body: customer, addresses and extra fields. Refuses answers that are wrong or missing.

import { countryName } from '../../../geo/places.ts'
import { cardNumberErrors } from '../../../lib/credentials/card-numbers.ts'
import { metaErrors, textOrNull } from '../../../lib/json.ts'
import type { Problems } from '../../../lib/problems.ts'
import { readEmail } from '../../../lib/text.ts'
import { findRegionProblem, readPlace } from '../../checkouts/price.ts'
import {
  type CaptureField,
  dottedPath,
  findBrokenRule,
  refusalForInvalidField,
  refusalForMissingField,
} from '../../checkouts/requirements.ts'
import type { PostalAddress } from '../../customers/postal-address.ts'
import type { OrderDraft } from '../../orders/make.ts'
import type { OrderContent } from '../../orders/read-store.ts'
import type { ShippingDestination } from '../../shipping/methods.ts'
import type { CapturedProductRow, CaptureFacts } from './read-store.ts'
import type { CaptureBody, SentAddress } from './schema.ts'

/** An address as an order stores it, and the place it names. */
export type ReadAddress = {
  /** Null when the body has no field of it. */
  readonly address: PostalAddress | null
  /** Null while the country is unknown. */
  readonly place: ShippingDestination | null
}

export type ReadAddresses = { readonly shipping: ReadAddress; readonly billing: ReadAddress }

export const COUNTRY_RULE = 'must be an ISO 3166-1 alpha-2 code of a country, such as US'

export const readAddresses = ({ shipping, billing }: CaptureBody, problems: Problems): ReadAddresses => ({
  shipping: readAddress('shipping', shipping, problems),
  billing: readAddress('billing', billing, problems),
})

function readAddress(
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
 * A customer named by id may leave out the e-mail address: the stored one is used. No other stored field is used, because any public key
 * sees the reply.
 */
function readCustomer(
  sent: CaptureBody['customer'],
  { customer: known }: Pick<CaptureFacts, 'customer'>,
  problems: Problems,
): OrderDraft['customer'] {
  const email = textOrNull(sent?.email)
  const address = email === null ? null : readEmail(email)
  if (textOrNull(sent?.id) !== null && known === null) problems.refused('customer.id', 'must be the id of a customer')
  return {
    id: known?.id ?? null,
    // Empty only if a problem refuses it.
    email: address ?? known?.email ?? '',
    firstname: textOrNull(sent?.firstname),
    lastname: textOrNull(sent?.lastname),
    phone: textOrNull(sent?.phone),
    meta: sent?.meta ?? null,
  }
}

/** The answered extra fields, in the order of the checkout. Fields that the checkout does not have are ignored. */
function readExtraFields(
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

/** The shopper's answers, named after the parts of the body. */
export type Answers = ReadAddresses & {
  readonly customer: OrderDraft['customer']
  /** The e-mail address in the body. Null when the stored address of a named customer is used. */
  readonly sentEmail: string | null
  readonly extraFields: OrderContent['extra_fields']
  readonly methodId: string | null
  readonly gateway: string | null
}

/** Customer and extra fields need `facts`; the addresses, the shipping method and the gateway are known before. */
export const readAnswers = (
  { customer, extrafields }: CaptureBody,
  facts: CaptureFacts,
  known: ReadAddresses & Pick<Answers, 'methodId' | 'gateway'>,
  problems: Problems,
): Answers => ({
  ...known,
  customer: readCustomer(customer, facts, problems),
  sentEmail: textOrNull(customer?.email),
  extraFields: readExtraFields(extrafields, facts.products),
})

/** Refuses answers that break the rules of a form's fields. */
export function refuseWrongAnswers(
  demands: readonly CaptureField[],
  { sentEmail, extraFields }: Pick<Answers, 'sentEmail' | 'extraFields'>,
  problems: Problems,
) {
  for (const demand of demands) {
    const [part, field] = demand.path
    const entry = part === 'extrafields' ? extraFields.find(({ id }) => id === field)?.value : undefined
    const value = dottedPath(demand) === 'customer.email' ? sentEmail : entry
    const broken = typeof value === 'string' ? findBrokenRule(demand, value) : null
    if (broken === null) continue
    const message = refusalForInvalidField(demand)
    if (broken.isMalformed) problems.malformedAs({ [dottedPath(demand)]: [broken.sentence] }, message)
    else problems.refusedAs(dottedPath(demand), broken.sentence, message)
  }
}

/** Refuses missing answers, and texts that an order must not store. `isForm`: our own page, which requires every field of its form. */
export function refuseMissingOrUnsafe(
  demands: readonly CaptureField[],
  answers: Answers,
  body: CaptureBody,
  problems: Problems,
  isForm: boolean,
) {
  refuseMissing(demands, answers, problems, isForm)
  refuseUnsafe(body, problems)
}

/** An answer that was refused does not count as missing too. */
function refuseMissing(demands: readonly CaptureField[], answers: Answers, problems: Problems, isForm: boolean) {
  for (const demand of demands) {
    const path = dottedPath(demand)
    if (!demand.isRequired || problems.has(path)) continue
    if (isAnswered(demand, answers)) {
      // An unknown region would evade rules that go by region just as a missing one would.
      const place = demand.type === 'region' ? placeIn(demand, answers) : null
      const wrong = place && findRegionProblem(place)
      if (wrong !== null) problems.refusedAs(path, `${path} ${wrong}`)
      continue
    }
    if (demand.isRequiredByFormsOnly && !isForm) continue
    // A body that names a customer, even wrongly, need not also have an e-mail address.
    if (path === 'customer.email' && problems.has('customer.id')) continue
    problems.malformed(path, 'is required', refusalForMissingField(demand))
  }
}

/** The place named by the address that has this field. */
const placeIn = ({ path: [part] }: CaptureField, { shipping, billing }: Answers): ShippingDestination | null =>
  (part === 'billing' ? billing : shipping).place

function isAnswered({ path: [part, field = ''] }: CaptureField, answers: Answers): boolean {
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
    // An option of a line. It is demanded only while it is not chosen.
    default:
      return false
  }
}

const isFilled = (fields: object | null, name: string): boolean =>
  fields !== null && ((Object.entries(fields).find(([field]) => field === name)?.[1] as unknown) ?? '') !== ''

/** Refuses a meta that is too large, and card numbers in stored text. Any public key can send such text, and an order keeps it for good. */
function refuseUnsafe(body: CaptureBody, problems: Problems) {
  for (const [part, { meta, ...texts }] of Object.entries(storedPartsOf(body))) {
    const path = part === '' ? 'meta' : `${part}.meta`
    for (const errors of [metaErrors(meta, path), part === '' ? null : cardNumberErrors(texts, part)])
      if (errors !== null) problems.malformedAs(errors)
  }
}

/** The phone is left out: its number may look like a card number. */
const storedPartsOf = ({
  meta,
  customer,
  shipping,
  billing,
  extrafields,
}: CaptureBody): Record<string, StoredPart> => ({
  '': { meta },
  customer: { meta: customer?.meta, firstname: customer?.firstname, lastname: customer?.lastname },
  shipping: { ...shipping },
  billing: { ...billing },
  extrafields: { ...extrafields, meta: undefined },
})

type StoredPart = { readonly meta?: unknown; readonly [field: string]: unknown }
