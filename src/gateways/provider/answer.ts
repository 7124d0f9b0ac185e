// What a provider says to a request: what was asked for, or a refusal in words of its own. The rest is thrown (`ProviderClient`). And the
// comparison of what it says of a charge with what was asked, which is the same for every gateway.

import { findCurrency } from '../../lib/currencies.ts'
import { decimalText } from '../../lib/money.ts'
import { open, type Sum } from '../call.ts'
import { type Cancelled, type FoundOutcome, isAsAsked } from '../gateway.ts'
import type { ProviderReply } from './client.ts'

export type Answer<T, Refusal> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal }

/** How a provider's replies are read. */
type ReplyReader<T, Refusal> = {
  /** Its name, for sentences. */
  readonly provider: string
  /** Null where something is missing that something depends on: that is no answer, and leaves open what has happened. */
  read(body: unknown): T | null
  refusalOf(reply: ProviderReply): Refusal
}

export function answerOf<T, Refusal>(
  reply: ProviderReply,
  { provider, read, refusalOf }: ReplyReader<T, Refusal>,
): Answer<T, Refusal> {
  if (reply.status >= 400) return { ok: false, refusal: refusalOf(reply) }
  const value = read(reply.body)
  if (value === null) throw open(`${provider} has answered with something else than was asked for.`)
  return { ok: true, value }
}

/** The credentials are not accepted, or may not do this. */
export const isForbidden = ({ status }: { readonly status: number }): boolean => status === 401 || status === 403

/**
 * The outcome of a charge, if it is of the sum that was asked for. Another amount or currency never counts as payment, and is no decline
 * either, because money has moved: what has become of the charge is not known until a person has looked at it.
 */
export function asAsked<Outcome extends FoundOutcome | Cancelled>(outcome: Outcome, asked: Sum): Outcome {
  const confirmed = sumConfirmedBy(outcome)
  if (confirmed === undefined || isAsAsked(confirmed, asked)) return outcome
  throw open(`The provider confirms ${written(confirmed)}, and ${written(asked)} was asked for.`)
}

function sumConfirmedBy(outcome: FoundOutcome | Cancelled): Sum | undefined {
  if (outcome.kind === 'charged' || outcome.kind === 'authorized') return outcome
  return outcome.kind === 'pending' ? outcome.payment : undefined
}

const written = ({ amount, currency }: Sum): string =>
  findCurrency(currency) === undefined
    ? 'a sum without a known currency'
    : `${decimalText(amount, currency)} ${currency}`
