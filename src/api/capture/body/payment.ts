// How a capture is paid: what its body says, read, and the gateway that it names, if the merchant has it and it can take money.
// A card goes through here and is left nowhere: no sentence repeats anything of it.

import type { CardInput, PaymentInput, Payments } from '../../../gateways/gateway.ts'
import { gateways } from '../../../gateways/index.ts'
import type { Problems } from '../../../lib/errors.ts'
import { given } from '../../../lib/json.ts'
import { servingRows } from '../../payment-methods/available.ts'
import type { OfferRow } from '../../payment-methods/store.ts'
import type { PreparedCapture } from '../prepared.ts'
import type { SentPayment } from './schema.ts'

/** Null when none was sent. */
export function readPayment(sent: SentPayment | null | undefined): PaymentInput | null {
  if (sent === undefined || sent === null) return null
  const { gateway, card, ...details } = sent
  return { gateway: given(gateway)?.trim() ?? null, card: card ? readCard(card) : null, details }
}

function readCard(card: NonNullable<SentPayment['card']>): CardInput {
  const [month, year] = expiryOf(given(textOf(card.expires)) ?? '')
  return {
    number: given(card.number),
    cvc: given(textOf(card.cvc)),
    expiryMonth: given(textOf(card.expiry_month)) ?? month,
    expiryYear: given(textOf(card.expiry_year)) ?? year,
    postalZipCode: given(textOf(card.postal_zip_code)),
    token: given(card.token),
    nonce: given(textOf(card.nonce)),
  }
}

const textOf = (sent: string | number | null | undefined): string | null =>
  sent === undefined || sent === null ? null : String(sent)

const EXPIRY = /^(\d{1,2})\s{0,2}[/-]?\s{0,2}(\d{4}|\d{2})$/

/** Of `05/30`, `05/2030` and `0530`. What cannot be read is not there: which date a card needs is for the gateway to say. */
function expiryOf(expires: string): [month: string | null, year: string | null] {
  const [, month = null, year = null] = EXPIRY.exec(expires.trim()) ?? []
  return [month, year]
}

type Usable = { code: string; isRepeatable: boolean; serving: readonly OfferRow[] }

/** What is due is above zero, and so a gateway is needed. That none was named is not told here. */
export function chooseGateway(
  payment: PaymentInput,
  { rows, isSandbox, payments }: { rows: readonly OfferRow[]; isSandbox: boolean; payments: Payments },
  problems: Problems,
): PreparedCapture['gateway'] {
  const named = payment.gateway
  if (named === null) return null
  const usable = gateways.flatMap((gateway): Usable[] => {
    const serving = servingRows(gateway, rows, isSandbox)
    if (serving === null || payments.charging(gateway.code) === undefined) return []
    return [{ code: gateway.code, isRepeatable: gateway.isRepeatable, serving }]
  })
  const gateway = usable.find(({ code, serving }) => code === named || serving.some(({ id }) => id === named))
  if (gateway === undefined) {
    const codes = usable.map(({ code }) => code)
    problems.refused(
      'payment.gateway',
      codes.length === 0 ? 'cannot be used: this shop takes no payments yet' : `must be one of ${codes.join(', ')}`,
    )
    return null
  }
  problems.malformedAs(payments.charging(gateway.code)?.problemsOf(payment) ?? {})
  const method = methodOf(gateway, payment, problems)
  return { code: gateway.code, methodId: method?.id ?? null, config: method?.config ?? {} }
}

/** Of several that the merchant has set up of one gateway, the one that is named; the only one need not be. */
function methodOf(
  { code, isRepeatable, serving }: Usable,
  payment: PaymentInput,
  problems: Problems,
): OfferRow | undefined {
  const byGateway = serving.find(({ id }) => id === payment.gateway)
  if (byGateway !== undefined || !isRepeatable) return byGateway ?? serving[0]
  const named = idIn(payment.details[code])
  if (named === null) {
    if (serving.length > 1) problems.malformed(`payment.${code}.id`, `is required: ${accepted(serving)}`)
    return serving[0]
  }
  const method = serving.find(({ id }) => id === named)
  if (method === undefined) problems.refused(`payment.${code}.id`, accepted(serving))
  return method
}

const accepted = (serving: readonly OfferRow[]) => `must be one of ${serving.map(({ id }) => id).join(', ')}`

function idIn(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('id' in details)) return null
  return typeof details.id === 'string' ? given(details.id) : null
}
