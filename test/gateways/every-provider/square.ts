// Square, for the tests that are the same for every provider.

import { openSquare, SQUARE_CONFIG, sign } from '../doubles/square.ts'
import type { Money, Row } from '../doubles/square-ledger.ts'
import { type About, type Capture, type Messages, type Provider, payBy, standIn } from './provider.ts'

const OK = payBy('square', { token: 'cnon:card-nonce-ok' })

export async function openSquareProvider(now: () => Date): Promise<Provider & { square: typeof square }> {
  const square = await openSquare(now)
  const rowOf = (id: string) => square.payments.get(id) as Row
  const write = (id: string, changes: object) => void square.payments.set(id, { ...rowOf(id), ...changes })
  const refundsOf = (id: string) => [...square.refunds.values()].filter(({ payment_id }) => payment_id === id)

  const paymentTold = ({ key, id }: About) => square.payments.get(id) ?? { id, reference_id: key }
  const messages: Messages = {
    moved: (about) => ['payment.updated', { payment: paymentTold(about) }],
    failed: (about) => ['payment.updated', { payment: { ...paymentTold(about), status: 'FAILED' } }],
    refunded: ({ key, id, refund }) => {
      const reason = key === null ? {} : { reason: `Refund ${key}` }
      return ['refund.updated', { refund: { id: refund, payment_id: id, ...reason } }]
    },
    disputed: ({ id }) => ['dispute.state.updated', { dispute: { disputed_payment: { payment_id: id } } }],
  }

  return {
    square,
    code: 'square',
    config: SQUARE_CONFIG,
    secret: { name: 'access_token', revoked: 'EAAA-revoked-000000000000' },
    ...standIn(square),
    taking: /complete$/,
    answeredAt: 'capture.charged',
    ready: async () => OK,
    decline: async () => payBy('square', { token: 'cnon:card-nonce-declined' }),
    takesHeld: /complete$/,
    shows: { application_id: SQUARE_CONFIG.application_id, location_id: 'L1' },
    // There is nothing that a shopper could leave: an approval whose answer is lost, and whose time ends.
    leave: async (capture: Capture) => {
      square.trouble('after', { on: /^POST \/v2\/payments$/ })
      await capture(OK)
    },
    paymentOf: (key) => square.of(key).at(-1)?.id ?? '',
    takenOf: (key) => square.taken(key).length,
    givenBack: (id) => refundsOf(id).map(({ amount_money }) => amount_money.amount),
    payLate: (key) => {
      const { id } = square.of(key)[0] as Row
      write(id, { status: 'COMPLETED' })
      return id
    },
    refundByHand: (id, amount) => square.refundByHand(id, amount).id,
    failRefunds: (id) => {
      for (const refund of refundsOf(id)) square.settleRefund(refund.id, 'FAILED')
      return refundsOf(id).at(-1)?.id ?? ''
    },
    dispute: (id) => {
      const dispute = square.dispute(id, 'EVIDENCE_REQUIRED')
      return { lose: () => void Object.assign(dispute, { state: 'LOST' }) }
    },
    takeByHand: (id, amount) => {
      const { currency } = rowOf(id).total_money as Money
      write(id, { status: 'COMPLETED', total_money: { amount, currency } })
    },
    holds: (id) => rowOf(id).status === 'APPROVED',
    endHold: (id) => write(id, { status: 'CANCELED' }),
    isHoldTold: true,
    message: (told, about, url) => sign(square.message(...messages[told](about)).body, { url }),
    secrets: /EAAA|square_signature_key|cnon:/,
  }
}
