// Endpoints for the capture of a checkout and for its receipt.

import { Type } from 'typebox'
import { asMeteredEndpoints, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { nested } from '../../http/endpoint/schema.ts'
import { Order } from '../orders/schema.ts'
import type { Slice } from '../slice.ts'
import { readReceiptByKey } from './answer.ts'
import { CaptureBody, CaptureConflict, type PaymentRedirect, PaymentRedirectKind } from './body/schema.ts'
import { captureCheckout } from './capture.ts'
import { sweepDraftsOfPages, sweepReleasedAttempts, sweepSettledAttempts } from './completer.ts'
import { sendDeclineAlarm } from './declines/alarm.ts'
import { sweepDeclineCounters } from './declines/store.ts'
import { pollReleasedAttempts, refundLatePayments } from './gateway.ts'

const Token = Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) })

const token = { access: 'public', noStore: true, params: Token, status: 200 } as const

/** Some carts have a hundred lines. Storefronts send each line back as a whole, in two to four kilobytes. */
const BODY_LIMIT = 524_288

export const capture: Slice = {
  kinds: [PaymentRedirectKind],
  jobs: (services) => [refundLatePayments(services), pollReleasedAttempts(services), sendDeclineAlarm(services)],
  sweeps: () => [sweepSettledAttempts, sweepReleasedAttempts, sweepDraftsOfPages, sweepDeclineCounters],
  endpoints: asMeteredEndpoints(
    [
      defineEndpoint({
        ...token,
        operation: 'checkouts.capture',
        permission: 'write',
        summary:
          'Pays for a checkout and makes its order. The body overrides the token; the service calculates all amounts.',
        method: 'POST',
        path: '/v1/checkouts/:id',
        limited: true,
        makes: 'orders',
        bodyLimit: BODY_LIMIT,
        body: CaptureBody,
        conflict: CaptureConflict,
        // Put the redirect first, because its first field distinguishes it from an order.
        returns: Type.Unsafe<Order | PaymentRedirect>({
          anyOf: [nested(PaymentRedirectKind), nested(Order)],
          description: 'The order; or where to send the shopper, for a gateway that takes the payment elsewhere.',
        }),
        handle: (context) => captureCheckout(context, context.body, context.params.id),
      }),
      defineEndpoint({
        ...token,
        operation: 'checkouts.receipt',
        permission: 'read',
        summary: 'Gives the order that was made of a checkout token, once it has been captured.',
        method: 'GET',
        path: '/v1/checkouts/:id/receipt',
        returns: Order,
        handle: (context) => readReceiptByKey(context, context.params.id),
      }),
    ],
    'long',
  ),
}
