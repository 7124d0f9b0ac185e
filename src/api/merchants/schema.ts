// A merchant as the API shows it to the public and to itself, and the body that changes it.

import { type Static, Type } from 'typebox'
import { kind, nestedOrNull, nullable, oneOf } from '../../http/endpoint/schema.ts'
import { Asset } from '../assets/schema.ts'
import { CHECKOUT_LANGUAGES, LOGO_SHAPES, LONGEST_PAGE_URL } from './settings.ts'

const LogoShape = Type.Unsafe<(typeof LOGO_SHAPES)[number] | null>({ enum: [...LOGO_SHAPES, null] })

const NAME = { minLength: 1, maxLength: 255 }
const DESCRIPTION = { maxLength: 10_000 }

const Analytics = Type.Object({
  google: Type.Object({
    settings: Type.Object({ tracking_id: nullable(Type.String()), linked_domains: Type.Array(Type.String()) }),
  }),
})

export type Analytics = Static<typeof Analytics>

const profile = {
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  business_name: Type.String({ description: 'The same as name.' }),
  business_description: nullable(Type.String(), { description: 'The same as description.' }),
  currency: Type.Object({ code: Type.String(), symbol: Type.String() }),
  support_email: Type.String(),
  logo: nullable(Type.String(), { description: 'Where the picture is served.' }),
  logo_shape: LogoShape,
  cover: nullable(Type.String(), { description: 'Where the picture is served.' }),
}

const has = {
  logo: Type.Boolean(),
  cover: Type.Boolean(),
  description: Type.Boolean(),
  business_description: Type.Boolean(),
}

/** A merchant inside a checkout token. The checkouts list it among their kinds. */
export const TokenMerchant = kind('token_merchant', { ...profile, has: Type.Object(has) })

export type TokenMerchant = Static<typeof TokenMerchant>

const TaxSettings = { included_in_price: Type.Boolean(), on_shipping: Type.Boolean() }
const CustomerMails = {
  login_token: Type.Boolean(),
  orders: Type.Boolean({ description: 'The receipt of each order.' }),
  shipments: Type.Boolean({ description: 'One for each parcel.' }),
  refunds: Type.Boolean({
    description:
      'One for each refund whose money went back, also where it was made at the payment provider; none beside the mail of a cancellation.',
  }),
  cancellations: Type.Boolean({ description: 'One for each order that is cancelled, with what was given back.' }),
}
const MerchantMails = {
  orders: Type.Boolean({ description: 'One for each order, also in the sandbox.' }),
  email: nullable(Type.String({ maxLength: 320 }), { description: 'Where they go; null: to support_email.' }),
}
const color = nullable(Type.String(), { description: '#rrggbb; null for ours.' })
const Colors = { accent: color, background: color }
const addressLine = nullable(Type.String({ maxLength: 255 }))
const Address = {
  street: addressLine,
  city: addressLine,
  region: addressLine,
  country: nullable(Type.String(), { description: 'ISO 3166-1 alpha-2.' }),
  postal_zip_code: addressLine,
}

const Orders = {
  unpaid_expire_after_hours: nullable(Type.Integer({ minimum: 1, maximum: 8_760 }), {
    description:
      'So many hours after it was made, an order that is to be paid by hand, of which nothing was paid or shipped, is cancelled and its goods go back into stock; also one that was made before this was set. null: never.',
  }),
}

const pageUrl = (description: string) => nullable(Type.String({ maxLength: LONGEST_PAGE_URL }), { description })

const Checkout = {
  languages: Type.Array(oneOf(CHECKOUT_LANGUAGES), {
    minItems: 1,
    maxItems: CHECKOUT_LANGUAGES.length,
    description:
      'Which languages its pages have, each once. Shoppers are shown the one that they ask for, else one that their browser names, else the first. By default all.',
  }),
  terms_url: pageUrl('The terms of the shop, to which its pages link: https://shop.example/terms.'),
  privacy_url: pageUrl('How the shop handles personal data.'),
  return_url: pageUrl(
    'Where the shopper goes on after paying: a page of one of the allowed_origins, or of localhost. null: the pages link to no shop.',
  ),
}

const WITH_SECRET_KEY = 'Shown to the secret key.'

export const Merchant = kind('merchant', {
  ...profile,
  status: oneOf(['active', 'inactive'], { description: 'An inactive merchant takes no orders.' }),
  country: nullable(Type.String(), { description: 'ISO 3166-1 alpha-2.' }),
  intercom: Type.Unsafe<null>({ type: 'null', description: 'Always null.' }),
  has: Type.Object({
    ...has,
    analytics: Type.Boolean(),
    enabled_hosted_checkouts: Type.Boolean(),
    enabled_hosted_storefront: Type.Boolean(),
  }),
  analytics: Analytics,
  images: Type.Object({ logo: nestedOrNull(Asset), cover: nestedOrNull(Asset) }),
  tax: Type.Optional(Type.Object(TaxSettings, { description: WITH_SECRET_KEY })),
  allowed_origins: Type.Optional(Type.Array(Type.String(), { description: WITH_SECRET_KEY })),
  version: Type.Optional(
    Type.String({
      description: `The API version of requests that name none. ${WITH_SECRET_KEY}`,
    }),
  ),
  notifications: Type.Optional(
    Type.Object(
      { customer: Type.Object(CustomerMails), merchant: Type.Object(MerchantMails) },
      { description: `Which mails are sent, to customers and to you. ${WITH_SECRET_KEY}` },
    ),
  ),
  colors: Type.Optional(
    Type.Object(Colors, { description: `Of the mails to customers and of the hosted checkout. ${WITH_SECRET_KEY}` }),
  ),
  address: Type.Optional(Type.Object(Address, { description: WITH_SECRET_KEY })),
  orders: Type.Optional(Type.Object(Orders, { description: WITH_SECRET_KEY })),
  checkout: Type.Optional(Type.Object(Checkout, { description: `Of the hosted checkout. ${WITH_SECRET_KEY}` })),
  time_zone: Type.Optional(
    Type.String({
      description: `In which the days of its reports begin and end, such as Europe/Berlin; UTC unless set. ${WITH_SECRET_KEY}`,
    }),
  ),
})

export type Merchant = Static<typeof Merchant>

const Image = nullable(Type.String({ maxLength: 255 }), {
  description: 'The id of a finished image among your assets that is not private: ast_…',
})

export const UpdateMerchant = Type.Partial(
  Type.Object({
    name: Type.String(NAME),
    description: nullable(Type.String(DESCRIPTION)),
    business_name: Type.String({ ...NAME, description: 'Counts where name is not sent.' }),
    business_description: nullable(Type.String(DESCRIPTION), {
      description: 'Counts where description is not sent.',
    }),
    support_email: Type.String({ maxLength: 320 }),
    country: nullable(Type.String(), { description: 'ISO 3166-1 alpha-2.' }),
    currency: Type.Unsafe<string | { code?: unknown }>({
      type: ['object', 'string'],
      description: 'Cannot be changed; may be sent as it is.',
    }),
    logo: Image,
    cover: Image,
    logo_shape: LogoShape,
    analytics: Type.Partial(
      Type.Object({
        google: Type.Partial(
          Type.Object({
            settings: Type.Partial(
              Type.Object({
                tracking_id: nullable(Type.String({ minLength: 1, maxLength: 255 })),
                linked_domains: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 }),
              }),
            ),
          }),
        ),
      }),
    ),
    tax: Type.Partial(Type.Object(TaxSettings)),
    allowed_origins: Type.Array(Type.String({ maxLength: 300 }), {
      maxItems: 100,
      description:
        'Where links in mails may lead with live keys, and where the hosted checkout sends shoppers back to: https://shop.example. Replaces the list.',
    }),
    version: Type.String({ description: 'The API version of requests that name none.' }),
    notifications: Type.Partial(
      Type.Object({
        customer: Type.Partial(Type.Object(CustomerMails)),
        merchant: Type.Partial(Type.Object(MerchantMails)),
      }),
    ),
    colors: Type.Partial(Type.Object(Colors)),
    address: Type.Partial(Type.Object(Address)),
    orders: Type.Partial(Type.Object(Orders)),
    checkout: Type.Partial(Type.Object(Checkout)),
    time_zone: Type.String({
      maxLength: 64,
      description:
        'The name of a time zone such as Europe/Berlin or America/New_York. What reports have counted already stays in the day in which it was counted.',
    }),
  }),
)

export type MerchantChanges = Static<typeof UpdateMerchant>
