// Square's adapter against its double: what is sent, every refusal, and payments that others change at Square.

import { describe, expect, it } from 'vitest'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import { LIVE, SQUARE_CONFIG } from '../doubles/square.ts'
import type { SquareError } from '../doubles/square-ledger.ts'
import { declined, leavesOpen, payOn, refundKey } from '../every-provider/adapter/bench.ts'
import { COMPLETE, CREATE, MANUAL, OK, openSquareBench, PAID, payWith, statesOf } from './bench.ts'

const bench = await openSquareBench()
const { square, adapter, request } = bench

describe('a charge', () => {
  it('is taken, or stays set aside, as it was begun, also where the gateway captures otherwise by now', async () => {
    const [taken, held] = [request(), request({ config: MANUAL })]
    square.trouble('before', { on: /complete$/ })
    await expect(adapter().charge(taken)).rejects.toBeInstanceOf(GatewayUnavailable)
    await adapter().charge(held)
    const [changed, changedBack] = [
      { ...taken, config: MANUAL },
      { ...held, config: SQUARE_CONFIG },
    ]
    expect(await adapter().lookUp(changed)).toEqual({ kind: 'approved' })
    expect(await adapter().confirm({ ...changed, payment: null })).toEqual(PAID)
    for (const look of [adapter().lookUp(changedBack), adapter().confirm({ ...changedBack, payment: null })])
      expect(await look).toEqual({ ...PAID, kind: 'authorized' })
    expect(statesOf(square.of(held.key))).toEqual(['APPROVED'])
  })

  it('tells Square our key, what it is for, where it is sold, and what the storefront has verified', async () => {
    const config = { ...SQUARE_CONFIG, statement_description_identifier: 'Mugs and more, and even more' }
    const charge = request({ config, payment: payWith(` ${OK} `, { verification_token: 'verf:1' }) })
    await adapter().charge(charge)
    const sent = square.requests.filter(({ text }) => text.includes(charge.key))
    expect(sent.map(({ text }) => JSON.parse(text))).toEqual([
      {
        source_id: OK,
        idempotency_key: charge.key,
        amount_money: { amount: 1_234, currency: 'USD' },
        autocomplete: false,
        delay_duration: 'PT1H',
        delay_action: 'CANCEL',
        location_id: 'L1',
        reference_id: charge.key,
        verification_token: 'verf:1',
        note: `Payment ${charge.key}`,
        statement_description_identifier: 'Mugs and more, and e',
      },
    ])
    const headers = { authorization: `Bearer ${SQUARE_CONFIG.access_token}`, 'square-version': '2025-08-20' }
    expect(sent[0]?.headers).toMatchObject(headers)
  })

  it('goes to the host of its mode, where the credentials of the other are not known', async () => {
    await expect(adapter().charge(request({ is_sandbox: false }))).rejects.toMatchObject({
      isNothingCharged: true,
      message: 'Square does not accept the access token that is set up for it: 401 UNAUTHORIZED.',
    })
    const config = { ...SQUARE_CONFIG, access_token: 'EAAA-of-production-0123456789' }
    expect(await adapter().charge(request({ is_sandbox: false, config }))).toEqual(PAID)
    expect(square.places[LIVE]).toMatch(/live$/)
  })
})

describe('a card', () => {
  it.each([
    ['cnon:card-nonce-declined', 'card_declined', 'The card was declined.'],
    ['cnon:card-nonce-rejected-cvv', 'incorrect_cvc', 'The security code (CVC) of the card is wrong.'],
    ['cnon:card-nonce-rejected-postalcode', 'card_declined', 'The postal code is not the one of the card.'],
    ['cnon:card-nonce-rejected-expiration', 'expired_card', 'The card has expired, or its expiry date is wrong.'],
    ['cnon:card-nonce-already-used', 'payment_declined', 'The card has to be entered again.'],
  ])('%s is declined, and found declined (F2)', async (token, reason, message) => {
    const charge = request({ payment: payWith(token) })
    const declined = { kind: 'declined', reason, message }
    expect(await adapter().charge(charge)).toEqual(declined)
    expect(await adapter().charge(charge)).toEqual(declined)
    expect(await adapter().lookUp(charge)).toEqual(declined)
    expect(statesOf(square.of(charge.key))).toEqual(['FAILED'])
  })

  it('of a token that nobody has made has to be entered again (F28)', async () => {
    expect(await adapter().charge(request({ payment: payWith('cnon:unknown') }))).toMatchObject({
      kind: 'declined',
      reason: 'payment_declined',
      message: 'The card has to be entered again.',
    })
  })

  const METHOD = 'PAYMENT_METHOD_ERROR'
  it.each<[string, string, string?, string?]>([
    ['INSUFFICIENT_FUNDS', 'insufficient_funds', METHOD],
    ['GIFT_CARD_AVAILABLE_AMOUNT', 'insufficient_funds', METHOD],
    ['CARD_EXPIRED', 'expired_card', METHOD],
    ['BAD_EXPIRATION', 'expired_card', METHOD],
    ['EXPIRATION_FAILURE', 'expired_card', METHOD],
    ['VERIFY_CVV_FAILURE', 'incorrect_cvc', METHOD],
    ['CARD_DECLINED', 'card_declined', METHOD],
    ['CARD_DECLINED_CALL_ISSUER', 'card_declined', METHOD],
    ['CARD_DECLINED_VERIFICATION_REQUIRED', 'card_declined', METHOD],
    ['PAN_FAILURE', 'card_declined', METHOD],
    ['TRANSACTION_LIMIT', 'card_declined', METHOD],
    ['CARD_NOT_SUPPORTED', 'card_declined', METHOD],
    ['INVALID_ACCOUNT', 'card_declined', METHOD],
    ['AMOUNT_TOO_HIGH', 'payment_declined', METHOD],
    ['PAYMENT_LIMIT_EXCEEDED', 'payment_declined', METHOD],
    ['VALUE_TOO_LOW', 'payment_declined', undefined, 'amount_money.amount'],
    ['VALUE_TOO_HIGH', 'payment_declined', undefined, 'amount_money.amount'],
    ['SOURCE_USED', 'payment_declined'],
    ['SOURCE_EXPIRED', 'payment_declined'],
    ['CARD_TOKEN_EXPIRED', 'payment_declined'],
    ['INVALID_CARD_DATA', 'payment_declined'],
    // Not in our tables, but about the card.
    ['ALLOWABLE_PIN_TRIES_EXCEEDED', 'payment_declined', METHOD],
  ])('with %s is declined as %s (F2, F27, F28)', async (code, reason, category, field) => {
    square.refuse(CREATE, { status: 400, code, ...(category ? { category } : {}), ...(field ? { field } : {}) })
    expect(await adapter().charge(request())).toMatchObject({ ...declined(), reason })
  })

  it.each<[SquareError, boolean]>([
    [{ status: 401, code: 'ACCESS_TOKEN_REVOKED', category: 'AUTHENTICATION_ERROR' }, true],
    [{ status: 403, code: 'INSUFFICIENT_SCOPES', category: 'AUTHENTICATION_ERROR' }, true],
    [{ status: 400, code: 'INVALID_LOCATION' }, true],
    [{ status: 400, code: 'CURRENCY_MISMATCH' }, true],
    [{ status: 404, code: 'NOT_FOUND' }, true],
    [{ status: 400, code: 'IDEMPOTENCY_KEY_REUSED' }, false],
    [{ status: 400, code: 'TEMPORARY_ERROR', category: 'API_ERROR' }, false],
    [{ status: 409, code: 'CONFLICT' }, false],
    [{ status: 500, code: 'INTERNAL_SERVER_ERROR', category: 'API_ERROR' }, false],
  ])('is not told as declined for $status $code; nothing charged: %s', async (error, isNothingCharged) => {
    square.refuse(CREATE, error)
    const thrown = await adapter()
      .charge(request())
      .catch((cause: unknown) => cause)
    expect(thrown).toBeInstanceOf(GatewayUnavailable)
    expect(thrown).toMatchObject({ isNothingCharged })
    expect(String(thrown)).not.toContain(SQUARE_CONFIG.access_token)
  })
})

describe('a payment that is set aside', () => {
  const hold = () => payOn(bench, { config: MANUAL })

  it('is looked at again, and then taken, where somebody has changed it in between', async () => {
    const held = await hold()
    square.refuse(COMPLETE, { status: 400, code: 'VERSION_MISMATCH' })
    expect(await adapter().take(held)).toEqual(PAID)
    const asked = square.requests.filter(({ path }) => path.includes(held.transactionId) && COMPLETE.test(path))
    expect(asked).toHaveLength(2)
  })

  it('is not taken where it was lowered in the dashboard; what was taken there is told as it is (F42)', async () => {
    const [lowered, taken] = [await hold(), await hold()]
    const total_money = { amount: 1_000, currency: 'USD' }
    const row = (id: string) => square.payments.get(id) as never as { id: string; status: string }
    square.payments.set(lowered.transactionId, { ...row(lowered.transactionId), total_money } as never)
    expect(await adapter().take(lowered)).toMatchObject(declined(/more than/))
    square.payments.set(taken.transactionId, {
      ...row(taken.transactionId),
      status: 'COMPLETED',
      total_money,
    } as never)
    expect(await adapter().take(taken)).toEqual({ ...PAID, amount: 1_000 })
    expect(square.taken(lowered.key)).toEqual([])
  })

  it('stays open while the credentials are not accepted', async () => {
    const held = { ...(await hold()), config: { ...MANUAL, access_token: 'revoked' } }
    const asked = [adapter().take(held), adapter().release?.(held), adapter().lookUp(held), adapter().cancel(held)]
    const refused = { isNothingCharged: false, message: expect.stringMatching(/access token/) }
    for (const work of asked) await expect(work).rejects.toMatchObject(refused)
  })
})

describe('a refund', () => {
  const paid = async () => {
    const charge = await payOn(bench)
    return { ...charge, key: refundKey(charge) }
  }

  it.each(['REFUND_ALREADY_PENDING', 'PAYMENT_NOT_REFUNDABLE', 'REFUND_DECLINED', 'BAD_REQUEST'])(
    'is declined for %s',
    async (code) => {
      square.refuse(/refunds/, { status: 400, code, category: 'REFUND_ERROR' })
      expect(await adapter().refund(await paid())).toMatchObject(declined())
    },
  )

  it.each<SquareError>([
    { status: 401, code: 'UNAUTHORIZED', category: 'AUTHENTICATION_ERROR' },
    { status: 400, code: 'TEMPORARY_ERROR', category: 'API_ERROR' },
    { status: 400, code: 'IDEMPOTENCY_KEY_REUSED' },
  ])('stays open for $code', async (error) => {
    square.refuse(/refunds/, error)
    await leavesOpen(adapter().refund(await paid()))
  })
})
