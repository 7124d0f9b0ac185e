// What a provider says to a request: what was asked for, or a refusal in words of its own. The rest is thrown (`ProviderClient`).

import { open } from '../call.ts'
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
