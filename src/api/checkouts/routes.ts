// Endpoints of /v1/checkouts. Knowing a token's id is enough to use it, with any key of its mode.

import { Type } from 'typebox'
import { asMeteredEndpoints, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { oneOf } from '../../http/endpoint/schema.ts'
import { AppliedGiftCard } from '../gift-cards/schema.ts'
import { TokenMerchant } from '../merchants/schema.ts'
import { AvailableGateways } from '../payment-methods/schema.ts'
import type { Slice } from '../slice.ts'
import {
  CHECKOUT_SOURCES,
  createCheckout,
  readCheckout,
  readTokenDetails,
  renderCheckoutToken,
  renderLiveTotals,
  sweepExpiredCheckouts,
} from './checkout.ts'
import { checkEndpoints } from './checks/routes.ts'
import { formEndpoints } from './form/routes.ts'
import { formKinds } from './form/schema.ts'
import { CheckoutLine, CheckoutToken, Live, LiveLineItem, ShippingOption, UpdateCheckout } from './schema.ts'
import { termsEndpoint } from './terms/routes.ts'
import { AddressTerms } from './terms/schema.ts'
import { updateCheckout } from './update.ts'

const Token = Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) })

export const checkouts: Slice = {
  kinds: [
    CheckoutToken,
    CheckoutLine,
    Live,
    LiveLineItem,
    ShippingOption,
    // Kinds of other resources that checkouts are the first to show.
    TokenMerchant,
    AvailableGateways,
    AppliedGiftCard,
    ...formKinds,
    AddressTerms,
  ],
  sweeps: () => [sweepExpiredCheckouts],
  endpoints: [
    ...asMeteredEndpoints([
      defineEndpoint({
        operation: 'checkouts.create',
        permission: 'write',
        summary: 'Makes a checkout token of what is in a cart, or of one product. It lives for 7 days.',
        method: 'GET',
        path: '/v1/checkouts/:id',
        access: 'public',
        noStore: true,
        writes: true,
        makes: 'checkouts',
        limited: true,
        params: Type.Object({ id: Type.String({ description: 'What the query parameter type says.' }) }),
        query: Type.Object({
          type: Type.Optional(
            oneOf(CHECKOUT_SOURCES, {
              description: 'cart: the id of a cart. product_id, permalink: of a product. permalink unless given.',
            }),
          ),
        }),
        status: 201,
        returns: CheckoutToken,
        handle: (context) => createCheckout(context, context.query.type ?? 'permalink', context.params.id.trim()),
      }),
      defineEndpoint({
        operation: 'checkouts.get',
        permission: 'read',
        summary: "Gives a checkout token, at today's prices.",
        method: 'GET',
        path: '/v1/checkouts/tokens/:id',
        access: 'public',
        noStore: true,
        params: Token,
        status: 200,
        returns: CheckoutToken,
        handle: async (context) => {
          const row = await readCheckout(context, context.params.id)
          return renderCheckoutToken(context, row, await readTokenDetails(context, row))
        },
      }),
      defineEndpoint({
        operation: 'checkouts.live',
        permission: 'read',
        summary: "Gives the totals of a checkout, at today's prices and with what has been chosen so far.",
        method: 'GET',
        path: '/v1/checkouts/:id/live',
        access: 'public',
        noStore: true,
        params: Token,
        status: 200,
        returns: Live,
        handle: async (context) => renderLiveTotals(context, await readCheckout(context, context.params.id)),
      }),
      defineEndpoint({
        operation: 'checkouts.update',
        permission: 'write',
        summary: 'Sets what an integration knows: shipping methods, tax, adjustments, meta. null takes a part away.',
        method: 'PUT',
        path: '/v1/checkouts/:id',
        access: 'secret',
        noStore: true,
        params: Token,
        body: UpdateCheckout,
        status: 200,
        returns: CheckoutToken,
        handle: async (context) => {
          const row = await updateCheckout(context, context.params.id, context.body)
          return renderCheckoutToken(context, row, await readTokenDetails(context, row))
        },
      }),
    ]),
    ...asMeteredEndpoints([...checkEndpoints, ...formEndpoints]),
    termsEndpoint,
  ],
}
