// A server in PayPal's place. Every request is held against the published specification, and what breaks it is refused and kept. What it knows of payments: paypal-books.ts. What it tells by itself: paypal-messages.ts.

import { randomBytes } from 'node:crypto'
import { LONGEST_REQUEST_ID, QUERIES, REQUESTS, TAKES_REQUEST_ID } from '../specifications/paypal.ts'
import { nothing, violations } from '../specifications/shape.ts'
import { type DoubleReply, type DoubleRequest, openDouble } from './double.ts'
import { type CaptureBook, type DisputeBook, type Money, type OrderBook, openBooks, Refused } from './paypal-books.ts'
import { openSigner } from './paypal-messages.ts'

export const CONFIG = { client_id: 'AYSq3RDGsmBLJE-otTkBtM', client_secret: 'EGnHDxD_qRPdaLdZz8iCr8N7' }
/** Those of another account, which PayPal knows for live. */
export const LIVE_CONFIG = { client_id: 'ALiveClient7Kq', client_secret: 'ELiveSecret9Zx' }
export const WEBHOOK_ID = '1JE4291016473214C'
const PAYER = { email_address: 'buyer@example.com', payer_id: 'QYR5Z8XDVJNXQ', address: { country_code: 'US' } }
const TOKEN_SECONDS = 32_400

export async function openPayPal(now: () => Date) {
  const books = openBooks()
  const tokens = new Set<string>()
  const mistakes: string[] = []
  /** By request id: what was made by it, or refused. */
  const answered = new Map<string, () => DoubleReply>()
  let base = ''
  let maySeeDisputes = true
  let tokenCount = 0

  const link = (rel: string, path: string, method = 'GET') => ({ rel, href: `${base}${path}`, method })
  const captureLink = (id: string) => link('up', `/v2/payments/captures/${id}`)
  const relatedTo = ({ id }: OrderBook) => ({ supplementary_data: { related_ids: { order_id: id } } })
  const viewCapture = (order: OrderBook, capture: CaptureBook) => ({ ...capture, ...relatedTo(order) })

  function viewOrder(order: OrderBook) {
    const { id, status, intent, amount, custom_id, invoice_id, description, captures, authorizations, refunds } = order
    const isOpen = status === 'PAYER_ACTION_REQUIRED'
    const approval = { href: `https://www.sandbox.paypal.com/checkoutnow?token=${id}`, method: 'GET' }
    return {
      id,
      status,
      intent,
      ...(order.isApproved ? { payer: PAYER } : {}),
      purchase_units: [
        {
          reference_id: 'default',
          amount,
          custom_id,
          invoice_id,
          description,
          ...(captures.length + authorizations.length === 0 ? {} : { payments: { captures, authorizations, refunds } }),
        },
      ],
      links: [link('self', `/v2/checkout/orders/${id}`), ...(isOpen ? [{ ...approval, rel: 'payer-action' }] : [])],
    }
  }

  const viewDispute = ({ captureId: _, outcome_code, ...dispute }: DisputeBook) => dispute

  function giveToken({ headers }: DoubleRequest, is_sandbox: boolean, text: string): DoubleReply {
    const { client_id: id, client_secret: secret } = is_sandbox ? CONFIG : LIVE_CONFIG
    if (text !== 'grant_type=client_credentials' || headers['content-type'] !== 'application/x-www-form-urlencoded')
      mistakes.push('The request for a token is not as it should be.')
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    if (headers.authorization !== basic)
      return { status: 401, body: { error: 'invalid_client', error_description: 'Client Authentication failed' } }
    const token = `A21AA${randomBytes(12).toString('hex')}${is_sandbox ? '' : 'L'}`
    tokens.add(token)
    tokenCount++
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS } }
  }

  type Operation = (id: string, body: never, request: DoubleRequest) => DoubleReply

  const operations: Readonly<Record<string, Operation>> = {
    'POST /v2/checkout/orders': (_, body: OrderRequest) => {
      const [unit] = body.purchase_units
      return { status: 200, body: viewOrder(books.create({ intent: body.intent, ...unit })) }
    },
    'GET /v2/checkout/orders/{id}': (id) => ({ status: 200, body: viewOrder(books.orderOf(id)) }),
    'PATCH /v2/checkout/orders/{id}': (id, body) => {
      books.patch(id, body)
      return { status: 204 }
    },
    'POST /v2/checkout/orders/{id}/capture': (id) => ({ status: 201, body: viewOrder(books.complete(id, 'CAPTURE')) }),
    'POST /v2/checkout/orders/{id}/authorize': (id) => ({
      status: 201,
      body: viewOrder(books.complete(id, 'AUTHORIZE')),
    }),
    'GET /v2/payments/authorizations/{id}': (id) => {
      const { order, found } = books.authorizationOf(id)
      return { status: 200, body: { ...found, ...relatedTo(order) } }
    },
    'POST /v2/payments/authorizations/{id}/capture': (id, body: { amount?: Money; final_capture?: boolean }) => {
      const { order, capture } = books.take(id, body.amount, body.final_capture === true)
      return { status: 201, body: viewCapture(order, capture) }
    },
    'POST /v2/payments/authorizations/{id}/void': (id) => ({ status: 200, body: books.void(id) }),
    'GET /v2/payments/captures/{id}': (id) => {
      const { order, found } = books.captureOf(id)
      return { status: 200, body: viewCapture(order, found) }
    },
    'POST /v2/payments/captures/{id}/refund': (id, body) => ({
      status: 201,
      body: books.refund(id, body, captureLink),
    }),
    'GET /v1/customer/disputes': (_, __, { query }) => {
      if (!maySeeDisputes) throw new Refused('PERMISSION_DENIED', 403)
      const id = query.get('disputed_transaction_id')
      return { status: 200, body: { items: books.disputes.filter((each) => each.captureId === id).map(viewDispute) } }
    },
    'GET /v1/customer/disputes/{id}': (id) => {
      const dispute = books.disputes.find((each) => each.dispute_id === id)
      if (dispute === undefined) throw new Refused('INVALID_RESOURCE_ID', 404)
      const { outcome_code } = dispute
      return {
        status: 200,
        body: { ...viewDispute(dispute), ...(outcome_code === undefined ? {} : { dispute_outcome: { outcome_code } }) },
      }
    },
  }

  /** What is wrong with a request by the specification. */
  function mistakesOf(name: string, { headers, query, text }: DoubleRequest): readonly string[] {
    const isRead = name.startsWith('GET')
    const requestId = headers['paypal-request-id']
    const body = text === '' ? undefined : parse(text)
    return [
      ...violations(REQUESTS[name] ?? nothing, body, 'body'),
      ...[...query.keys()].filter((key) => !QUERIES[name]?.includes(key)).map((key) => `query ${key} is not known`),
      ...(isRead || headers['content-type'] === 'application/json' ? [] : ['content-type must be application/json']),
      ...(requestId === undefined || TAKES_REQUEST_ID.includes(name) ? [] : ['PayPal-Request-Id is not taken']),
      ...((requestId?.length ?? 0) > LONGEST_REQUEST_ID ? ['PayPal-Request-Id is too long'] : []),
      ...(TAKES_REQUEST_ID.includes(name) && headers.prefer !== 'return=representation' ? ['Prefer is missing'] : []),
    ]
  }

  function answer(request: DoubleRequest): DoubleReply {
    const is_sandbox = !request.path.startsWith('/live/')
    const path = is_sandbox ? request.path : request.path.slice('/live'.length)
    if (path === '/v1/oauth2/token') return giveToken(request, is_sandbox, request.text)
    const [name, id] = nameOf(request.method, path)
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    if (!tokens.has(token) || token.endsWith('L') === is_sandbox)
      return refusal(new Refused('AUTHENTICATION_FAILURE', 401))
    const operation = operations[name]
    const wrong = operation === undefined ? [`${name} is not known`] : mistakesOf(name, request)
    if (operation === undefined || wrong.length > 0) {
      mistakes.push(...wrong.map((each) => `${name}: ${each}`))
      return refusal(new Refused('INVALID_PARAMETER_SYNTAX', 400))
    }
    const requestId = request.headers['paypal-request-id']
    // [S] Mandatory with a payment source.
    if (name === 'POST /v2/checkout/orders' && requestId === undefined)
      return refusal(new Refused('PAYPAL_REQUEST_ID_REQUIRED', 400))
    const earlier = requestId === undefined ? undefined : answered.get(`${name} ${requestId}`)
    if (earlier !== undefined) return earlier()
    const reply = run(() => operation(id, parse(request.text) as never, request))
    const isBusy = /IN_PROGRESS/.test(JSON.stringify(reply.body))
    if (requestId !== undefined && !isBusy) answered.set(`${name} ${requestId}`, () => latest(name, reply))
    return reply
  }

  /** [D] A repeated request id is answered with the latest state of what was made by it. [U] A refusal is answered with itself. */
  function latest(name: string, reply: DoubleReply): DoubleReply {
    const { id } = (reply.body ?? {}) as { id?: string }
    if (reply.status >= 400 || id === undefined) return reply
    if (name.startsWith('POST /v2/checkout/orders')) return { status: 200, body: viewOrder(books.orderOf(id)) }
    return reply
  }

  const double = await openDouble(answer)
  const signer = await openSigner(now, WEBHOOK_ID)
  base = double.url
  const orderOfKey = (key: string) => [...books.orders.values()].find(({ invoice_id }) => invoice_id === key)
  return {
    ...double,
    books,
    signer,
    /** Rules of the specification that our requests broke. */
    mistakes,
    places: {
      'https://api-m.sandbox.paypal.com': double.url,
      'https://api-m.paypal.com': `${double.url}/live`,
      'https://api.sandbox.paypal.com': signer.url,
      'https://api.paypal.com': `${signer.url}/live`,
    },
    tokenCount: () => tokenCount,
    /** Every token so far is refused from now on. */
    endTokens: () => tokens.clear(),
    /** The shopper approves, on PayPal's page. Also once more, with another way to pay. */
    approve(id: string) {
      const order = books.orderOf(id)
      if (order.status === 'COMPLETED') throw new Error('It is paid.')
      order.isApproved = true
      order.status = 'APPROVED'
    },
    orderOfKey,
    taken: () => [...books.orders.values()].flatMap(({ captures }) => captures),
    dispute(captureId: string, more: Partial<DisputeBook> = {}): DisputeBook {
      const { amount } = books.captureOf(captureId).found
      const dispute: DisputeBook = {
        dispute_id: `PP-D-${books.disputes.length + 1}`,
        captureId,
        reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
        status: 'OPEN',
        dispute_amount: amount,
        ...more,
      }
      books.disputes.push(dispute)
      return dispute
    },
    hideDisputes: () => {
      maySeeDisputes = false
    },
    forgetRequests: () => answered.clear(),
    signedMessage: signer.sign,
    close: async () => {
      await double.close()
      await signer.close()
    },
  }
}

type OrderRequest = {
  intent: string
  purchase_units: [{ amount: Money; custom_id: string; invoice_id: string; description: string }]
}

const parse = (text: string): unknown => (text === '' ? {} : JSON.parse(text))

/** The operation, and the id in its path. */
function nameOf(method: string, path: string): [name: string, id: string] {
  const [, before = path, id = '', after = ''] =
    /^(\/v2\/checkout\/orders|\/v2\/payments\/\w+|\/v1\/customer\/disputes)\/([^/]+)(\/\w+)?$/.exec(path) ?? []
  return [id === '' ? `${method} ${before}` : `${method} ${before}/{id}${after}`, decodeURIComponent(id)]
}

function run(work: () => DoubleReply): DoubleReply {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refused) return refusal(error)
    throw error
  }
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILURE',
  403: 'NOT_AUTHORIZED',
  404: 'RESOURCE_NOT_FOUND',
  409: 'RESOURCE_CONFLICT',
}

/** [S] The shape of every refusal. */
const refusal = ({ status, issue }: Refused): DoubleReply => ({
  status,
  body: {
    name: NAMES[status] ?? 'UNPROCESSABLE_ENTITY',
    message: 'The requested action could not be performed.',
    debug_id: `f${randomBytes(6).toString('hex')}`,
    details: [{ issue, description: 'A sentence of PayPal’s for programmers.' }],
  },
})
