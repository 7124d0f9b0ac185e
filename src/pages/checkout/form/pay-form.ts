// Reads the form of the pay page. Its inputs have the names of the capture body, so they convert directly. Validation uses the capture
// schema; an invalid field is reported and left out, so that the rest can be priced.

import { type CaptureBody, PageBody } from '../../../api/capture/body/schema.ts'
import { findGateway } from '../../../gateways/index.ts'
import { createFieldReader } from '../../../http/endpoint/body.ts'
import { mistakeFinder } from '../../../http/endpoint/validation.ts'
import { type FormFields, nestFields, type SubmittedForm } from '../../../http/files/form.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { type FieldProblem, refusedCodeInput, type TypedInputs } from '../model.ts'

export type PayForm = {
  /** The body, as capture accepts it. */
  readonly body: CaptureBody
  /** Mistakes of fields that do not fit the schema; `body` omits these fields. */
  readonly problems: readonly FieldProblem[]
  readonly typed: TypedInputs
}

const ADDRESS_FIELDS = [
  ...['name', 'street', 'street_2', 'town_city', 'county_state', 'postal_zip_code', 'country'],
  'delivery_instructions',
]

/** Parts of the body that the page asks for. Parts that only programs send, such as `meta`, are ignored. */
const PARTS: Readonly<Record<string, readonly string[] | null>> = {
  customer: ['email', 'firstname', 'lastname', 'phone'],
  shipping: ADDRESS_FIELDS,
  billing: ADDRESS_FIELDS,
  fulfillment: ['shipping_method'],
  line_items: null,
  extrafields: null,
  discount_code: null,
  giftcard_code: null,
  pay_what_you_want: null,
  expected_total: null,
}

/** Checkbox for "same as the shipping address". */
const BILLING_SAME = 'billing_same'

export const hasSameBillingAddress = (typed: TypedInputs): boolean => typed.get(BILLING_SAME) === '1'

const findMistakes = mistakeFinder(PageBody)
const readBody = createFieldReader(PageBody) ?? ((value: unknown) => value)

/** Inputs that programs read: numbers, addresses and codes. */
const PLAIN =
  /^(?:line_items\[.*\]\[quantity\]|quantity|pay_what_you_want|discount_code|giftcard_code|customer\[(?:email|phone)\]|\w+\[postal_zip_code\]|payment\[card\].*)$/

/** Japanese keyboards can produce full-width letters and digits (`１２３`) with the same meaning. */
export const withNarrowCharacters = (inputs: SubmittedForm['inputs']): Map<string, string> =>
  new Map([...inputs].map(([name, value]) => [name, PLAIN.test(name) ? value.replace(WIDE, toNarrow) : value]))

const WIDE = /[\uff01-\uff5e\u3000]/g

const toNarrow = (sign: string): string =>
  sign === '\u3000' ? ' ' : String.fromCharCode(sign.charCodeAt(0) - 0xff01 + 0x21)

export function readPayForm({ inputs: rawInputs }: Pick<SubmittedForm, 'inputs'>): PayForm {
  const inputs = withNarrowCharacters(rawInputs)
  const typed = new Map([...inputs].filter(([name]) => isShownAgain(name)))
  const refusedCodes = unchangedRefusedCodes(inputs)
  const allFields = readBody(bodyOf(nestFields(inputs), typed)) as Fields
  const acceptedFields = refusedCodes.reduce((rest, { path }) => omitField(rest, [path]), allFields)
  const mistakes = findMistakes(acceptedFields)
  const body = mistakes.reduce((rest, { parts }) => omitField(rest, parts), acceptedFields)
  return {
    // Validate again after removing mistakes. One mistake can hide another, for example a list in place of fields.
    body: (mistakes.length === 0 || findMistakes(body).length === 0 ? body : {}) as CaptureBody,
    problems: [...refusedCodes, ...mistakes.map(({ path, shopperMessage }) => ({ path, shopperMessage }))],
    typed,
  }
}

const CODES = [
  { path: 'discount_code', shopperMessage: refusal('code_not_accepted') },
  { path: 'giftcard_code', shopperMessage: refusal('gift_card_not_accepted') },
]

/** A refused code that is still in its field is not sent again with every other change. Each try would count as guessing. */
const unchangedRefusedCodes = (inputs: SubmittedForm['inputs']) =>
  CODES.filter(({ path }) => (inputs.get(path) ?? '') !== '' && inputs.get(path) === inputs.get(refusedCodeInput(path)))

/** Never show card data or values from a provider's script again. Buttons and values that the page wrote itself are no input either. */
const isShownAgain = (name: string): boolean =>
  name === 'payment[gateway]' ||
  !(/^(?:payment\b|refused_)/.test(name) || ['do', 'lang', 'expected_total'].includes(name))

type Fields = Readonly<Record<string, unknown>>

function bodyOf(fields: FormFields, typed: TypedInputs): Fields {
  const parts = Object.entries(PARTS).flatMap(([name, inner]) => {
    const value = fields[name]
    if (value === undefined) return []
    return [[name, inner === null || typeof value === 'string' ? value : pickFields(value, inner)] as const]
  })
  const body: Record<string, unknown> = Object.fromEntries(parts)
  if (hasSameBillingAddress(typed)) body.billing = body.shipping
  if (typeof body.pay_what_you_want === 'string') body.pay_what_you_want = withDecimalPoint(body.pay_what_you_want)
  const payment = paymentOf(fields.payment)
  return payment === null ? body : { ...body, payment }
}

const pickFields = (fields: FormFields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))

/** Reads the fields of the chosen way to pay only: a card must not reach a provider that never handles one. */
function paymentOf(payment: FormFields[string] | undefined): Fields | null {
  if (typeof payment !== 'object' || typeof payment.gateway !== 'string') return null
  const { gateway, card } = payment
  const chosenGateway = findGateway(gateway.trim())
  if (chosenGateway === undefined) return { gateway }
  const details = payment[chosenGateway.code]
  return {
    gateway,
    ...(chosenGateway.page.kind === 'card' && card !== undefined ? { card } : {}),
    ...(details === undefined ? {} : { [chosenGateway.code]: details }),
  }
}

/** Most languages of the page use a comma as the decimal separator. */
export const withDecimalPoint = (text: string): string => text.trim().replace(/^(\d+),(\d{1,2})$/, '$1.$2')

/** Copies the fields without the one at this path. */
function omitField(fields: Fields, [first = '', ...rest]: readonly string[]): Fields {
  const { [first]: inner, ...others } = fields
  if (rest.length === 0 || typeof inner !== 'object' || inner === null) return others
  return { ...others, [first]: omitField(inner as Fields, rest) }
}
