// Endpoints under /v1/checkouts/{id}/check. Each checks if the shopper can have something, and saves it on the token if so.

import { Type } from 'typebox'
import { defineEndpoint, type Endpoint } from '../../../http/endpoint/endpoint.ts'
import { checkAmount, checkDiscount, checkFree, checkGiftCard, checkShipping } from './choices.ts'
import { checkQuantity, checkVariant } from './lines.ts'
import {
  AmountCheck,
  AmountQuery,
  CodeQuery,
  DiscountCheck,
  FreeCheck,
  GiftCardCheck,
  QuantityCheck,
  QuantityQuery,
  ShippingCheck,
  ShippingQuery,
  VariantCheck,
  VariantQuery,
} from './schema.ts'

const tokenId = { id: Type.String({ description: 'The id of a checkout token: chkt_…' }) }
const Token = Type.Object(tokenId)
const Line = Type.Object({ ...tokenId, line_item_id: Type.String({ description: 'The id of a line: item_…' }) })

// Must not be cached: a cached reply would not change the token.
const readingCheck = { method: 'GET', access: 'public', noStore: true, status: 200 } as const
const savingCheck = { ...readingCheck, writes: true } as const

export const checkEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...savingCheck,
    operation: 'checkouts.check_quantity',
    permission: 'write',
    summary: 'Changes the quantity and the options of a line, if there is enough stock.',
    path: '/v1/checkouts/:id/check/:line_item_id/quantity',
    params: Line,
    query: QuantityQuery,
    returns: QuantityCheck,
    handle: (context) => checkQuantity(context, context.params, context.query),
  }),
  defineEndpoint({
    ...savingCheck,
    operation: 'checkouts.check_variant',
    permission: 'write',
    summary: 'Chooses a variant or options of a line, if there is enough stock.',
    path: '/v1/checkouts/:id/check/:line_item_id/variant',
    params: Line,
    query: VariantQuery,
    returns: VariantCheck,
    handle: (context) => checkVariant(context, context.params, context.query),
  }),
  defineEndpoint({
    ...savingCheck,
    operation: 'checkouts.check_discount',
    permission: 'write',
    summary: 'Applies a discount code in place of the one before, if it can be used.',
    path: '/v1/checkouts/:id/check/discount',
    limited: true,
    params: Token,
    query: CodeQuery,
    returns: DiscountCheck,
    handle: (context) => checkDiscount(context, context.params.id, context.query.code),
  }),
  defineEndpoint({
    ...savingCheck,
    operation: 'checkouts.check_giftcard',
    permission: 'write',
    summary: 'Replaces the gift card that pays, if the new card has a balance.',
    path: '/v1/checkouts/:id/check/giftcard',
    limited: true,
    params: Token,
    query: CodeQuery,
    returns: GiftCardCheck,
    handle: (context) => checkGiftCard(context, context.params.id, context.query.code),
  }),
  defineEndpoint({
    ...savingCheck,
    operation: 'checkouts.check_shipping',
    permission: 'write',
    summary: 'Chooses a shipping method and the place to ship to, if the method is offered there.',
    path: '/v1/checkouts/:id/check/shipping',
    params: Token,
    query: ShippingQuery,
    returns: ShippingCheck,
    handle: (context) => checkShipping(context, context.params.id, context.query),
  }),
  defineEndpoint({
    ...savingCheck,
    operation: 'checkouts.check_pay_what_you_want',
    permission: 'write',
    summary: 'Sets what the shopper pays for the pay-what-you-want lines together, if it is enough.',
    path: '/v1/checkouts/:id/check/pay_what_you_want',
    params: Token,
    query: AmountQuery,
    returns: AmountCheck,
    handle: (context) => checkAmount(context, context.params.id, context.query.customer_set_price),
  }),
  defineEndpoint({
    ...readingCheck,
    operation: 'checkouts.check_is_free',
    permission: 'write',
    summary: 'Tells whether anything is left to pay.',
    path: '/v1/checkouts/:id/check/is_free',
    params: Token,
    returns: FreeCheck,
    handle: (context) => checkFree(context, context.params.id),
  }),
]
