// The form of the pay page: its inputs are named as capture's body is, so reading it is putting it together. What is sent is checked by the same
// schema as a capture; what does not fit it is told by its field and left out, so that the rest can be priced.

import { type CaptureBody, PageBody } from '../../../api/capture/body/schema.ts'
import { findGateway } from '../../../gateways/index.ts'
import { readerOf } from '../../../http/endpoint/body.ts'
import { mistakeFinder } from '../../../http/endpoint/validation.ts'
import { type Form, type FormFields, fieldsOf } from '../../../http/files/form.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { type FieldProblem, refusedName, type Typed } from '../model.ts'

export type PayForm = {
  /** The whole of it, as capture takes it. */
  readonly body: CaptureBody
  /** What does not even fit the schema; it is not in `body`. */
  readonly problems: readonly FieldProblem[]
  readonly typed: Typed
}

const ADDRESS_FIELDS = [
  ...['name', 'street', 'street_2', 'town_city', 'county_state', 'postal_zip_code', 'country'],
  'delivery_instructions',
]

/** What of the body a page asks for. What only programs send, such as `meta`, is not taken from a form. */
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

/** The box that stands for a billing address. */
const BILLING_SAME = 'billing_same'

export const isBilledAsShipped = (typed: Typed): boolean => typed.get(BILLING_SAME) === '1'

const findMistakes = mistakeFinder(PageBody)
const readBody = readerOf(PageBody) ?? ((value: unknown) => value)

/** Digits, addresses and codes, as programs read them. */
const PLAIN =
  /^(?:line_items\[.*\]\[quantity\]|quantity|pay_what_you_want|discount_code|giftcard_code|customer\[(?:email|phone)\]|\w+\[postal_zip_code\]|payment\[card\].*)$/

/** Japanese keyboards write letters and digits as wide as their own signs (`１２３`), and mean the same. */
export const withNarrowSigns = (inputs: Form['inputs']): Map<string, string> =>
  new Map([...inputs].map(([name, value]) => [name, PLAIN.test(name) ? value.replace(WIDE, narrow) : value]))

const WIDE = /[\uff01-\uff5e\u3000]/g

const narrow = (sign: string): string =>
  sign === '\u3000' ? ' ' : String.fromCharCode(sign.charCodeAt(0) - 0xff01 + 0x21)

export function readPayForm({ inputs: sent }: Pick<Form, 'inputs'>): PayForm {
  const inputs = withNarrowSigns(sent)
  const typed = new Map([...inputs].filter(([name]) => isShownAgain(name)))
  const refused = refusedBefore(inputs)
  const whole = readBody(bodyOf(fieldsOf(inputs), typed)) as Fields
  const good = refused.reduce((rest, { path }) => without(rest, [path]), whole)
  const mistakes = findMistakes(good)
  const body = mistakes.reduce((rest, { parts }) => without(rest, parts), good)
  return {
    // Once more where something of it was left out: what one mistake has hidden, as a list in place of fields.
    body: (mistakes.length === 0 || findMistakes(body).length === 0 ? body : {}) as CaptureBody,
    problems: [...refused, ...mistakes.map(({ path, said }) => ({ path, said }))],
    typed,
  }
}

const CODES = [
  { path: 'discount_code', said: refusal('code_not_accepted') },
  { path: 'giftcard_code', said: refusal('gift_card_not_accepted') },
]

/** A code that was refused and stands in its field is not tried again with every change of the rest: that would count as guessing. */
const refusedBefore = (inputs: Form['inputs']) =>
  CODES.filter(({ path }) => (inputs.get(path) ?? '') !== '' && inputs.get(path) === inputs.get(refusedName(path)))

/** Never anything of a card, nor what a provider's script has put in; buttons and what the page itself has written are not typed. */
const isShownAgain = (name: string): boolean =>
  name === 'payment[gateway]' ||
  !(/^(?:payment\b|refused_)/.test(name) || ['do', 'lang', 'expected_total'].includes(name))

type Fields = Readonly<Record<string, unknown>>

function bodyOf(fields: FormFields, typed: Typed): Fields {
  const parts = Object.entries(PARTS).flatMap(([name, inner]) => {
    const value = fields[name]
    if (value === undefined) return []
    return [[name, inner === null || typeof value === 'string' ? value : picked(value, inner)] as const]
  })
  const body: Record<string, unknown> = Object.fromEntries(parts)
  if (isBilledAsShipped(typed)) body.billing = body.shipping
  if (typeof body.pay_what_you_want === 'string') body.pay_what_you_want = withPoint(body.pay_what_you_want)
  const payment = paymentOf(fields.payment)
  return payment === null ? body : { ...body, payment }
}

const picked = (fields: FormFields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))

/** Of several ways the page has fields for, those of the one that was chosen: a card must not reach a provider that never sees one. */
function paymentOf(payment: FormFields[string] | undefined): Fields | null {
  if (typeof payment !== 'object' || typeof payment.gateway !== 'string') return null
  const { gateway, card } = payment
  const chosen = findGateway(gateway.trim())
  if (chosen === undefined) return { gateway }
  const details = payment[chosen.code]
  return {
    gateway,
    ...(chosen.page.kind === 'card' && card !== undefined ? { card } : {}),
    ...(details === undefined ? {} : { [chosen.code]: details }),
  }
}

/** Most of the languages of the page write the decimals of an amount behind a comma. */
export const withPoint = (text: string): string => text.trim().replace(/^(\d+),(\d{1,2})$/, '$1.$2')

/** A copy without the field that these names lead to. */
function without(fields: Fields, [first = '', ...rest]: readonly string[]): Fields {
  const { [first]: inner, ...others } = fields
  if (rest.length === 0 || typeof inner !== 'object' || inner === null) return others
  return { ...others, [first]: without(inner as Fields, rest) }
}
