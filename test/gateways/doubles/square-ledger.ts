// What Square keeps, and what becomes of it: payments with their states, refunds, disputes, and the refusals by code. How it is asked: square.ts.

export type Money = { amount: number; currency: string }
export type Row = Record<string, unknown> & { id: string; status: string; created_at: string; version_token: string }
export type Refund = { id: string; status: string; payment_id: string; amount_money: Money; [name: string]: unknown }
export type Dispute = { id: string; state: string; disputed_payment: { payment_id: string }; [name: string]: unknown }
export type Location = { id: string; status: string; currency: string; [name: string]: unknown }

/** A refusal of Square's. */
export type SquareError = { status: number; code: string; category?: string; field?: string }

export const INVALID = 'INVALID_REQUEST_ERROR'
const BY_TOKEN: Readonly<Record<string, string>> = {
  'cnon:card-nonce-declined': 'GENERIC_DECLINE',
  'cnon:card-nonce-rejected-cvv': 'CVV_FAILURE',
  'cnon:card-nonce-rejected-postalcode': 'ADDRESS_VERIFICATION_FAILURE',
  'cnon:card-nonce-rejected-expiration': 'INVALID_EXPIRATION',
  'cnon:card-nonce-already-used': 'CARD_TOKEN_USED',
}
const HOURS = 3_600_000

export class Refused extends Error {
  readonly reply: SquareError
  readonly payment: Row | undefined

  constructor(reply: SquareError, payment?: Row) {
    super(reply.code)
    this.reply = reply
    this.payment = payment
  }
}

export const refused = (code: string, more: Partial<SquareError> = {}) =>
  new Refused({ status: 400, code, category: INVALID, ...more })

export function openLedger(now: () => Date) {
  const payments = new Map<string, Row>()
  const refunds = new Map<string, Refund>()
  const disputes: Dispute[] = []
  /** Payments as they were at first. */
  const first = new Map<string, Row>()
  const location: Location = {
    id: 'L1',
    name: 'Main',
    status: 'ACTIVE',
    capabilities: ['CREDIT_CARD_PROCESSING'],
    currency: 'USD',
  }
  let count = 0
  const idOf = (prefix: string) => `${prefix}${String(++count).padStart(6, '0')}`

  function write(payment: Row, changes: Partial<Row>): Row {
    const next = { ...payment, ...changes, updated_at: now().toISOString(), version_token: idOf('v') }
    payments.set(payment.id, next)
    return next
  }

  /** As it is now: nobody has to ask for what Square does when the time of an approval is over. */
  function paymentOf(id: string): Row {
    const payment = payments.get(id)
    if (payment === undefined) throw refused('NOT_FOUND', { status: 404 })
    const isOver = payment.status === 'APPROVED' && now() >= new Date(String(payment.delayed_until))
    return isOver ? write(payment, { status: 'CANCELED' }) : payment
  }

  function insert(fields: Record<string, unknown>): Row {
    const payment = { id: idOf('P'), created_at: now().toISOString(), version_token: '', status: '', ...fields } as Row
    const made = write(payment, {})
    first.set(made.id, made)
    return made
  }

  function create(body: Record<string, unknown>): Row {
    const amount_money = body.amount_money as Money
    if (body.location_id !== location.id) throw refused('INVALID_LOCATION', { field: 'location_id' })
    if (amount_money.currency !== location.currency)
      throw refused('CURRENCY_MISMATCH', { field: 'amount_money.currency' })
    if (amount_money.amount < 1) throw refused('VALUE_TOO_LOW', { field: 'amount_money.amount' })
    if (body.autocomplete !== false && body.delay_duration !== undefined)
      throw refused('BAD_REQUEST', { field: 'delay_duration' })
    const token = String(body.source_id)
    const code = BY_TOKEN[token]
    if (code === undefined && !/^cnon:(card-nonce-ok|C[\w-]+)$/.test(token))
      throw refused('NOT_FOUND', { status: 404, field: 'source_id' })
    const hours = body.delay_duration === undefined ? 168 : Number(/^PT(\d+)H$/.exec(String(body.delay_duration))?.[1])
    const { reference_id, location_id } = body
    const isDeclined = code !== undefined
    const payment = insert({
      status: isDeclined ? 'FAILED' : body.autocomplete === false ? 'APPROVED' : 'COMPLETED',
      amount_money,
      total_money: amount_money,
      ...(isDeclined ? {} : { approved_money: amount_money }),
      delayed_until: new Date(now().getTime() + hours * HOURS).toISOString(),
      card_details: {
        card: { card_brand: 'VISA', last_4: '1111' },
        ...(isDeclined ? { errors: [{ category: 'PAYMENT_METHOD_ERROR', code }] } : {}),
      },
      location_id,
      reference_id,
      billing_address: { postal_code: '94107' },
    })
    if (code !== undefined)
      throw new Refused(
        {
          status: code === 'CARD_TOKEN_USED' ? 400 : 402,
          code,
          category: code === 'CARD_TOKEN_USED' ? INVALID : 'PAYMENT_METHOD_ERROR',
        },
        payment,
      )
    return payment
  }

  const ENDED: Readonly<Record<string, string>> = {
    COMPLETED: 'DELAYED_TRANSACTION_CAPTURED',
    CANCELED: 'DELAYED_TRANSACTION_CANCELED',
    FAILED: 'DELAYED_TRANSACTION_FAILED',
  }

  function approved(id: string): Row {
    const payment = paymentOf(id)
    const code = ENDED[payment.status]
    if (code !== undefined) throw refused(code)
    return payment
  }

  function complete(id: string, { version_token }: Record<string, unknown>): Row {
    const payment = approved(id)
    if (version_token !== undefined && version_token !== payment.version_token) throw refused('VERSION_MISMATCH')
    return write(payment, { status: 'COMPLETED' })
  }

  function change(id: string, body: Record<string, unknown>): Row {
    const payment = approved(id)
    const { amount_money } = body.payment as { amount_money: Money }
    if (amount_money.amount > (payment.approved_money as Money).amount)
      throw refused('AMOUNT_TOO_HIGH', { category: 'PAYMENT_METHOD_ERROR' })
    return write(payment, { amount_money, total_money: amount_money })
  }

  const refundedOf = (id: string) =>
    [...refunds.values()]
      .filter(({ payment_id, status }) => payment_id === id && (status === 'PENDING' || status === 'COMPLETED'))
      .reduce((sum, { amount_money }) => sum + amount_money.amount, 0)

  function refund(body: Record<string, unknown>): Refund {
    const payment = paymentOf(String(body.payment_id))
    const amount_money = body.amount_money as Money
    const fail = (code: string) => refused(code, { category: 'REFUND_ERROR' })
    if (payment.status === 'APPROVED') throw fail('REFUND_ERROR_PAYMENT_NEEDS_COMPLETION')
    if (payment.status !== 'COMPLETED') throw fail('PAYMENT_NOT_REFUNDABLE')
    const isOpen = ({ state }: Dispute) => /PROCESSING|EVIDENCE_REQUIRED/.test(state)
    if (disputes.some((dispute) => dispute.disputed_payment.payment_id === payment.id && isOpen(dispute)))
      throw fail('PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE')
    if (amount_money.amount > (payment.total_money as Money).amount - refundedOf(payment.id))
      throw fail('REFUND_AMOUNT_INVALID')
    const id = `${payment.id}_${idOf('R')}`
    const made: Refund = {
      id,
      status: 'PENDING',
      amount_money,
      payment_id: payment.id,
      ...(body.reason === undefined ? {} : { reason: body.reason }),
    }
    refunds.set(id, made)
    write(payment, { refund_ids: [...((payment.refund_ids as string[] | undefined) ?? []), id] })
    return made
  }

  const cancel = (id: string): Row => write(approved(id), { status: 'CANCELED' })

  return {
    payments,
    refunds,
    disputes,
    first,
    location,
    idOf,
    paymentOf,
    insert,
    create,
    complete,
    change,
    cancel,
    refund,
  }
}
