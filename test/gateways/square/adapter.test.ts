// Square's adapter against its double: every outcome of a charge, every refusal, sums. What comes after: afterwards.test.ts. Faults on the
// way: faults.test.ts.

import { describe, expect, it } from 'vitest'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import { LIVE, SQUARE_CONFIG } from '../doubles/square.ts'
import type { SquareError } from '../doubles/square-ledger.ts'
import { MANUAL, OK, openSquareTest, PAID, payWith, statesOf } from './support.ts'

const { square, adapter, request } = await openSquareTest()

const CREATE = /^POST \/v2\/payments$/

describe('a charge', () => {
  it('is approved and completed, once, however often it is asked for', async () => {
    const charge = request()
    const outcome = await adapter().charge(charge)
    expect(outcome).toEqual(PAID)
    expect(await adapter().charge(charge)).toEqual(outcome)
    expect(await adapter().lookUp(charge)).toEqual(outcome)
    expect(square.taken(charge.key)).toEqual([{ amount: 1_234, currency: 'USD' }])
    expect(statesOf(square.of(charge.key))).toEqual(['COMPLETED'])
  })

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
    expect(sent[0]?.headers).toMatchObject({
      authorization: `Bearer ${SQUARE_CONFIG.access_token}`,
      'square-version': '2025-08-20',
    })
  })

  it('takes the older nonce of a card', async () => {
    const card = { number: null, cvc: null, expiryMonth: null, expiryYear: null, postalZipCode: null, token: null }
    const payment = { gateway: 'square', card: { ...card, nonce: OK }, details: {} }
    expect(adapter().problemsOf(payment, { amount: 1, currency: 'USD' })).toEqual({})
    expect(await adapter().charge(request({ payment }))).toEqual(PAID)
  })

  it('goes to the host of its mode, where the credentials of the other are not known', async () => {
    await expect(adapter().charge(request({ isSandbox: false }))).rejects.toMatchObject({
      isNothingCharged: true,
      message: 'Square does not accept the access token that is set up for it: 401 UNAUTHORIZED.',
    })
    const config = { ...SQUARE_CONFIG, access_token: 'EAAA-of-production-0123456789' }
    expect(await adapter().charge(request({ isSandbox: false, config }))).toEqual(PAID)
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
  ])('%s is declined, and found declined', async (token, reason, message) => {
    const charge = request({ payment: payWith(token) })
    const declined = { kind: 'declined', reason, message }
    expect(await adapter().charge(charge)).toEqual(declined)
    expect(await adapter().charge(charge)).toEqual(declined)
    expect(await adapter().lookUp(charge)).toEqual(declined)
    expect(statesOf(square.of(charge.key))).toEqual(['FAILED'])
  })

  it('of a token that nobody has made has to be entered again', async () => {
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
  ])('with %s is declined as %s', async (code, reason, category, field) => {
    square.refuse(CREATE, { status: 400, code, ...(category ? { category } : {}), ...(field ? { field } : {}) })
    expect(await adapter().charge(request())).toMatchObject({
      kind: 'declined',
      reason,
      message: expect.stringMatching(/./),
    })
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

describe('what a storefront sends', () => {
  const SUM = { amount: 1_000, currency: 'USD' }
  const problems = (token: string) => adapter().problemsOf(payWith(token), SUM)
  const HINT = 'a token that its script makes of the card in the browser (cnon:…)'

  it('has to name a token', () => {
    const nothing = { gateway: 'square', card: null, details: {} }
    const expected = { 'payment.square.token': [`payment.square.token is required: ${HINT}.`] }
    expect(adapter().problemsOf(nothing, SUM)).toEqual(expected)
    expect(adapter().problemsOf({ ...nothing, details: { square: { token: 7 } } }, SUM)).toEqual(expected)
    expect(problems(' ')).toEqual(expected)
    expect(problems(OK)).toEqual({})
    expect(problems('cnon:CBASENs-_a1')).toEqual({})
  })

  it('must not be cash, a card that is kept, or anything else that Square would book without the shopper', () => {
    const expected = { 'payment.square.token': [`payment.square.token must be ${HINT}.`] }
    for (const token of ['CASH', 'EXTERNAL', 'ccof:abc', 'bnon:abc', 'wnon:abc', 'cnon:', `cnon:${'x'.repeat(501)}`])
      expect(problems(token)).toEqual(expected)
  })

  it('must not be the number of a card, wherever it stands', () => {
    const card = { number: '4111 1111 1111 1111', cvc: null, expiryMonth: null, expiryYear: null, postalZipCode: null }
    expect(adapter().problemsOf({ ...payWith(OK), card: { ...card, token: null, nonce: null } }, SUM)).toEqual({
      'payment.card.number': [`payment.card.number must not be sent: Square takes ${HINT} in payment.square.token.`],
    })
    const rule = `must not be the number of a card: Square takes ${HINT}.`
    expect(problems('4111-1111-1111-1111')).toEqual({ 'payment.square.token': [`payment.square.token ${rule}`] })
    const nonce = { ...card, number: null, token: null, nonce: '4111111111111111' }
    expect(adapter().problemsOf({ gateway: 'square', card: nonce, details: {} }, SUM)).toEqual({
      'payment.card.nonce': [`payment.card.nonce ${rule}`],
    })
  })

  it.each(['INR', 'HUF', 'ISK', 'MGA', 'UGX', 'KWD', 'IQD', 'CLF'])('cannot be paid in %s', (currency) => {
    expect(adapter().problemsOf(payWith(OK), { amount: 1_230, currency })).toEqual({
      'payment.gateway': [`Square takes no payments in ${currency}. Choose another way to pay.`],
    })
  })

  it.each([
    ['USD', 1],
    ['EUR', 1_050],
    ['GBP', 1_050],
    ['CAD', 99],
    ['AUD', 12_345_678],
    ['JPY', 1_500],
  ])(
    'is paid in %s in the units of ISO 4217, and refused by an account with another currency',
    async (currency, amount) => {
      expect(adapter().problemsOf(payWith(OK), { amount, currency })).toEqual({})
      Object.assign(square.location, { currency })
      const charge = request({ currency, amount })
      expect(await adapter().charge(charge)).toMatchObject({ kind: 'charged', amount, currency })
      expect(square.taken(charge.key)).toEqual([{ amount, currency }])
      Object.assign(square.location, { currency: 'MXN' })
      await expect(adapter().charge(request({ currency, amount }))).rejects.toMatchObject({
        isNothingCharged: true,
        message: 'Square refuses the payment: 400 CURRENCY_MISMATCH.',
      })
    },
  )
})
