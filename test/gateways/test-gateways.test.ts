// The test gateways as a shop calls them: what each card answers, what the books say afterwards, refunds, and the page of the one that
// redirects.

import { describe, expect, it } from 'vitest'
import {
  type ChargeRequest,
  type GatewayAdapter,
  isExpectedSum,
  type PaymentInput,
} from '../../src/gateways/gateway.ts'
import { createAdapters } from '../../src/gateways/index.ts'
import { newId } from '../../src/lib/ids.ts'
import { sharedApp } from '../support/app.ts'
import { chargeRequest, gatewayPorts } from '../support/gateways.ts'
import { NO_CARD } from './every-provider/adapter/bench.ts'

const app = await sharedApp()
const { id: merchant_id } = await app.merchant()
const announced: string[] = []
const ports = gatewayPorts(app, { announce: async (_, key) => void announced.push(key) })
const ways = createAdapters(ports)
const cards = ways('test_gateway', false) as GatewayAdapter
const redirecting = ways('test_redirect', false) as GatewayAdapter

const payment = (number: string | null, details: Record<string, unknown> = {}): PaymentInput => ({
  gateway: null,
  card: { ...NO_CARD, number, postalZipCode: '94107', token: 'tok_1' },
  details,
})

const request = (number: string, more: Partial<ChargeRequest> = {}): ChargeRequest =>
  chargeRequest(merchant_id, app.clock.now(), { payment: payment(number), ...more })

const SUM = { amount: 1_234, currency: 'USD' }

const paid = (key: string, reference: string, brand: string | null, kind = 'charged') => ({
  kind,
  amount: 1_234,
  currency: 'USD',
  transactionId: `test_${key}`,
  reference,
  source: { type: 'card', brand, country: 'US', zip: '94107' },
})

describe('the cards of the test gateway', () => {
  it.each([
    ['4242 4242 4242 4242', 'Visa', 'charged'],
    ['4000-0000-0000-0010', 'Visa', 'authorized'],
    ['5555555555554444', 'Mastercard', 'charged'],
    ['378282246310005', 'American Express', 'charged'],
    ['36227206271667', 'Diners Club', 'charged'],
    ['3566002020360505', 'JCB', 'charged'],
    ['6200000000000005', 'UnionPay', 'charged'],
    ['6011111111111117', 'Discover', 'charged'],
    ['9999999999999995', null, 'declined'],
  ])('%s is of %s and %s; asked again, and looked up, it says the same', async (number, brand, kind) => {
    const asked = request(number)
    const outcome = await cards.charge(asked)
    const expected =
      kind === 'declined'
        ? { kind, reason: 'insufficient_funds', message: 'The card has insufficient funds.' }
        : paid(asked.key, number.slice(-4), brand, kind)
    expect(outcome).toEqual(expected)
    expect(await cards.charge({ ...asked, payment: payment('4242424242424242') })).toEqual(expected)
    expect(await cards.lookUp(asked)).toEqual(expected)
    expect(await cards.cancel(asked)).toEqual(expected)
  })

  it.each([
    ['4000000000000002', 'card_declined'],
    ['4000000000000069', 'expired_card'],
    ['4000000000000127', 'incorrect_cvc'],
  ])('%s is declined: %s', async (number, reason) => {
    expect(await cards.charge(request(number))).toMatchObject({ kind: 'declined', reason })
  })

  it('4000000000000200 charges and tells so twice beside its answer', async () => {
    const asked = request('4000000000000200')
    expect(await cards.charge(asked)).toEqual(paid(asked.key, '0200', 'Visa'))
    await expect.poll(() => announced.filter((key) => key === asked.key).length).toBe(2)
  })

  it('4000000000003220 waits until the capture names what it gave', async () => {
    const asked = request('4000000000003220')
    const outcome = await cards.charge(asked)
    const param = outcome.kind === 'requires_verification' ? outcome.param : ''
    expect(outcome).toEqual({ kind: 'requires_verification', param, confirmation: param })
    expect(await cards.lookUp(asked)).toEqual(outcome)
    const details = (id: unknown) => payment(null, { test_gateway: { payment_intent_id: id } })
    expect(cards.confirmationOf?.(details(param))).toBe(param)
    for (const none of [details(5), payment(null, { test_gateway: null }), payment(null)])
      expect(cards.confirmationOf?.(none)).toBeNull()
    expect(await cards.confirm?.({ ...asked, payment: details(param) })).toEqual(paid(asked.key, '3220', 'Visa'))
  })

  it('4242 4242 4242 4241 and the like are refused before anything is asked, and so is a missing number', async () => {
    const path = 'payment.card.number'
    for (const number of ['4242 4242 4242 4241', '4242', 'x'.repeat(16), `${'4'.repeat(19)}2`])
      expect(cards.problemsOf(payment(number), SUM)).toEqual({
        [path]: [`${path} must be the number of a test card, such as 4242 four times in a row.`],
      })
    expect(cards.problemsOf(payment(null), SUM)).toEqual({ [path]: [`${path} is required.`] })
    expect(cards.problemsOf({ ...payment(null), card: null }, SUM)).toEqual({ [path]: [`${path} is required.`] })
    expect(cards.problemsOf(payment('4242424242424242'), SUM)).toEqual({})
    await expect(cards.charge(request('1'))).rejects.toMatchObject({ isNothingCharged: true })
  })
})

describe('a key that was called off', () => {
  it('charges nothing any more, not even for a request that was on its way', async () => {
    const unknown = request('4242424242424242')
    expect(await cards.cancel(unknown)).toEqual({ kind: 'cancelled' })
    expect(await cards.cancel(unknown)).toEqual({ kind: 'cancelled' })
    const cancelled = { kind: 'declined', reason: 'cancelled', message: expect.any(String) }
    expect(await cards.charge(unknown)).toEqual(cancelled)
    const waiting = request('4000000000003220')
    await cards.charge(waiting)
    expect(await cards.cancel(waiting)).toEqual({ kind: 'cancelled' })
    expect(await cards.confirm?.(waiting)).toEqual(cancelled)
    await expect(cards.confirm?.(request('4242424242424242'))).rejects.toMatchObject({ isNothingCharged: true })
  })
})

it('an outcome is as it was asked for with the same sum alone', async () => {
  const asked = request('4242424242424242')
  const outcome = await cards.charge(asked)
  if (outcome.kind !== 'charged') throw new Error('The card is good.')
  expect(isExpectedSum(outcome, asked)).toBe(true)
  for (const other of [{ amount: 1_233 }, { amount: 1_235 }, { currency: 'EUR' }])
    expect(isExpectedSum({ ...outcome, ...other }, asked)).toBe(false)
})

describe('a refund', () => {
  /** What was paid, and what is said about it later. */
  const paidBy = async (number: string) => {
    const asked = request(number)
    await cards.charge(asked)
    return { asked, of: { ...asked, transactionId: `test_${asked.key}` } }
  }

  it('gives a charge back once; the same one repeated has succeeded', async () => {
    const { of } = await paidBy('4242424242424242')
    const refund = { ...of, key: newId('refund', app.clock.now()) }
    const refused = { kind: 'declined', message: expect.any(String) }
    expect(await cards.refund({ ...refund, amount: 1_235 })).toEqual(refused)
    expect(await cards.refund({ ...refund, currency: 'EUR' })).toEqual(refused)
    expect(await cards.refund({ ...refund, transactionId: 'test_x' })).toEqual(refused)
    const done = { kind: 'refunded', transactionId: `test_${refund.key}` }
    expect(await cards.refund(refund)).toEqual(done)
    expect(await cards.refund(refund)).toEqual(done)
    expect(await cards.refund({ ...refund, key: newId('refund', app.clock.now()) })).toEqual(refused)
  })

  it('may be of a part, once for each key, until nothing is left', async () => {
    const { asked, of } = await paidBy('4242424242424242')
    const part = (key: string, amount: number) => cards.refund({ ...of, key: `${asked.key}_${key}`, amount })
    expect(await part('a', 1_000)).toMatchObject({ kind: 'refunded' })
    expect(await part('a', 1_000)).toMatchObject({ kind: 'refunded' })
    // A key is one refund, of one amount.
    expect(await part('a', 1)).toMatchObject({ kind: 'declined' })
    expect(await part('b', 235)).toMatchObject({ kind: 'declined' })
    expect(await part('b', 234)).toMatchObject({ kind: 'refunded' })
    expect(await part('c', 1)).toMatchObject({ kind: 'declined' })
    expect(await part('a', 1_000)).toMatchObject({ kind: 'refunded' })
    expect(await ports.journal.find(merchant_id, asked.key)).toMatchObject({
      state: 'refunded',
      details: { refunds: { [`${asked.key}_a`]: 1_000, [`${asked.key}_b`]: 234 } },
    })
  })

  it('of an older release, which refunded all at once, is known by its key', async () => {
    const { asked, of } = await paidBy('4242424242424242')
    await ports.journal.move(merchant_id, asked.key, 'charged', 'refunded', { refund: 'rfnd_old' })
    expect(await cards.refund({ ...of, key: 'rfnd_old' })).toMatchObject({ kind: 'refunded' })
    expect(await cards.refund({ ...of, key: 'rfnd_new' })).toMatchObject({ kind: 'declined' })
  })

  it('of what was set aside comes after it was taken; taken twice, it is taken once, and released no more', async () => {
    const { asked, of } = await paidBy('4000000000000010')
    for (const wrong of [{ amount: 1_235 }, { currency: 'EUR' }, { transactionId: 'test_x' }])
      expect(await cards.take?.({ ...of, ...wrong })).toEqual({ kind: 'declined', message: expect.any(String) })
    expect(await cards.lookUp(asked)).toMatchObject({ kind: 'authorized' })
    const taken = paid(asked.key, '0010', 'Visa')
    expect(await cards.take?.(of)).toEqual(taken)
    expect(await cards.take?.(of)).toEqual(taken)
    expect(await cards.lookUp(asked)).toEqual(taken)
    expect(await cards.release?.(of)).toMatchObject({ kind: 'declined' })
    const refund = { ...of, key: newId('refund', app.clock.now()) }
    expect(await cards.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(await cards.take?.(of)).toEqual(taken)
  })

  it('of what was set aside is of the part that was taken; another part is taken no more', async () => {
    const { asked, of } = await paidBy('4000000000000010')
    const amounts = [500, 700, 500, 700]
    const outcomes = await Promise.all(amounts.map((amount) => cards.take?.({ ...of, amount })))
    const taken = outcomes.map((outcome) => (outcome?.kind === 'charged' ? outcome.amount : 0))
    // One of the two amounts, told to both who have asked for it.
    expect(['500,0,500,0', '0,700,0,700']).toContain(taken.join())
    const amount = Math.max(...taken)
    expect(await cards.lookUp(asked)).toEqual({ ...paid(asked.key, '0010', 'Visa'), amount })
    expect(await cards.release?.(of)).toMatchObject({ kind: 'declined' })
    const back = (key: string, minor: number) => cards.refund({ ...of, key: `${asked.key}_${key}`, amount: minor })
    expect(await back('a', amount + 1)).toMatchObject({ kind: 'declined' })
    expect(await back('b', amount)).toMatchObject({ kind: 'refunded' })
    expect(cards.takesParts).toBe(true)
    expect([ways('razorpay', true)?.takesParts, ways('stripe', true)?.takesParts]).toEqual([undefined, true])
  })

  it('is not for what is set aside or was let go of, which cannot be taken either', async () => {
    const { of } = await paidBy('4000000000000010')
    expect(await cards.refund(of)).toMatchObject({ kind: 'declined' })
    expect(await cards.release?.({ ...of, transactionId: 'test_x' })).toMatchObject({ kind: 'declined' })
    expect(await cards.release?.(of)).toEqual({ kind: 'released' })
    expect(await cards.take?.(of)).toMatchObject({ kind: 'declined' })
    expect(await cards.refund(of)).toMatchObject({ kind: 'declined' })
  })

  it('of a manual payment is noted, as is whatever else is asked of it', async () => {
    const manual = ways('manual', false) as GatewayAdapter
    const pending = { kind: 'pending', reason: 'awaiting_capture' }
    const asked = request('')
    expect([
      manual.problemsOf(asked.payment, SUM),
      await manual.charge(asked),
      await manual.lookUp(asked),
      await manual.cancel(asked),
    ]).toEqual([{}, pending, pending, pending])
    expect(await manual.refund({ ...asked, transactionId: '' })).toEqual({ kind: 'refunded', transactionId: asked.key })
  })
})

describe('the redirecting gateway', () => {
  const begin = async () => {
    const asked = request('')
    const outcome = await redirecting.charge(asked)
    const path = `/test-gateway/${merchant_id}/${asked.key}`
    const expected = { kind: 'redirect', payKey: asked.key, url: path, confirmation: asked.key }
    expect(outcome).toEqual(expected)
    expect(await redirecting.lookUp(asked)).toEqual(expected)
    return { asked, path }
  }

  it('asks the shopper on a page of its own, and knows what was said there', async () => {
    const { asked, path } = await begin()
    const page = await app.call('GET', path)
    expect(page.status).toBe(200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
    })
    expect(page.text).toContain('12.34 USD')
    expect(page.text).toContain(`action="${path}/approve"`)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const approved = await app.call('POST', `${path}/approve`, { headers: form })
    expect([approved.status, approved.headers.location]).toEqual([303, path])
    const after = await app.call('GET', path)
    expect(after.text).toContain('You have approved this payment.')
    expect(after.text).not.toContain('<form')
    expect(await redirecting.lookUp(asked)).toEqual({
      kind: 'charged',
      amount: 1_234,
      currency: 'USD',
      transactionId: `test_${asked.key}`,
      reference: null,
      source: { type: 'redirect', brand: null, country: null, zip: null },
    })
    // Too late.
    await app.call('POST', `${path}/decline`)
    expect(await redirecting.lookUp(asked)).toMatchObject({ kind: 'charged' })
  })

  it('is confirmed by the key under any name that storefronts use', () => {
    const named = (sent: unknown) => redirecting.confirmationOf?.(payment(null, { test_redirect: sent }))
    const keys = [{ paykey: 'x' }, { payment_id: 'x' }, {}, null, undefined, { paykey: 1 }].map(named)
    expect(keys).toEqual(['x', 'x', null, null, null, null])
    expect(redirecting.problemsOf(payment(null), SUM)).toEqual({})
  })

  it('has no page for payments that it does not know: not of cards, not of other merchants', async () => {
    const { asked } = await begin()
    const other = await app.merchant()
    const card = request('4242424242424242')
    await cards.charge(card)
    for (const path of [
      `${merchant_id}/${card.key}`,
      `${other.id}/${asked.key}`,
      `${merchant_id}/x`,
      'x/x',
      `x/${asked.key}`,
    ])
      for (const [method, action] of [
        ['GET', ''],
        ['POST', '/approve'],
        ['POST', '/decline'],
      ] as const) {
        const answer = await app.call(method, `/test-gateway/${path}${action}`)
        expect([answer.status, answer.body]).toEqual([
          404,
          { error: { type: 'not_found', message: 'There is no payment with that id.' }, status_code: 404 },
        ])
      }
  })
})
