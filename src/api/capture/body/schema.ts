// The body of a capture, and the answer that redirects a shopper to a provider. compat/capture-body.ts turns other forms that storefronts
// send into this one. Every field may be null or empty, like a form that is not filled in.

import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { gateways } from '../../../gateways/index.ts'
import type { Caller } from '../../../http/endpoint/endpoint.ts'
import {
  Amount,
  digitText,
  idMap,
  keyedByIds,
  kind,
  Meta,
  nested,
  nullable,
  quantity,
  SECRET,
  trimmed,
} from '../../../http/endpoint/schema.ts'
import { MAX_CART_LINES } from '../../../pricing/rounding.ts'
import { Live } from '../../checkouts/schema.ts'
import { LINE_LIMITS } from '../../lines/line.ts'
import { MAX_GROUPS } from '../../products/body-schema.ts'

const text = (description?: string, maxLength = 255) =>
  Type.Optional(nullable(Type.String(), { maxLength, ...(description === undefined ? {} : { description }) }))

/** An id or a code. */
const code = (description: string) => trimmed(text(description))

/** Digits that people type. Storefronts send them as text or as a number. */
const digits = (description?: string, maxLength = 255) => digitText(text(description, maxLength))

const amount = (description: string) =>
  Type.Optional(Type.Unsafe<string | number | null>({ ...Amount, type: ['number', 'string', 'null'], description }))

const optional = <T extends TSchema>(schema: T, description?: string) =>
  Type.Optional(nullable(schema, description === undefined ? {} : { description }))

const group = <P extends TProperties>(properties: P, description?: string) =>
  optional(Type.Object(properties), description)

const recordOf = <T extends TSchema>(entries: T, maxProperties: number, description: string, marks: object = {}) =>
  Type.Optional(
    Type.Unsafe<Record<string, Static<T>> | null>({
      ...marks,
      type: ['object', 'null'],
      additionalProperties: entries,
      maxProperties,
      description,
    }),
  )

const lineOf = (least: 0 | 1) =>
  Type.Object({
    quantity: quantity(least, LINE_LIMITS.quantity, 'As many as the token has, unless given.'),
    variants: idMap(
      recordOf(
        nullable(Type.String(), { maxLength: 255 }),
        MAX_GROUPS,
        'Ids of variant groups, each with the id of an option of it: {vgrp_…: optn_…}. Groups that are left out keep their option. selected_options and options mean the same, also as lists of {group_id, option_id}.',
      ),
    ),
    variant_id: code('A variant of the product, instead of its options; if variants are sent too, they must match it.'),
  })

const Address = {
  name: text('firstname and lastname may be sent instead.'),
  firstname: text(),
  lastname: text(),
  street: text(),
  street_2: text(),
  town_city: text(),
  county_state: text('ISO 3166-2 code with or without the country, or a name: CA, US-CA, California.'),
  region: text('The same as county_state.'),
  postal_zip_code: digits(undefined, 64),
  country: text('ISO 3166-1 alpha-2: US.'),
  delivery_instructions: text(undefined, 2_000),
  meta: Type.Optional(Meta),
}

const Card = {
  number: digits('Only if the gateway takes raw numbers, such as the test gateway. Blanks are ignored.'),
  expires: digits('Month and year, such as 05/30; or expiry_month and expiry_year.'),
  expiry_month: digits(),
  expiry_year: digits(),
  cvc: digits(),
  postal_zip_code: digits(),
  token: text('From a card processor.', 2_000),
  nonce: digits('From a card processor.', 2_000),
}

const Details = recordOf(
  Type.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'], maxLength: 2_000 }),
  50,
  'What this gateway needs to know, such as what its script in the browser has given.',
  SECRET,
)

const Payment = {
  gateway: code('The code of a gateway that the token lists as available, or the id of one: gway_…'),
  card: optional(Type.Object(Card, SECRET)),
  ...(Object.fromEntries(gateways.map((gateway) => [gateway.code, Details])) as Record<never, never>),
}

/** Maximum number of extra fields in a body. Fields that the checkout does not have are ignored. */
const MAX_EXTRA_FIELDS = 1_000

const MAX_EXTRA_FIELD_LENGTH = 10_000

const linesOf = (least: 0 | 1) =>
  recordOf(
    nullable(lineOf(least)),
    MAX_CART_LINES,
    'By the ids of lines, what differs from the token; also as a list of lines with their ids.',
  )

export const CaptureBody = Type.Object({
  line_items: linesOf(1),
  discount_code: code("In place of the token's."),
  giftcard_code: code("In place of the token's. gift_card means the same."),
  extrafields: keyedByIds(
    recordOf(
      Type.Unsafe<string | number | boolean | null>({
        type: ['string', 'number', 'boolean', 'null'],
        maxLength: MAX_EXTRA_FIELD_LENGTH,
      }),
      MAX_EXTRA_FIELDS,
      'By the ids of extra fields, what was entered. extra_fields means the same.',
    ),
  ),
  customer: group(
    {
      id: code('A customer of yours: cstmr_…'),
      email: text('Not needed where id is given. Customers are known by it; an unknown one is made.', 320),
      firstname: text(),
      lastname: text(),
      phone: digits(undefined, 64),
      meta: Type.Optional(Meta),
    },
    'Who buys.',
  ),
  shipping: group(Address, 'Where the goods are shipped; also the place of tax.'),
  billing: group(Address, 'The place of tax if nothing is shipped and neither the token nor tax names one.'),
  fulfillment: group({ shipping_method: code("ship_…, in place of the token's.") }),
  payment: group(Payment, 'Needed where something is due.'),
  pay_what_you_want: amount('What the shopper pays for the pay-what-you-want lines together.'),
  expected_total: amount(
    'What the shopper was told is due. Where total_due is another, with all that this body says, the answer is a 409 with the live totals, and nothing is held or charged.',
  ),
  tax: group(
    { country: text(), region: text(), postal_zip_code: digits(undefined, 64), ip_address: text(undefined, 64) },
    'The place of tax if nothing is shipped and the token has no tax zone (helper/set_tax_zone), or only a country. Without it, the billing address.',
  ),
  meta: Type.Optional(Meta),
})

/** The body from the hosted checkout. A line with a quantity of 0 is left out of the order. */
export const PageBody = Type.Object({ ...CaptureBody.properties, line_items: linesOf(0) })

/** True for the hosted checkout: its shoppers have no key and no login. All other callers have a storefront. */
export const isFromHostedCheckout = ({
  keyId,
  session,
  account,
}: Partial<Pick<Caller, 'keyId' | 'session' | 'account'>>): boolean =>
  keyId === null && session === null && account === undefined

export type CaptureBody = Static<typeof CaptureBody>
export type SentAddress = NonNullable<CaptureBody['shipping']>
export type SentLine = Static<ReturnType<typeof lineOf>>
export type SentPayment = NonNullable<CaptureBody['payment']>

export const PaymentRedirectKind = kind('payment_redirect', {
  payment_redirect: Type.Literal(true),
  gateway: Type.String(),
  payment_id: Type.String({
    description:
      'What the gateway calls the payment. The capture after the return may name it: payment.{gateway}.payment_id.',
  }),
  paykey: Type.String({ description: 'The same as payment_id, by its older name.' }),
  redirect_url: Type.String({ description: 'Where to send the shopper. The same capture continues afterwards.' }),
})

/** The answer for a gateway that redirects the shopper. */
export type PaymentRedirect = {
  payment_redirect: true
  gateway: string
  payment_id: string
  /** The same value under its older name. */
  paykey: string
  /** A page of ours is stored as a path. The answer puts the origin before it. */
  redirect_url: string
}

/** Contents of the 409 for an `expected_total` that is not the real total. */
export const CaptureConflict = Type.Object({
  live: Type.Optional(
    Type.Unsafe<Live>({
      ...nested(Live),
      description: 'Where total_due is not the expected_total: the totals as this capture would charge them.',
    }),
  ),
})
