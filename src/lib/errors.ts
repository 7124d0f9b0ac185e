// Errors are named functions of the mistake; each carries the HTTP status and type it is answered with.
// http/endpoint/errors.ts turns them into bodies; nothing else builds an error body. Problems gathers what is wrong with a request.

import { fieldRefusal, goneRefusal, inOne, NOT_RIGHT, type Refusal, refusal, sentenceOf } from './words/refusals.ts'

/** Dotted path of a field → the sentences that say what is wrong with it. */
export type FieldErrors = Record<string, string[]>

/** Dotted path of a field → what a shopper is told of it. */
export type SaidByField = ReadonlyMap<string, Refusal>

export type ErrorType =
  | 'bad_request'
  | 'unauthorized'
  | 'second_factor'
  | 'account_limitation'
  | 'gateway_error'
  | 'requires_verification'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'unprocessable_entity'
  | 'not_valid'
  | 'too_many_requests'
  | 'headers_too_large'
  | 'server_error'
  | 'unavailable'
  | 'gateway_timeout'

type Details = {
  errors?: FieldErrors
  said?: Refusal | undefined
  saidByField?: SaidByField | undefined
  decline?: string | undefined
  field?: string
  param?: string
  headers?: Record<string, string>
  thing?: string
  isPassing?: boolean
  isOverload?: boolean
  shown?: Readonly<Record<string, object>>
  current?: object
}

/** An expected failure. Anything else that is thrown is a bug and is answered as a 500. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly type: ErrorType
  readonly errors: FieldErrors | undefined
  /** What a shopper is told instead of `message`, where the route is open to shoppers. Undefined: only a programmer can have caused it. */
  readonly said: Refusal | undefined
  /** The same of each field by itself, for who shows it beside the field; undefined where nobody has told them apart. */
  readonly saidByField: SaidByField | undefined
  /** Why a gateway has declined, by its code, where it has said so: `insufficient_funds`. */
  readonly decline: string | undefined
  /** The field that `message` is about, where no `errors` say it. */
  readonly field: string | undefined
  readonly param: string | undefined
  readonly headers: Record<string, string>
  /** What is missing, of a `not_found`. */
  readonly thing: string | undefined
  /** Nothing is wrong with the request: sent again, it may well succeed. What the status says already is not repeated here. */
  readonly isPassing: boolean
  /** More was asked than we can do at once: nothing is broken, and where it was thrown says nothing. */
  readonly isOverload: boolean
  /** What the body carries beside the error, by name: things of the API, in their newest form. The endpoint declares them. */
  readonly shown: Readonly<Record<string, object>>
  /** Inside of the error: the object that was to be changed, as the request's version shows it. */
  readonly current: object | undefined

  constructor(status: number, type: ErrorType, message: string, details: Details = {}) {
    super(message)
    this.status = status
    this.type = type
    this.errors = details.errors
    this.said = details.said
    this.saidByField = details.saidByField
    this.decline = details.decline
    this.field = details.field
    this.param = details.param
    this.headers = details.headers ?? {}
    this.thing = details.thing
    this.isPassing = details.isPassing ?? false
    this.isOverload = details.isOverload ?? false
    this.shown = details.shown ?? {}
    this.current = details.current
  }
}

/** The thing does not exist for this caller. The id is left out, so that a foreign object and an unknown one give the same bytes. */
export const notFound = (thing: string, knownBy = 'id') =>
  new ApiError(404, 'not_found', `There is no ${thing} with that ${knownBy}.`, { thing, said: goneRefusal(thing) })

export const routeNotFound = () =>
  new ApiError(404, 'not_found', 'There is nothing at this address. The routes are listed in /openapi.json.')

export const badRequest = (message: string) => new ApiError(400, 'bad_request', message, { said: NOT_RIGHT })

/** A query lacks what it cannot do without. `name` may name alternatives, of which `field` is the usual one. */
export const missingParameter = (name: string, field = name) =>
  new ApiError(400, 'bad_request', `The query parameter ${name} is required.`, {
    said: fieldRefusal(field, true),
    field,
  })

export const unauthorized = (message: string) => new ApiError(401, 'unauthorized', message)

/** A shopper's login is refused, and not somebody's key. `field`: what was sent for it. */
export const loginRefused = (field: string, message: string, said: Refusal) =>
  new ApiError(401, 'unauthorized', message, { field, said })

export const forbidden = (message: string) => new ApiError(403, 'forbidden', message)

export const methodNotAllowed = (allowed: readonly string[]) =>
  new ApiError(405, 'method_not_allowed', `This address accepts ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  })

/** `retryAfterSeconds`: where the same request may succeed later. */
export const conflict = (message: string, retryAfterSeconds?: number, said = NOT_RIGHT) =>
  new ApiError(409, 'conflict', message, {
    said,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  })

/** Things are not as the request says that they should be; `shown` is how they are. The endpoint declares it as `conflict`. */
export const notAsExpected = (field: string, message: string, said: Refusal, shown: Readonly<Record<string, object>>) =>
  new ApiError(409, 'conflict', message, { field, said, shown })

/** It is no longer what `If-Match` names: somebody else has changed it. `etag`: what it is named now. */
export const changedMeanwhile = (current: object, etag: string) =>
  new ApiError(
    409,
    'conflict',
    'It has changed since it was read, and nothing was written. error.current is what it is now; the header ETag names it.',
    { said: NOT_RIGHT, current, headers: { etag } },
  )

/** The merchant's account has been disabled. */
export const accountLimitation = () =>
  new ApiError(
    402,
    'account_limitation',
    'The account of this shop is disabled: nothing can be bought at the moment.',
    {
      isPassing: true,
      said: refusal('shop_closed'),
    },
  )

/** The gateway has declined: nothing was paid. `reason` is its sentence for the shopper, `decline` its code, where it is known. */
export const gatewayError = (reason: string, decline?: string) =>
  new ApiError(402, 'gateway_error', reason, { said: refusal('payment_declined', { reason }), decline })

/** Nothing was paid, and nobody has declined: the same may be tried again. */
export const paymentNotMade = (message: string, said: Refusal) =>
  new ApiError(402, 'gateway_error', message, { isPassing: true, said })

/** The shopper has to confirm with the bank; `param` is what the gateway's part in the browser needs for that. */
export const requiresVerification = (param: string) =>
  new ApiError(
    402,
    'requires_verification',
    'The payment has to be confirmed by the shopper. Send the capture again once that is done.',
    { param, isPassing: true, said: refusal('payment_to_confirm') },
  )

/** The gateway has not answered: whether something was paid is not known yet. */
export const gatewayTimeout = (retryAfterSeconds: number) =>
  new ApiError(
    504,
    'gateway_timeout',
    'The payment gateway has not answered. Send the same request again in a moment: it gives the outcome, and nothing is paid twice.',
    { headers: { 'retry-after': String(retryAfterSeconds) }, said: refusal('payment_unknown') },
  )

export const payloadTooLarge = (limit: number) =>
  new ApiError(413, 'payload_too_large', `The request body is larger than the ${limit} bytes accepted here.`, {
    said: NOT_RIGHT,
    field: 'body',
  })

/** A file on its way in, wherever it comes from. */
export const fileTooLarge = (limit: number) =>
  new ApiError(
    413,
    'payload_too_large',
    `The file is larger than the ${limit / 1_048_576} MB (${limit} bytes) accepted here.`,
  )

export const unsupportedMediaType = () =>
  new ApiError(
    415,
    'unsupported_media_type',
    'Send the body as JSON in UTF-8, with the header Content-Type: application/json.',
    { said: NOT_RIGHT, field: 'body' },
  )

/** The bytes of a file must come as they are. */
export const unsupportedEncoding = () =>
  new ApiError(415, 'unsupported_media_type', 'Send the bytes of the file as they are, without a Content-Encoding.')

/** A range was asked for that begins behind the end of the file. */
export const rangeNotSatisfiable = (size: number) =>
  new ApiError(416, 'range_not_satisfiable', `The file has ${size} bytes; the range asked for lies outside of it.`, {
    headers: { 'content-range': `bytes */${size}` },
  })

/** A field is missing or badly formed. `said`: unless the paths of the fields say enough to a shopper. */
export const unprocessable = (errors: FieldErrors, said = saidOf(errors), saidByField?: SaidByField) =>
  new ApiError(422, 'unprocessable_entity', summarize(errors), { errors, said, saidByField })

/** The fields are well formed, but a rule refuses them. */
export const notValid = (errors: FieldErrors, said = saidOf(errors), saidByField?: SaidByField) =>
  new ApiError(422, 'not_valid', summarize(errors), { errors, said, saidByField })

const saidOf = (errors: FieldErrors): Refusal => inOne(Object.keys(errors).map((path) => fieldRefusal(path)))

/** What was asked for too often: the field that asks for it, what a shopper is told, and what only a programmer needs to know. */
export type Excess = {
  readonly field: string
  readonly code:
    | 'too_many_login_links'
    | 'too_many_logins'
    | 'too_many_codes'
    | 'too_many_email_changes'
    | 'too_many_declines'
    | 'too_many_requests'
  readonly note?: string
}

/** Storefronts show either the message or the sentences of the field: both say when to try again. */
export function tooManyRequests(seconds: number, excess?: Excess): ApiError {
  const headers = { 'retry-after': String(seconds) }
  if (excess === undefined)
    return new ApiError(429, 'too_many_requests', `Too many requests. Try again in ${seconds} seconds.`, {
      headers,
      said: refusal('too_many_requests', { seconds }),
    })
  const said = refusal(excess.code, { seconds })
  const sentences = [sentenceOf(said), ...(excess.note === undefined ? [] : [excess.note])]
  return new ApiError(429, 'too_many_requests', sentenceOf(said), {
    headers,
    said,
    errors: { [excess.field]: sentences },
  })
}

/** The field that asks for bulk work, and the plural of it. */
export type BulkRequest = { readonly field: string; readonly things: string }

/** Bulk work of a shop is done one after the other, and as much of it waits as may. */
export function tooManyWaiting({ field, things }: BulkRequest, most: number): ApiError {
  const message = `This shop has ${most} ${things} waiting, and no more may wait. Send this again when one of them is done.`
  return new ApiError(429, 'too_many_requests', message, {
    headers: { 'retry-after': '15' },
    errors: { [field]: [message] },
  })
}

/** The token takes no payment any more, so there is nothing to wait for. */
export function checkoutSpent(): ApiError {
  const said = refusal('checkout_spent')
  return new ApiError(429, 'too_many_requests', sentenceOf(said), { said, errors: { payment: [sentenceOf(said)] } })
}

const FULL = { orders: 'orders', carts: 'carts', checkouts: 'checkout tokens' }

/** What a shop's sandbox may hold only so much of. */
export type Quota = keyof typeof FULL

/** A shop's sandbox holds as much as it may, all of it made within a day. The secret key is not refused. */
export const sandboxFull = (kind: Quota) =>
  new ApiError(
    429,
    'too_many_requests',
    `The sandbox of this shop holds as many ${FULL[kind]} as it may. Try again in ten minutes, or use the secret key.`,
    { headers: { 'retry-after': '600' }, said: refusal('shop_full', { seconds: 600 }), field: 'request' },
  )

/** The answer to a bug: the request id finds the cause in the log; nothing else leaves the house. */
export const serverError = (requestId: string) =>
  new ApiError(
    500,
    'server_error',
    `Something went wrong on our side. Please report it with the request id ${requestId}.`,
  )

export const unavailable = (message: string, retryAfterSeconds = 1) =>
  new ApiError(503, 'unavailable', message, { headers: { 'retry-after': String(retryAfterSeconds) } })

/** Nothing was held and nothing was charged. `seconds`: after which it is worth a try. The cause is what is logged. */
export const providerDown = (cause: Error & { readonly seconds: number }) =>
  Object.assign(
    new ApiError(
      503,
      'unavailable',
      'The payment provider does not answer at the moment. Nothing was paid. Pay in another way, or try again later.',
      { headers: { 'retry-after': String(cause.seconds) }, said: refusal('payment_provider_down') },
    ),
    { cause },
  )

export const overloaded = (message: string) =>
  new ApiError(503, 'unavailable', message, { headers: { 'retry-after': '1' }, isOverload: true })

/** What is not committed by then is never committed; what was, or was on its way, stays. */
export const tookTooLong = (method: string) => {
  const isRead = method === 'GET' || method === 'HEAD'
  const unknown = isRead ? '' : ' Whether it took effect is not known: look before you send it again.'
  return unavailable(`The request took too long and was given up.${unknown}`)
}

/** The first sentence is the message, so that a client that shows only `message` still says something useful. */
function summarize(errors: FieldErrors): string {
  const sentences = Object.values(errors).flat()
  const [first = 'The given data was invalid.'] = sentences
  const more = sentences.length - 1
  return more > 0 ? `${first} (and ${more} more ${more === 1 ? 'error' : 'errors'})` : first
}
