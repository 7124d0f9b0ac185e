// Errors of the API, as one function per mistake. Each sets the HTTP status and type of the reply.
// http/endpoint/errors.ts turns them into bodies; nothing else builds an error body. Problems gathers the mistakes of a request.

import {
  combineRefusals,
  fieldRefusal,
  missingThingRefusal,
  refusal,
  type ShopperRefusal,
  shopperSentence,
  UNSPECIFIC_REFUSAL,
} from './words/refusals.ts'

/** Dotted path of a field → messages about it. */
export type FieldErrors = Record<string, string[]>

/** Dotted path of a field → its shopper message. */
export type ShopperMessagesByField = ReadonlyMap<string, ShopperRefusal>

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
  said?: ShopperRefusal | undefined
  saidByField?: ShopperMessagesByField | undefined
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

/** An expected failure. Anything else that is thrown is a bug and becomes a 500. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly type: ErrorType
  readonly errors: FieldErrors | undefined
  /** Shopper message instead of `message`, on routes for shoppers. Undefined if only a programmer can cause the error. */
  readonly shopperMessage: ShopperRefusal | undefined
  /** Shopper messages by field, for forms that show them beside each field. Undefined if they are not separated. */
  readonly shopperMessagesByField: ShopperMessagesByField | undefined
  /** Code of a gateway's decline, if known: `insufficient_funds`. */
  readonly decline: string | undefined
  /** The field that `message` is about, if there are no `errors`. */
  readonly field: string | undefined
  readonly param: string | undefined
  readonly headers: Record<string, string>
  /** The missing thing of a `not_found`. */
  readonly thing: string | undefined
  /** True if the request is correct and may succeed later. Not set if the status already says so. */
  readonly isPassing: boolean
  /** True if we are overloaded. Nothing is broken, so the stack trace is of no use. */
  readonly isOverload: boolean
  /** Further objects of the body besides the error, by name, in the newest version of the API. The endpoint declares them. */
  readonly shown: Readonly<Record<string, object>>
  /** Part of the error: the object to be changed, in the request's version. */
  readonly current: object | undefined

  constructor(status: number, type: ErrorType, message: string, details: Details = {}) {
    super(message)
    this.status = status
    this.type = type
    this.errors = details.errors
    this.shopperMessage = details.said
    this.shopperMessagesByField = details.saidByField
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

/** The thing does not exist for this caller. The message omits the id, so that a foreign object and an unknown one give the same bytes. */
export const notFound = (thing: string, knownBy = 'id') =>
  new ApiError(404, 'not_found', `There is no ${thing} with that ${knownBy}.`, {
    thing,
    said: missingThingRefusal(thing),
  })

export const routeNotFound = () =>
  new ApiError(404, 'not_found', 'There is nothing at this address. The routes are listed in /openapi.json.')

export const badRequest = (message: string) => new ApiError(400, 'bad_request', message, { said: UNSPECIFIC_REFUSAL })

/** A required query parameter is missing. `name` may list alternatives; `field` is the usual one. */
export const missingParameter = (name: string, field = name) =>
  new ApiError(400, 'bad_request', `The query parameter ${name} is required.`, {
    said: fieldRefusal(field, true),
    field,
  })

export const unauthorized = (message: string) => new ApiError(401, 'unauthorized', message)

/** A shopper's login failed, not an API key. `field` is the submitted credential. */
export const loginRefused = (field: string, message: string, said: ShopperRefusal) =>
  new ApiError(401, 'unauthorized', message, { field, said })

export const forbidden = (message: string) => new ApiError(403, 'forbidden', message)

export const methodNotAllowed = (allowed: readonly string[]) =>
  new ApiError(405, 'method_not_allowed', `This address accepts ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  })

/** `retryAfterSeconds` is set if the same request may succeed later. */
export const conflict = (message: string, retryAfterSeconds?: number, said = UNSPECIFIC_REFUSAL) =>
  new ApiError(409, 'conflict', message, {
    said,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  })

/** The current state, `shown`, differs from the one that the request expects in `field`. The endpoint declares it as `conflict`. */
export const notAsExpected = (
  field: string,
  message: string,
  said: ShopperRefusal,
  shown: Readonly<Record<string, object>>,
) => new ApiError(409, 'conflict', message, { errors: { [field]: [message] }, said, shown })

/** The object has changed since `If-Match`. `etag` is its current name. */
export const changedSinceRead = (current: object, etag: string) =>
  new ApiError(
    409,
    'conflict',
    'The object has changed since you read it, and nothing was written. error.current is its current state; the header ETag names it.',
    { said: UNSPECIFIC_REFUSAL, current, headers: { etag } },
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

/** The gateway has declined and nothing was paid. `reason` is its sentence for the shopper, `decline` its code, if known. */
export const gatewayError = (reason: string, decline?: string) =>
  new ApiError(402, 'gateway_error', reason, { said: refusal('payment_declined', { reason }), decline })

/** Nothing was paid and nobody declined. The shopper may try the same again. */
export const paymentNotMade = (message: string, said: ShopperRefusal) =>
  new ApiError(402, 'gateway_error', message, { isPassing: true, said })

/** The shopper must confirm with the bank. `param` is the value that the gateway's script in the browser needs. */
export const requiresVerification = (param: string) =>
  new ApiError(
    402,
    'requires_verification',
    'The payment has to be confirmed by the shopper. Send the capture again once that is done.',
    { param, isPassing: true, said: refusal('payment_to_confirm') },
  )

/** The gateway has not answered, so it is unknown if something was paid. */
export const gatewayTimeout = (retryAfterSeconds: number) =>
  new ApiError(
    504,
    'gateway_timeout',
    'The payment gateway has not answered. Send the same request again in a moment: it gives the outcome, and nothing is paid twice.',
    { headers: { 'retry-after': String(retryAfterSeconds) }, said: refusal('payment_unknown') },
  )

export const payloadTooLarge = (limit: number) =>
  new ApiError(413, 'payload_too_large', `The request body is larger than the ${limit} bytes accepted here.`, {
    said: UNSPECIFIC_REFUSAL,
    field: 'body',
  })

/** An incoming file from any source is too large. */
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
    { said: UNSPECIFIC_REFUSAL, field: 'body' },
  )

/** The bytes of a file must come unencoded. */
export const unsupportedEncoding = () =>
  new ApiError(415, 'unsupported_media_type', 'Send the bytes of the file as they are, without a Content-Encoding.')

/** The requested range begins after the end of the file. */
export const rangeNotSatisfiable = (size: number) =>
  new ApiError(416, 'range_not_satisfiable', `The file has ${size} bytes. Request a range inside it.`, {
    headers: { 'content-range': `bytes */${size}` },
  })

/** A field is missing or malformed. Set `said` if the field paths do not tell a shopper enough. */
export const unprocessable = (
  errors: FieldErrors,
  said = toShopperMessage(errors),
  saidByField?: ShopperMessagesByField,
) => new ApiError(422, 'unprocessable_entity', summarize(errors), { errors, said, saidByField })

/** The fields are well formed, but a rule refuses them. */
export const notValid = (errors: FieldErrors, said = toShopperMessage(errors), saidByField?: ShopperMessagesByField) =>
  new ApiError(422, 'not_valid', summarize(errors), { errors, said, saidByField })

const toShopperMessage = (errors: FieldErrors): ShopperRefusal =>
  combineRefusals(Object.keys(errors).map((path) => fieldRefusal(path)))

/** A used-up limit: the field of the request, the code of its shopper message, and a note for programmers only. */
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

/** Storefronts show either the message or the field's sentences, so both say when to try again. */
export function tooManyRequests(seconds: number, excess?: Excess): ApiError {
  const headers = { 'retry-after': String(seconds) }
  if (excess === undefined)
    return new ApiError(429, 'too_many_requests', `Too many requests. Try again in ${seconds} seconds.`, {
      headers,
      said: refusal('too_many_requests', { seconds }),
    })
  const shopperMessage = refusal(excess.code, { seconds })
  const sentences = [shopperSentence(shopperMessage), ...(excess.note === undefined ? [] : [excess.note])]
  return new ApiError(429, 'too_many_requests', shopperSentence(shopperMessage), {
    headers,
    said: shopperMessage,
    errors: { [excess.field]: sentences },
  })
}

/** Words for the error of a reached limit: the field that requested the work, and the plural name of the limited things. */
export type LimitWording = { readonly field: string; readonly things: string }

/** The shop already has the maximum number of waiting bulk jobs of this kind. The workers run one bulk job per shop at a time. */
export function tooManyWaiting({ field, things }: LimitWording, maxWaiting: number): ApiError {
  const message = `This shop has ${maxWaiting} ${things} waiting, which is the maximum. Send this again when one of them is done.`
  return new ApiError(429, 'too_many_requests', message, {
    headers: { 'retry-after': '15' },
    errors: { [field]: [message] },
  })
}

/** The checkout accepts no more payments, so waiting does not help. */
export function tooManyCheckoutDeclines(): ApiError {
  const reason = refusal('checkout_spent')
  return new ApiError(429, 'too_many_requests', shopperSentence(reason), {
    said: reason,
    errors: { payment: [shopperSentence(reason)] },
  })
}

const QUOTA_NAMES = { orders: 'orders', carts: 'carts', checkouts: 'checkout tokens' }

/** Things with a limited number in a shop's sandbox. */
export type Quota = keyof typeof QUOTA_NAMES

/** The sandbox has reached the limit, all of it created within a day. The secret key is exempt. */
export const sandboxFull = (kind: Quota) =>
  new ApiError(
    429,
    'too_many_requests',
    `The sandbox of this shop holds the maximum number of ${QUOTA_NAMES[kind]}. Try again in ten minutes, or use the secret key.`,
    { headers: { 'retry-after': '600' }, said: refusal('shop_full', { seconds: 600 }), field: 'request' },
  )

/** Reply to a bug. The request id finds the cause in the log; the reply reveals nothing else. */
export const serverError = (requestId: string) =>
  new ApiError(
    500,
    'server_error',
    `Something went wrong on our side. Please report it with the request id ${requestId}.`,
  )

export const unavailable = (message: string, retryAfterSeconds = 1) =>
  new ApiError(503, 'unavailable', message, { headers: { 'retry-after': String(retryAfterSeconds) } })

/** Nothing was held or charged. `seconds` is the time until the next attempt makes sense. `cause` is logged. */
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

/** Uncommitted changes are rolled back. Committed ones, or a commit in flight, stay. */
export const requestTimedOut = (method: string) => {
  const isRead = method === 'GET' || method === 'HEAD'
  const unknown = isRead ? '' : ' It may have taken effect: check before you send it again.'
  return unavailable(`The request took too long and was stopped.${unknown}`)
}

/** The first sentence is the message, so that a client that shows only `message` still says something useful. */
function summarize(errors: FieldErrors): string {
  const sentences = Object.values(errors).flat()
  const [first = 'The given data was invalid.'] = sentences
  const moreCount = sentences.length - 1
  return moreCount > 0 ? `${first} (and ${moreCount} more ${moreCount === 1 ? 'error' : 'errors'})` : first
}
