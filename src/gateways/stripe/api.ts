// The thin client of Stripe's API: requests, headers, and what its replies are in our words. It knows nothing of captures. Forms go out, JSON comes
// back; neither the secret key nor anything of a reply stands in an error but its status.

import type { GatewayCall } from '../call.ts'
import { nothingCharged, open, toldAs } from '../call.ts'
import type { ChargeCall, GatewayPorts } from '../gateway.ts'
import { unitsOf } from '../provider/amounts.ts'
import type { ProviderReply } from '../provider/client.ts'
import { objectOf } from '../provider/json.ts'
import { SHOWS_NO_DISPUTES } from '../provider/story.ts'
import {
  ATTEMPT,
  type Dispute,
  type Intent,
  REFUND,
  type Refund,
  readDispute,
  readError,
  readId,
  readIntent,
  readPage,
  readRefund,
  type StripeError,
} from './objects.ts'
import { RULES } from './sums.ts'

/** The last version that takes `payment_method_types`; without one in every request the account's own would change shapes under us. */
export const STRIPE_VERSION = '2026-08-26.dahlia'
const OFFICIAL = 'https://api.stripe.com'

export type Refused = { readonly kind: 'refused'; readonly status: number; readonly error: StripeError }

/** `isReplayed`: Stripe has only repeated what it answered the first time under that idempotency key. */
type Done<T> = { readonly kind: 'done'; readonly object: T; readonly isReplayed: boolean }

/** Stripe keeps its own failures under a key too, and will repeat this one for a day. What it has done is to be found in another way. */
type StoredFailure = { readonly kind: 'stored_failure' }

export type Answer<T> = Done<T> | Refused

/**
 * What it means for the charge when a request fails. `nothing_charged`: it comes before the one that moves money. `as_told`: it is the one; the
 * client says whether it can have got there. `open`: it asks, or ends, what may have been charged before.
 */
type Failing = 'nothing_charged' | 'as_told' | 'open'

type Fields = Readonly<Record<string, string | number | boolean>>

type Question = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly fields: Fields
  readonly failing: Failing
  readonly idempotencyKey?: string
  /** That the key is not accepted is an answer. */
  readonly isTrial?: true
}

const EXPANDED = { 'expand[]': 'latest_charge' } as const
const PAGE = 100
/** More refunds than that has no payment. */
const MOST_PAGES = 20

export type StripeApi = ReturnType<typeof stripeApi>

export function stripeApi(
  ports: Pick<GatewayPorts, 'http' | 'address'>,
  call: Pick<GatewayCall, 'config' | 'isSandbox' | 'signal'>,
) {
  async function send<T>(question: Question, read: (body: unknown) => T): Promise<Answer<T> | StoredFailure> {
    // The client throws what is no answer; of a failure we have to know whether it is only repeated.
    const last: { reply?: ProviderReply } = {}
    const isBusy = (reply: ProviderReply) => {
      last.reply = reply
      return isInUse(reply)
    }
    try {
      const { status, headers, body } = await ports.http({ ...requestOf(question), signal: call.signal, isBusy })
      if ((status === 401 || status === 403) && question.isTrial === undefined) throw notLetIn(status)
      if (status < 200 || status >= 300) return { kind: 'refused', status, error: readError(objectOf(body).error) }
      return { kind: 'done', object: read(body), isReplayed: headers['idempotent-replayed'] === 'true' }
    } catch (error) {
      const { reply } = last
      if (reply !== undefined && reply.status >= 500 && reply.headers['idempotent-replayed'] === 'true')
        return { kind: 'stored_failure' }
      // Somebody else is at this very payment, and may be charging it.
      const isOpen = question.failing === 'open' || (reply !== undefined && isInUse(reply))
      throw question.failing === 'as_told' && !isOpen ? error : toldAs(error, !isOpen)
    }
  }

  async function ask<T>(question: Question, read: (body: unknown) => T): Promise<Answer<T>> {
    const answer = await send(question, read)
    if (answer.kind === 'stored_failure') throw open('Stripe repeats a failure of its own.')
    return answer
  }

  /** For what has to be there: a refusal leaves it open what has happened. */
  async function get<T>(path: string, fields: Fields, read: (body: unknown) => T): Promise<T> {
    const answer = await ask({ method: 'GET', path, fields, failing: 'open' }, read)
    if (answer.kind === 'refused') throw refusedQuestion(answer)
    return answer.object
  }

  function requestOf({ method, path, fields, idempotencyKey }: Question) {
    const form = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
    const headers = {
      authorization: `Bearer ${secretOf(call)}`,
      'stripe-version': STRIPE_VERSION,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const url = `${ports.address(OFFICIAL)}/v1/${path}`
    return method === 'GET'
      ? ({ method, url: form === '' ? url : `${url}?${form}`, headers } as const)
      : ({ method, url, headers: { ...headers, 'content-type': FORM }, body: form } as const)
  }

  /** `hidden`: with these statuses there is nothing for us to see. */
  async function listAll<T extends { id: string }>(
    path: string,
    fields: Fields,
    read: (item: unknown) => T,
    hidden: readonly number[] = [],
  ) {
    const all: T[] = []
    for (let page = 1; page <= MOST_PAGES; page++) {
      const after = all.at(-1)?.id
      const answer = await ask(
        {
          ...{ method: 'GET', path, failing: 'open' },
          fields: { ...fields, limit: PAGE, ...(after === undefined ? {} : { starting_after: after }) },
          ...(hidden.length === 0 ? {} : { isTrial: true }),
        },
        (body) => readPage(body, read),
      )
      if (answer.kind === 'refused' && hidden.includes(answer.status)) return all
      if (answer.kind === 'refused') throw refusedQuestion(answer)
      all.push(...answer.object.items)
      if (!answer.object.hasMore) return all
    }
    throw open('Stripe has more to list than could be read.')
  }

  return {
    /**
     * Makes the intent of a charge, or gets the one that it has. All of the body was written down with the charge: Stripe compares it with the
     * first that came under the key.
     */
    createIntent: (charge: ChargeCall, failing: Failing) =>
      send(
        {
          method: 'POST',
          path: 'payment_intents',
          fields: {
            amount: unitsOf(RULES, charge),
            currency: charge.currency.toLowerCase(),
            // Only such an intent waits for us after the bank has asked the shopper; a browser can never confirm it.
            confirmation_method: 'manual',
            'payment_method_types[]': 'card',
            description: charge.description,
            [`metadata[${ATTEMPT}]`]: charge.key,
          },
          failing,
          idempotencyKey: charge.key,
        },
        readIntent,
      ),
    getIntent: (id: string): Promise<Intent> => get(`payment_intents/${idIn(id)}`, EXPANDED, readIntent),
    /** Moves the money, or sets it aside. */
    confirmIntent: (id: string, fields: Fields, failing: Failing): Promise<Answer<Intent>> =>
      ask(
        {
          method: 'POST',
          path: `payment_intents/${idIn(id)}/confirm`,
          fields: { ...fields, use_stripe_sdk: true, ...EXPANDED },
          failing,
        },
        readIntent,
      ),
    captureIntent: (id: string, units: number): Promise<Answer<Intent>> =>
      ask(
        {
          method: 'POST',
          path: `payment_intents/${idIn(id)}/capture`,
          fields: { amount_to_capture: units, ...EXPANDED },
          failing: 'open',
        },
        readIntent,
      ),
    cancelIntent: (id: string): Promise<Answer<Intent>> =>
      ask(
        {
          method: 'POST',
          path: `payment_intents/${idIn(id)}/cancel`,
          fields: { cancellation_reason: 'abandoned' },
          failing: 'open',
        },
        readIntent,
      ),
    /** By our key, in an index that is up to an hour behind. Refused where Stripe has no search, as in India. */
    searchIntents: (key: string): Promise<Answer<readonly Intent[]>> =>
      ask(
        {
          method: 'GET',
          path: 'payment_intents/search',
          fields: { query: `metadata['${ATTEMPT}']:'${key}'`, limit: 10 },
          failing: 'open',
        },
        (body) => readPage(body, readIntent).items,
      ),
    /** All that were made from `from` to `to`, in seconds. */
    listIntents: (from: number, to: number): Promise<readonly Intent[]> =>
      listAll('payment_intents', { 'created[gte]': from, 'created[lte]': to }, readIntent),
    /** Whether the key may be used at all. */
    tryKey: (): Promise<Answer<unknown>> =>
      ask(
        { method: 'GET', path: 'payment_intents', fields: { limit: 1 }, failing: 'open', isTrial: true },
        (body) => readPage(body, readIntent).items,
      ),
    /** Of an older token, which can be used once: asked again, Stripe answers the same. */
    createMethod: (token: string, key: string): Promise<Answer<string>> =>
      ask(
        {
          method: 'POST',
          path: 'payment_methods',
          fields: { type: 'card', 'card[token]': token },
          failing: 'nothing_charged',
          idempotencyKey: `${key}_method`,
        },
        readId,
      ),
    createRefund: (intent: string, units: number, key: string): Promise<Answer<Refund>> =>
      ask(
        {
          method: 'POST',
          path: 'refunds',
          fields: { payment_intent: intent, amount: units, [`metadata[${REFUND}]`]: key },
          failing: 'open',
          idempotencyKey: key,
        },
        readRefund,
      ),
    listRefunds: (intent: string): Promise<readonly Refund[]> =>
      listAll('refunds', { payment_intent: intent }, readRefund),
    /** None where a restricted key may not see them. */
    listDisputes: (intent: string): Promise<readonly Dispute[]> =>
      listAll('disputes', { payment_intent: intent }, readDispute, SHOWS_NO_DISPUTES),
  }
}

const FORM = 'application/x-www-form-urlencoded'

/** Another request holds the key, or the intent, at this moment; or something that Stripe itself depends on has failed. */
const isInUse = ({ status, body }: ProviderReply): boolean =>
  status === 409 || status === 424 || (status === 429 && readError(objectOf(body).error).code === 'lock_timeout')

/** An id goes into an address: nothing in it may lead elsewhere. */
function idIn(id: string): string {
  if (/^\w{1,255}$/.test(id)) return id
  throw open('That is no id of Stripe.')
}

type KeyOwner = Pick<GatewayCall, 'config' | 'isSandbox'>

function secretOf(call: KeyOwner): string {
  const problem = keyProblem(call)
  if (problem !== null) throw nothingCharged(problem)
  return call.config.secret_key ?? ''
}

/** A sandbox order must never charge a real card, nor a live one be paid by a test card. */
export function keyProblem({ config, isSandbox }: KeyOwner): string | null {
  const { secret_key: secret } = config
  if (secret === undefined) return 'Stripe has no secret key here.'
  const mode = modeOf(secret)
  return mode === null || mode === (isSandbox ? 'test' : 'live')
    ? null
    : `The secret key that is set up for Stripe is of its ${mode} mode, and this is ${isSandbox ? 'the sandbox' : 'a live shop'}.`
}

/** As the key itself says. */
export const modeOf = (key: string): 'test' | 'live' | null => {
  const [, mode] = /^\w{2}_(test|live)_/.exec(key) ?? []
  return mode === undefined ? null : (mode as 'test' | 'live')
}

const notLetIn = (status: number) =>
  nothingCharged(
    `Stripe has refused the secret key that is set up for it (${status}): enter one that is valid and may take payments.`,
  )

export const refusedQuestion = ({ status, error }: Refused, isNothingCharged = false) =>
  (isNothingCharged ? nothingCharged : open)(
    `Stripe has refused a request (${status}, ${error.code ?? error.type ?? 'no code'}).`,
  )
