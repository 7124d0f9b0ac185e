// Thin client of Stripe's API: requests, headers and typed replies. It knows nothing about captures.
// Requests are forms, replies are JSON. Errors contain only the status, never the secret key or parts of a reply.

import type { GatewayCall } from '../call.ts'
import { nothingChargedError, unknownOutcomeError, withNothingCharged } from '../call.ts'
import type { ChargeCall, GatewayPorts } from '../gateway.ts'
import { toProviderUnits } from '../provider/amounts.ts'
import type { ProviderReply } from '../provider/client.ts'
import { NO_DISPUTE_STATUSES } from '../provider/history.ts'
import { objectOrEmpty } from '../provider/json.ts'
import {
  ATTEMPT_METADATA_KEY,
  type Intent,
  REFUND_METADATA_KEY,
  readDispute,
  readError,
  readId,
  readIntent,
  readRefund,
  readStripePage,
  type StripeDispute,
  type StripeError,
  type StripeRefund,
} from './objects.ts'
import { STRIPE_CURRENCIES } from './sums.ts'

/**
 * The last version that accepts `payment_method_types`. Every request names it: otherwise the account's default could change the shapes of
 * replies.
 */
export const STRIPE_VERSION = '2026-08-26.dahlia'
const API_URL = 'https://api.stripe.com'

export type StripeRefusal = { readonly kind: 'refused'; readonly status: number; readonly error: StripeError }

/** `isReplayed`: Stripe repeated its first reply for this idempotency key. */
type Done<T> = { readonly kind: 'done'; readonly object: T; readonly isReplayed: boolean }

/** Stripe also stores its own failures under a key and repeats them for a day. The actual result must be looked up. */
type StoredFailure = { readonly kind: 'stored_failure' }

export type StripeAnswer<T> = Done<T> | StripeRefusal

/**
 * Meaning of a failed request for the charge. `nothing_charged`: it precedes the one that moves money.
 * `as_told`: it moves the money; the client knows if it can have arrived. `open`: it queries or ends a possible earlier charge.
 */
type Failing = 'nothing_charged' | 'as_told' | 'open'

type Fields = Readonly<Record<string, string | number | boolean>>

type ApiRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly fields: Fields
  readonly failing: Failing
  readonly idempotencyKey?: string
  /** A rejected key is then a normal reply. */
  readonly isTrial?: true
}

const EXPAND_CHARGE = { 'expand[]': 'latest_charge' } as const
const PAGE = 100
/** No payment has more refunds than that. */
const MAX_PAGES = 20

export type StripeApi = ReturnType<typeof stripeApi>

export function stripeApi(
  ports: Pick<GatewayPorts, 'http' | 'address'>,
  call: Pick<GatewayCall, 'config' | 'is_sandbox' | 'signal'>,
) {
  async function send<T>(apiRequest: ApiRequest, read: (body: unknown) => T): Promise<StripeAnswer<T> | StoredFailure> {
    // The client throws for such replies, so keep the last one to detect a replayed failure.
    const last: { reply?: ProviderReply } = {}
    const isBusy = (reply: ProviderReply) => {
      last.reply = reply
      return isInUse(reply)
    }
    try {
      const { status, headers, body } = await ports.http({ ...buildRequest(apiRequest), signal: call.signal, isBusy })
      if ((status === 401 || status === 403) && apiRequest.isTrial === undefined) throw keyRejected(status)
      if (status < 200 || status >= 300) return { kind: 'refused', status, error: readError(objectOrEmpty(body).error) }
      return { kind: 'done', object: read(body), isReplayed: headers['idempotent-replayed'] === 'true' }
    } catch (error) {
      const { reply } = last
      if (reply !== undefined && reply.status >= 500 && reply.headers['idempotent-replayed'] === 'true')
        return { kind: 'stored_failure' }
      // Another request works on this payment and may be charging it.
      const isOpen = apiRequest.failing === 'open' || (reply !== undefined && isInUse(reply))
      throw apiRequest.failing === 'as_told' && !isOpen ? error : withNothingCharged(error, !isOpen)
    }
  }

  async function callApi<T>(apiRequest: ApiRequest, read: (body: unknown) => T): Promise<StripeAnswer<T>> {
    const answer = await send(apiRequest, read)
    if (answer.kind === 'stored_failure')
      throw unknownOutcomeError('Stripe repeats the internal error of an earlier call.')
    return answer
  }

  /** Loads an object that must exist. A refusal leaves the outcome open. */
  async function getOrThrow<T>(path: string, fields: Fields, read: (body: unknown) => T): Promise<T> {
    const answer = await callApi({ method: 'GET', path, fields, failing: 'open' }, read)
    if (answer.kind === 'refused') throw requestRefusedError(answer)
    return answer.object
  }

  function buildRequest({ method, path, fields, idempotencyKey }: ApiRequest) {
    const form = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
    const headers = {
      authorization: `Bearer ${secretOf(call)}`,
      'stripe-version': STRIPE_VERSION,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const url = `${ports.address(API_URL)}/v1/${path}`
    return method === 'GET'
      ? ({ method, url: form === '' ? url : `${url}?${form}`, headers } as const)
      : ({ method, url, headers: { ...headers, 'content-type': FORM }, body: form } as const)
  }

  /** `hidden`: statuses that mean we may see nothing. */
  async function listAll<T extends { id: string }>(
    path: string,
    fields: Fields,
    read: (item: unknown) => T,
    hidden: readonly number[] = [],
  ) {
    const all: T[] = []
    for (let page = 1; page <= MAX_PAGES; page++) {
      const lastId = all.at(-1)?.id
      const answer = await callApi(
        {
          ...{ method: 'GET', path, failing: 'open' },
          fields: { ...fields, limit: PAGE, ...(lastId === undefined ? {} : { starting_after: lastId }) },
          ...(hidden.length === 0 ? {} : { isTrial: true }),
        },
        (body) => readStripePage(body, read),
      )
      if (answer.kind === 'refused' && hidden.includes(answer.status)) return all
      if (answer.kind === 'refused') throw requestRefusedError(answer)
      all.push(...answer.object.items)
      if (!answer.object.hasMore) return all
    }
    throw unknownOutcomeError('Stripe lists more entries than are read at once.')
  }

  return {
    /**
     * Creates the intent of a charge, or returns the existing one. The whole body comes from the stored charge, because Stripe compares it
     * with the first request under the key.
     */
    createIntent: (charge: ChargeCall, failing: Failing) =>
      send(
        {
          method: 'POST',
          path: 'payment_intents',
          fields: {
            amount: toProviderUnits(STRIPE_CURRENCIES, charge),
            currency: charge.currency.toLowerCase(),
            // With this method only our server can confirm, also after the bank check. A browser can never confirm the intent.
            confirmation_method: 'manual',
            'payment_method_types[]': 'card',
            description: charge.description,
            [`metadata[${ATTEMPT_METADATA_KEY}]`]: charge.key,
          },
          failing,
          idempotencyKey: charge.key,
        },
        readIntent,
      ),
    getIntent: (id: string): Promise<Intent> => getOrThrow(`payment_intents/${idIn(id)}`, EXPAND_CHARGE, readIntent),
    /** Moves the money, or sets it aside. */
    confirmIntent: (id: string, fields: Fields, failing: Failing): Promise<StripeAnswer<Intent>> =>
      callApi(
        {
          method: 'POST',
          path: `payment_intents/${idIn(id)}/confirm`,
          fields: { ...fields, use_stripe_sdk: true, ...EXPAND_CHARGE },
          failing,
        },
        readIntent,
      ),
    captureIntent: (id: string, units: number): Promise<StripeAnswer<Intent>> =>
      callApi(
        {
          method: 'POST',
          path: `payment_intents/${idIn(id)}/capture`,
          fields: { amount_to_capture: units, ...EXPAND_CHARGE },
          failing: 'open',
        },
        readIntent,
      ),
    cancelIntent: (id: string): Promise<StripeAnswer<Intent>> =>
      callApi(
        {
          method: 'POST',
          path: `payment_intents/${idIn(id)}/cancel`,
          fields: { cancellation_reason: 'abandoned' },
          failing: 'open',
        },
        readIntent,
      ),
    /** Searches by our key. The index is up to an hour behind. Refused where Stripe has no search, as in India. */
    searchIntents: (key: string): Promise<StripeAnswer<readonly Intent[]>> =>
      callApi(
        {
          method: 'GET',
          path: 'payment_intents/search',
          fields: { query: `metadata['${ATTEMPT_METADATA_KEY}']:'${key}'`, limit: 10 },
          failing: 'open',
        },
        (body) => readStripePage(body, readIntent).items,
      ),
    /** Intents created between `from` and `to`, in seconds. */
    listIntents: (from: number, to: number): Promise<readonly Intent[]> =>
      listAll('payment_intents', { 'created[gte]': from, 'created[lte]': to }, readIntent),
    /** Checks if the key is accepted at all. */
    tryKey: (): Promise<StripeAnswer<unknown>> =>
      callApi(
        { method: 'GET', path: 'payment_intents', fields: { limit: 1 }, failing: 'open', isTrial: true },
        (body) => readStripePage(body, readIntent).items,
      ),
    /** Creates a payment method from an older token, which works once. Repeated with the same key, Stripe returns the same result. */
    createMethod: (token: string, key: string): Promise<StripeAnswer<string>> =>
      callApi(
        {
          method: 'POST',
          path: 'payment_methods',
          fields: { type: 'card', 'card[token]': token },
          failing: 'nothing_charged',
          idempotencyKey: `${key}_method`,
        },
        readId,
      ),
    createRefund: (intent: string, units: number, key: string): Promise<StripeAnswer<StripeRefund>> =>
      callApi(
        {
          method: 'POST',
          path: 'refunds',
          fields: { payment_intent: intent, amount: units, [`metadata[${REFUND_METADATA_KEY}]`]: key },
          failing: 'open',
          idempotencyKey: key,
        },
        readRefund,
      ),
    listRefunds: (intent: string): Promise<readonly StripeRefund[]> =>
      listAll('refunds', { payment_intent: intent }, readRefund),
    /** Empty if a restricted key may not see them. */
    listDisputes: (intent: string): Promise<readonly StripeDispute[]> =>
      listAll('disputes', { payment_intent: intent }, readDispute, NO_DISPUTE_STATUSES),
  }
}

const FORM = 'application/x-www-form-urlencoded'

/** Another request uses the key or the intent right now, or a dependency of Stripe failed. */
const isInUse = ({ status, body }: ProviderReply): boolean =>
  status === 409 || status === 424 || (status === 429 && readError(objectOrEmpty(body).error).code === 'lock_timeout')

/** An id becomes part of a path, so it must not lead elsewhere. */
function idIn(id: string): string {
  if (/^\w{1,255}$/.test(id)) return id
  throw unknownOutcomeError('This is not a valid id of Stripe.')
}

type KeyOwner = Pick<GatewayCall, 'config' | 'is_sandbox'>

function secretOf(call: KeyOwner): string {
  const problem = keyProblem(call)
  if (problem !== null) throw nothingChargedError(problem)
  return call.config.secret_key ?? ''
}

/** A sandbox order must never charge a real card. A live order must not be paid by a test card. */
export function keyProblem({ config, is_sandbox }: KeyOwner): string | null {
  const { secret_key: secret } = config
  if (secret === undefined) return 'No secret key is set up for Stripe.'
  const mode = stripeKeyMode(secret)
  return mode === null || mode === (is_sandbox ? 'test' : 'live')
    ? null
    : `The secret key that is set up for Stripe is of its ${mode} mode, and this is ${is_sandbox ? 'the sandbox' : 'a live shop'}.`
}

/** Mode named in the key. */
export const stripeKeyMode = (key: string): 'test' | 'live' | null => {
  const [, mode] = /^\w{2}_(test|live)_/.exec(key) ?? []
  return mode === undefined ? null : (mode as 'test' | 'live')
}

const keyRejected = (status: number) =>
  nothingChargedError(
    `Stripe has refused the secret key that is set up for it (${status}): enter one that is valid and may take payments.`,
  )

export const requestRefusedError = ({ status, error }: StripeRefusal, isNothingCharged = false) =>
  (isNothingCharged ? nothingChargedError : unknownOutcomeError)(
    `Stripe has refused a request (${status}, ${error.code ?? error.type ?? 'no code'}).`,
  )
