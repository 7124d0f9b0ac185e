// Requests to PayPal and what its replies hold. Orders v2, Payments v2, Disputes v1. Nothing here decides what a reply means for a payment.

import { nothingCharged, open } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import type { ProviderReply } from '../provider/client.ts'
import { objectOf } from '../provider/json.ts'
import { type Account, hostOf, openTokens, refusedCredentials, type Tokens } from './token.ts'

export type Money = { readonly currency_code: string; readonly value: string }
type Link = { readonly href: string; readonly rel: string }
type RelatedIds = { readonly supplementary_data?: { readonly related_ids?: { readonly order_id?: string } } }

export type Capture = RelatedIds & {
  readonly id: string
  readonly status: string
  readonly amount?: Money
  readonly custom_id?: string
  /** Nothing more of what was set aside can be taken after it. */
  readonly final_capture?: boolean
}

export type Authorization = RelatedIds & { readonly id: string; readonly status: string; readonly amount?: Money }

export type Refund = {
  readonly id: string
  readonly status: string
  readonly amount?: Money
  /** Ours, where it was made from here. */
  readonly invoice_id?: string
  readonly links?: readonly Link[]
}

type PurchaseUnit = {
  readonly amount?: Money
  readonly custom_id?: string
  readonly payments?: {
    readonly captures?: readonly Capture[]
    readonly authorizations?: readonly Authorization[]
    readonly refunds?: readonly Refund[]
  }
}

export type Order = {
  readonly id: string
  readonly status: string
  readonly intent?: string
  readonly links?: readonly Link[]
  readonly payer?: { readonly address?: { readonly country_code?: string } }
  readonly purchase_units?: readonly PurchaseUnit[]
}

export type Dispute = {
  readonly dispute_id: string
  readonly status: string
  readonly reason?: string
  readonly dispute_amount?: Money
  readonly dispute_outcome?: { readonly outcome_code?: string }
}

export type Question = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below the host, ids encoded (`pathOf`). */
  readonly path: string
  /** Asked again with the same one, it is done once. */
  readonly requestId?: string
  readonly body?: unknown
}

/** What PayPal calls the reason of a refusal, and by what its support finds it. No word of it is meant for shoppers. */
export type Refusal = { readonly status: number; readonly issue: string; readonly debugId: string | null }

export type Api = {
  /** A success, or a refusal with 4xx. The rest is thrown, as `ProviderClient` says; also credentials that are refused. */
  ask(account: Account, question: Question): Promise<ProviderReply>
  readonly tokens: Tokens
}

export function openApi(ports: Pick<GatewayPorts, 'http' | 'address' | 'clock'>): Api {
  const tokens = openTokens(ports)

  const send = (account: Account, token: string, { method, path, requestId, body }: Question) =>
    ports.http({
      method,
      url: ports.address(hostOf(account)) + path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        // Otherwise a reply has no amount in it to compare with what was asked.
        ...(method === 'POST' ? { prefer: 'return=representation' } : {}),
        ...(requestId === undefined ? {} : { 'paypal-request-id': requestId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: account.signal,
      isBusy,
    })

  return {
    tokens,
    async ask(account, question) {
      const token = await tokens.of(account)
      const reply = await send(account, token, question)
      if (reply.status !== 401) return reply
      // It was not executed. A token may end before its time: when the secret was replaced, say.
      tokens.drop(account, token)
      const again = await send(account, await tokens.of(account), question)
      if (again.status === 401) throw refusedCredentials(account)
      return again
    },
  }
}

/** An address below the host. Ids come from PayPal, and one from storefronts. */
export const pathOf = (parts: TemplateStringsArray, ...ids: readonly string[]): string =>
  String.raw(parts, ...ids.map(encodeURIComponent))

/** Somebody else is at this very payment: what comes of that is not known yet. */
const isBusy = (reply: ProviderReply): boolean =>
  reply.status === 409 || (isRefusal(reply) && BUSY.includes(refusalOf(reply).issue))

const BUSY = ['PREVIOUS_REQUEST_IN_PROGRESS', 'ORDER_COMPLETION_IN_PROGRESS', 'TRANSACTION_IN_PROGRESS']

export const isRefusal = ({ status }: ProviderReply): boolean => status >= 400

export function refusalOf({ status, body }: ProviderReply): Refusal {
  const { name, details, debug_id } = (body ?? {}) as {
    name?: string
    details?: readonly { issue?: string }[]
    debug_id?: string
  }
  const issue = details?.[0]?.issue ?? name ?? 'UNKNOWN'
  return { status, issue: String(issue), debugId: typeof debug_id === 'string' ? debug_id : null }
}

/** For the log of whoever runs the shop. */
export const sentenceOf = ({ status, issue, debugId }: Refusal): string =>
  `PayPal refused with ${status} ${issue}${debugId === null ? '' : ` (debug id ${debugId})`}.`

/** What a success holds: every object has an id and a status. Anything else leaves open what has happened. */
export function resourceIn<T extends { readonly id: string; readonly status: string }>({
  body,
  status,
}: ProviderReply): T {
  const { id, status: state } = objectOf(body)
  if (typeof id === 'string' && typeof state === 'string') return body as T
  throw open(`PayPal answered with ${status} and something else than was asked for.`)
}

/** The order; null where PayPal does not know it, or not any more. Throws at any other refusal. */
export async function findOrder({ ask }: Api, account: Account, id: string): Promise<Order | null> {
  const reply = await ask(account, { method: 'GET', path: pathOf`/v2/checkout/orders/${id}` })
  return found<Order>(account, reply)
}

export const findCapture = async ({ ask }: Api, account: Account, id: string): Promise<Capture | null> =>
  found<Capture>(account, await ask(account, { method: 'GET', path: pathOf`/v2/payments/captures/${id}` }))

export const findAuthorization = async ({ ask }: Api, account: Account, id: string): Promise<Authorization | null> =>
  found<Authorization>(account, await ask(account, { method: 'GET', path: pathOf`/v2/payments/authorizations/${id}` }))

function found<T extends { readonly id: string; readonly status: string }>(
  account: Account,
  reply: ProviderReply,
): T | null {
  if (reply.status === 404) return null
  if (isRefusal(reply)) throw unavailable(account, refusalOf(reply), false)
  return resourceIn<T>(reply)
}

/** A refusal that says nothing of the payment. The credentials, where it is about what they may do. */
export function unavailable(account: Pick<Account, 'isSandbox'>, refusal: Refusal, isNothingCharged: boolean) {
  const mode = account.isSandbox ? 'sandbox' : 'live'
  const hint = refusal.status === 403 ? ` Look at what the application of the gateway paypal (${mode}) may do.` : ''
  return (isNothingCharged ? nothingCharged : open)(sentenceOf(refusal) + hint)
}
