// What a capture's body says of the shopper and of the checkout's own questions, read; and which of it is missing.

import { readEmail } from '../../../lib/email.ts'
import type { Problems } from '../../../lib/errors.ts'
import { given } from '../../../lib/json.ts'
import { wrongRegion } from '../../checkouts/price.ts'
import { brokenRule, type Demand, dottedPath } from '../../checkouts/requirements.ts'
import type { OrderDraft } from '../../orders/make.ts'
import type { OrderContent } from '../../orders/read-store.ts'
import type { Place } from '../../shipping/methods.ts'
import type { CapturedProductRow, CaptureFacts } from '../read-store.ts'
import type { ReadAddress } from './address.ts'
import type { CaptureBody } from './schema.ts'

/**
 * Who buys. Of a customer who is known by id the e-mail address is the stored one, where none was sent. Nothing else that is stored
 * is ever shown: any public key sees the reply.
 */
export function readCustomer(
  sent: CaptureBody['customer'],
  { customer: known }: Pick<CaptureFacts, 'customer'>,
  problems: Problems,
): OrderDraft['customer'] {
  const email = given(sent?.email)
  const address = email === null ? null : readEmail(email)
  if (given(sent?.id) !== null && known === null) problems.refused('customer.id', 'must be the id of a customer')
  return {
    id: known?.id ?? null,
    // Empty only where it is refused, as missing or as none.
    email: address ?? known?.email ?? '',
    firstname: given(sent?.firstname),
    lastname: given(sent?.lastname),
    phone: given(sent?.phone),
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
      const value = answer === undefined || answer === null ? null : given(String(answer))
      return value === null ? [] : [{ id, name, type, is_required, value }]
    })
}

/** What was said, by the paths of the body. */
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

/** Whatever was said of the shopper and of extra fields, and breaks the rules that forms were told. */
export function refuseWrong(
  demands: readonly Demand[],
  { email, extraFields }: { email: string | null; extraFields: OrderContent['extra_fields'] },
  problems: Problems,
) {
  for (const demand of demands) {
    const [part, field] = demand.path
    const value = part === 'extrafields' ? extraFields.find(({ id }) => id === field)?.value : undefined
    const said = dottedPath(demand) === 'customer.email' ? email : value
    const broken = typeof said === 'string' ? brokenRule(demand, said) : null
    if (broken?.isMalformed) problems.malformedAs({ [dottedPath(demand)]: [broken.sentence] })
    else if (broken) problems.refusedAs(dottedPath(demand), broken.sentence)
  }
}

/** Whatever is demanded and was not said. What was said and refused is not missing too. */
export function refuseMissing(demands: readonly Demand[], answers: Answers, problems: Problems) {
  for (const demand of demands) {
    const path = dottedPath(demand)
    if (!demand.isRequired || problems.has(path)) continue
    if (isAnswered(demand, answers)) {
      // One that nobody knows would be as good a way around what goes by the region as none.
      const place = demand.type === 'region' ? placeIn(demand, answers) : null
      const wrong = place && wrongRegion(place)
      if (wrong !== null) problems.refusedAs(path, `${path} ${wrong}`)
      continue
    }
    // Where a customer is named, though wrongly, no address is asked for beside.
    if (path === 'customer.email' && problems.has('customer.id')) continue
    problems.malformed(path, 'is required')
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
    // Options that are left to choose: of those that were chosen there is no demand.
    default:
      return false
  }
}

const isFilled = (fields: object | null, name: string): boolean =>
  fields !== null && ((Object.entries(fields).find(([field]) => field === name)?.[1] as unknown) ?? '') !== ''
