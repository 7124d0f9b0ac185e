// PayPal client: Orders v2, Payments v2 and Disputes v1. It sends requests and reads replies, and decides nothing about a payment.

import { nothingChargedError, unknownOutcomeError } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import type { ProviderReply } from '../provider/client.ts'
import { objectOrEmpty } from '../provider/json.ts'
import { credentialsRefusedError, hostOf, openPaypalTokens, type PaypalAccount, type PaypalTokens } from './token.ts'

export type PaypalMoney = { readonly currency_code: string; readonly value: string }
type Link = { readonly href: string; readonly rel: string }
type RelatedIds = { readonly supplementary_data?: { readonly related_ids?: { readonly order_id?: string } } }

export type PaypalCapture = RelatedIds & {
  readonly id: string
  readonly status: string
  readonly amount?: PaypalMoney
  readonly custom_id?: string
  /** After this capture nothing more of the authorization can be taken. */
  readonly final_capture?: boolean
}

export type PaypalAuthorization = RelatedIds & {
  readonly id: string
  readonly status: string
  readonly amount?: PaypalMoney
}

export type PaypalRefund = {
  readonly id: string
  readonly status: string
  readonly amount?: PaypalMoney
  /** Our key, if we made the refund. */
  readonly invoice_id?: string
  readonly links?: readonly Link[]
}

type PurchaseUnit = {
  readonly amount?: PaypalMoney
  readonly custom_id?: string
  readonly payments?: {
    readonly captures?: readonly PaypalCapture[]
    readonly authorizations?: readonly PaypalAuthorization[]
    readonly refunds?: readonly PaypalRefund[]
  }
}

export type PaypalOrder = {
  readonly id: string
  readonly status: string
  readonly intent?: string
  readonly links?: readonly Link[]
  readonly payer?: { readonly address?: { readonly country_code?: string } }
  readonly purchase_units?: readonly PurchaseUnit[]
}

export type PaypalDispute = {
  readonly dispute_id: string
  readonly status: string
  readonly reason?: string
  readonly dispute_amount?: PaypalMoney
  readonly dispute_outcome?: { readonly outcome_code?: string }
}

export type PaypalRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below the host, ids encoded (`pathOf`). */
  readonly path: string
  /** A request repeated with the same id runs once. */
  readonly requestId?: string
  readonly body?: unknown
}

/** PayPal's reason for a refusal, and the id by which its support finds it. None of it is meant for shoppers. */
export type PaypalRefusal = { readonly status: number; readonly issue: string; readonly debugId: string | null }

export type PaypalApi = {
  /** Returns a success or a refusal with 4xx. Throws for the rest, like `ProviderClient`, and for rejected credentials. */
  request(account: PaypalAccount, question: PaypalRequest): Promise<ProviderReply>
  readonly tokens: PaypalTokens
}

export function openPaypalApi(ports: Pick<GatewayPorts, 'http' | 'address' | 'clock'>): PaypalApi {
  const tokens = openPaypalTokens(ports)

  const send = (account: PaypalAccount, token: string, { method, path, requestId, body }: PaypalRequest) =>
    ports.http({
      method,
      url: ports.address(hostOf(account)) + path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        // Without it the reply has no amount to compare with the requested one.
        ...(method === 'POST' ? { prefer: 'return=representation' } : {}),
        ...(requestId === undefined ? {} : { 'paypal-request-id': requestId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: account.signal,
      isBusy,
    })

  return {
    tokens,
    async request(account, question) {
      const token = await tokens.get(account)
      const reply = await send(account, token, question)
      if (reply.status !== 401) return reply
      // The request was not executed. A token may end early, for example if the secret was replaced.
      tokens.drop(account, token)
      const retryReply = await send(account, await tokens.get(account), question)
      if (retryReply.status === 401) throw credentialsRefusedError(account)
      return retryReply
    },
  }
}

/** Builds a path below the host. The ids come from PayPal, and one from storefronts. */
export const pathOf = (parts: TemplateStringsArray, ...ids: readonly string[]): string =>
  String.raw(parts, ...ids.map(encodeURIComponent))

/** Another request works on this payment. Its result is not known yet. */
const isBusy = (reply: ProviderReply): boolean =>
  reply.status === 409 || (isRefusal(reply) && BUSY.includes(refusalOf(reply).issue))

const BUSY = ['PREVIOUS_REQUEST_IN_PROGRESS', 'ORDER_COMPLETION_IN_PROGRESS', 'TRANSACTION_IN_PROGRESS']

export const isRefusal = ({ status }: ProviderReply): boolean => status >= 400

export function refusalOf({ status, body }: ProviderReply): PaypalRefusal {
  const { name, details, debug_id } = (body ?? {}) as {
    name?: string
    details?: readonly { issue?: string }[]
    debug_id?: string
  }
  const issue = details?.[0]?.issue ?? name ?? 'UNKNOWN'
  return { status, issue: String(issue), debugId: typeof debug_id === 'string' ? debug_id : null }
}

/** Message for the operator's log. */
export const describePaypalRefusal = ({ status, issue, debugId }: PaypalRefusal): string =>
  `PayPal refused with ${status} ${issue}${debugId === null ? '' : ` (debug id ${debugId})`}.`

/** Reads the resource of a success: every object has an id and a status. Without them the outcome is unknown. */
export function readResource<T extends { readonly id: string; readonly status: string }>({
  body,
  status,
}: ProviderReply): T {
  const { id, status: state } = objectOrEmpty(body)
  if (typeof id === 'string' && typeof state === 'string') return body as T
  throw unknownOutcomeError(`PayPal answered with ${status} and an unexpected body.`)
}

/** Returns the order; null if PayPal does not know it, or not any more. Throws for other refusals. */
export async function findPaypalOrder(
  { request }: PaypalApi,
  account: PaypalAccount,
  id: string,
): Promise<PaypalOrder | null> {
  const reply = await request(account, { method: 'GET', path: pathOf`/v2/checkout/orders/${id}` })
  return readIfExists<PaypalOrder>(account, reply)
}

export const findCapture = async (
  { request }: PaypalApi,
  account: PaypalAccount,
  id: string,
): Promise<PaypalCapture | null> =>
  readIfExists<PaypalCapture>(
    account,
    await request(account, { method: 'GET', path: pathOf`/v2/payments/captures/${id}` }),
  )

export const findAuthorization = async (
  { request }: PaypalApi,
  account: PaypalAccount,
  id: string,
): Promise<PaypalAuthorization | null> =>
  readIfExists<PaypalAuthorization>(
    account,
    await request(account, { method: 'GET', path: pathOf`/v2/payments/authorizations/${id}` }),
  )

function readIfExists<T extends { readonly id: string; readonly status: string }>(
  account: PaypalAccount,
  reply: ProviderReply,
): T | null {
  if (reply.status === 404) return null
  if (isRefusal(reply)) throw paypalUnavailable(account, refusalOf(reply), false)
  return readResource<T>(reply)
}

/** Error for a refusal that says nothing about the payment. With 403 the message points to the permissions of the credentials. */
export function paypalUnavailable(
  account: Pick<PaypalAccount, 'is_sandbox'>,
  refusal: PaypalRefusal,
  isNothingCharged: boolean,
) {
  const mode = account.is_sandbox ? 'sandbox' : 'live'
  const hint = refusal.status === 403 ? ` Check the permissions of the gateway paypal’s application (${mode}).` : ''
  return (isNothingCharged ? nothingChargedError : unknownOutcomeError)(describePaypalRefusal(refusal) + hint)
}
