// What a capture answers: what has become of an attempt → the order, the redirect, or the refusal that is thrown.

import {
  conflict,
  gatewayError,
  gatewayTimeout,
  notAsExpected,
  paymentNotMade,
  requiresVerification,
} from '../../lib/errors.ts'
import type { Live } from '../checkouts/schema.ts'
import type { CaptureResult } from './prepared.ts'
import type { Settlement } from './settle.ts'
import type { AttemptRow } from './store.ts'

/** Throws what refuses the payment: `gatewayError`, or `requiresVerification` while the shopper is waited for. */
export function answerTo({ gateway }: Pick<AttemptRow, 'gateway'>, settlement: Settlement): CaptureResult {
  switch (settlement.kind) {
    case 'order':
      return settlement
    case 'redirect':
      return {
        kind: 'redirect',
        redirect: {
          payment_redirect: true,
          gateway: gateway ?? '',
          paykey: settlement.payKey,
          redirect_url: settlement.url,
        },
      }
    case 'requires_verification':
      throw requiresVerification(settlement.param)
    case 'declined':
      throw gatewayError(settlement.message)
    case 'failed':
      throw paymentNotMade('The payment gateway has failed, and nothing was paid. Try again, or pay in another way.')
    case 'expired':
      throw paymentNotMade(
        'The payment was not completed in time, and nothing was paid. Send the capture again to pay.',
      )
    case 'too_late':
      throw paymentNotMade(
        'The payment was made after its time was over, and is being given back. Send the capture again to pay.',
      )
  }
}

/** Nothing is held and nothing was charged; `live` is what would have been. */
export const otherTotal = (live: Live) =>
  notAsExpected(
    `expected_total is not what is due: ${live.total_due.formatted_with_code}. Show the totals, and send that once the shopper agrees.`,
    { live },
  )

const RETRY_SECONDS = 2

export const alreadyCaptured = () =>
  conflict('There is an order for this checkout token already, and it was captured with another body.')

export const beingCaptured = () =>
  conflict('This checkout token is being captured at the moment. Send the same capture again shortly.', RETRY_SECONDS)

/** With its cause, which is logged. */
export const notAnswered = (cause: unknown) => Object.assign(gatewayTimeout(RETRY_SECONDS), { cause })
