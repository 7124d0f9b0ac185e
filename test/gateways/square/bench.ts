// Square's adapter beside the server in Square's place. A token is approved and completed by one call of ours.

import { afterEach, expect } from 'vitest'
import type { ChargeRequest, PaymentInput } from '../../../src/gateways/gateway.ts'
import { squareAdapter } from '../../../src/gateways/square/adapter.ts'
import { NO_PAYMENT } from '../../support/gateways.ts'
import { SQUARE_CONFIG, sign } from '../doubles/square.ts'
import { type Bench, leavesOpen, openBench } from '../every-provider/adapter/bench.ts'
import { openSquareProvider } from '../every-provider/square.ts'

export const payWith = (token: string, more: object = {}): PaymentInput => ({
  ...NO_PAYMENT,
  gateway: 'square',
  details: { square: { token, ...more } },
})

export const OK = 'cnon:card-nonce-ok'
export const MANUAL = { ...SQUARE_CONFIG, capture: 'manual' }
export const CREATE = /^POST \/v2\/payments$/
export const COMPLETE = /complete$/
export const LIST = /^GET \/v2\/payments$/
export const FIND = /^GET \/v2\/payments\/P/

/** Outcome of a charge of 12.34 USD with the card that pays. */
export const PAID = {
  kind: 'charged',
  amount: 1_234,
  currency: 'USD',
  transactionId: expect.stringMatching(/^P\d+$/),
  reference: '1111',
  source: { type: 'card', brand: 'Visa', country: null, zip: '94107' },
}

export async function openSquareBench() {
  const opened = await openBench(openSquareProvider, squareAdapter)
  const { square } = opened.provider
  afterEach(() => {
    square.settings.lists = 'fresh'
    square.settings.pageSize = 100
    Object.assign(square.location, { currency: 'USD', status: 'ACTIVE', capabilities: ['CREDIT_CARD_PROCESSING'] })
  })
  const request = (more: Partial<ChargeRequest> = {}) => opened.request({ payment: payWith(OK), ...more })
  /** A charge that is approved and not completed: its answer was lost. */
  const approved = async () => {
    const charge = request()
    square.trouble('after', { on: CREATE })
    await leavesOpen(opened.adapter().charge(charge))
    return charge
  }
  const bench: Bench = {
    ...opened,
    name: 'Square',
    request,
    // An account takes the currency of its location.
    ready: async (more) => {
      square.location.currency = more?.currency ?? 'USD'
      return request(more)
    },
    pay: (charge) => opened.adapter().charge(charge),
    cancellable: approved,
    paid: PAID,
    steps: {
      begin: [],
      pay: [
        { on: CREATE, done: 'approved', undone: 'unknown', isNothingChargedByLimit: true },
        { on: COMPLETE, done: 'charged', undone: 'approved' },
      ],
      cancel: [LIST, FIND, /^POST \/v2\/payments\/cancel$/],
      refund: [/refunds$/],
      take: [FIND, COMPLETE],
      part: [/^PUT/],
      release: /cancel$/,
    },
    booked: (key) => square.taken(key)[0]?.amount,
    unknownId: 'P-of-another-account',
    forgetKeys: square.forgetKeys,
    telling: {
      signing: { field: 'webhook_signature_key', sign },
      dispute: (id, state) => ({ id: square.dispute(id, state).id, reason: 'no_knowledge' }),
      disputes: [
        ['INQUIRY_EVIDENCE_REQUIRED', 'open'],
        ['INQUIRY_PROCESSING', 'open'],
        ['INQUIRY_CLOSED', 'closed'],
        ['EVIDENCE_REQUIRED', 'open'],
        ['PROCESSING', 'open'],
        ['WON', 'won'],
        ['LOST', 'lost'],
        ['ACCEPTED', 'lost'],
      ],
      hideDisputes: () =>
        square.refuse(/disputes/, { status: 403, code: 'INSUFFICIENT_SCOPES', category: 'AUTHENTICATION_ERROR' }),
      checks: [
        [{}, true, true, /^Square knows the access token \(sandbox\)\. The location "Main" takes cards in USD\.$/],
        [{}, false, false, /^application_id is of the sandbox, and this gateway takes real payments/],
        [{ application_id: 'sq0idp-1' }, true, false, /^application_id is of production/],
        [{ application_id: 'sq0idp-1' }, false, false, /^Square does not know the access token for live payments/],
        [{ access_token: 'wrong' }, true, false, /^Square does not know the access token for sandbox payments/],
        [{ location_id: 'L2' }, true, false, /^The account of the access token has no location with that/],
      ],
    },
    says: {
      tooMuchTaken: /^The amount is more than Square has set aside for this payment\.$/,
      notHeld: /it has expired or was released\.$/,
      refunded: /already refunded at Square\.$/,
      disputed: /^The payment is disputed at its bank/,
      credentials: /^Square does not accept the access token that is set up for it: 401 UNAUTHORIZED\.$/,
    },
  }
  return { ...bench, square, approved }
}

/** Payments of one key, by their states. */
export const statesOf = (rows: readonly { status: string }[]) => rows.map(({ status }) => status)
