// A provider's answer: the requested value, or a refusal in its own words. `ProviderClient` throws for everything else.

import { unknownOutcomeError } from '../call.ts'
import type { ProviderReply } from './client.ts'

export type ProviderAnswer<T, Refusal> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal }

/** Reads the replies of a provider. */
type ReplyReader<T, Refusal> = {
  /** Name of the provider in messages. */
  readonly provider: string
  /** Null if a required field is missing. Then the outcome is unknown. */
  read(body: unknown): T | null
  refusalOf(reply: ProviderReply): Refusal
}

export function readProviderAnswer<T, Refusal>(
  reply: ProviderReply,
  { provider, read, refusalOf }: ReplyReader<T, Refusal>,
): ProviderAnswer<T, Refusal> {
  if (reply.status >= 400) return { ok: false, refusal: refusalOf(reply) }
  const value = read(reply.body)
  if (value === null) throw unknownOutcomeError(`${provider} sent an unexpected reply.`)
  return { ok: true, value }
}

/** The provider rejects the credentials, or they lack a permission. */
export const isForbidden = ({ status }: { readonly status: number }): boolean => status === 401 || status === 403
