// @sampled: `npm test` tries one provider.
// The merchant sets a gateway up for another account while a payment is under way at the former. What the new account does not know may have been
// paid there: it stays open, with its goods, until the former is asked again.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { isProof } from '../../support/proof.ts'
import { openPayPalProvider } from './paypal.ts'
import { type Provider, payBy } from './provider.ts'
import { openRazorpayProvider } from './razorpay.ts'
import { openProviders, openToldShop, paymentOf } from './shop.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

type OpenProvider = (now: () => Date) => Promise<Provider>
type Accounts = Provider & { askOther(isOther: boolean): void }

/** Two accounts behind one address. Both know the same credentials, and neither knows the payments of the other. */
const twoAccounts =
  (open: OpenProvider) =>
  async (now: () => Date): Promise<Accounts> => {
    const [former, other] = [await open(now), await open(now)]
    return {
      ...former,
      askOther: (isOther) => former.double.divert(isOther ? other.double : null),
      close: async () => void (await Promise.all([former.close(), other.close()])),
    }
  }

const opened = await openProviders<Accounts>(
  ...[openStripeProvider, openSquareProvider, openPayPalProvider, openRazorpayProvider].map(twoAccounts),
)
const { app, complete } = opened

/** What a provider knows an account by. */
const KNOWN_BY: Readonly<Record<Provider['code'], string>> = {
  stripe: 'secret_key',
  square: 'access_token',
  razorpay: 'key_id',
  paypal: 'client_id',
  mollie: 'api_key',
}

describe.each(isProof ? opened.providers : opened.providers.slice(0, 1))('$code', async (provider) => {
  const shop = await openToldShop(opened, provider)
  const name = KNOWN_BY[provider.code]

  async function replaceAccount(isOther: boolean) {
    provider.askOther(isOther)
    // Both accounts are known by the same here: it is another one's for a moment.
    for (const value of [`${provider.config[name]}2`, provider.config[name]])
      await shop.setUp({ config: { [name]: value } })
  }

  /** It stays open with its goods while the other account is asked, and is an order once the former is. */
  async function isFoundAtFormer(bought: { id: string }) {
    const before = await shop.sold()
    await complete(3_600)
    expect([await shop.receipt(bought), await shop.sold()]).toEqual([404, before])
    await replaceAccount(false)
    await complete(3_600)
    expect([await shop.receipt(bought), await shop.sold()]).toEqual([200, before])
  }

  it('a payment that was taken at the account before is not given up by the word of the next', async () => {
    const { bought, body } = await shop.leaveOpen()
    await replaceAccount(true)
    // The shopper tries again: nobody says that it was not paid.
    if (provider.answeredAt === 'capture.confirmed') expect((await shop.capture(bought, body)).status).toBe(504)
    await isFoundAtFormer(bought)
  })

  it('nor is one whose capture had read the credentials just before they were replaced', async () => {
    await replaceAccount(true)
    provider.askOther(false)
    app.clock.advance(1)
    const { bought } = await shop.leaveOpen()
    provider.askOther(true)
    await isFoundAtFormer(bought)
  })

  /** Sent again it is the same refund. */
  const refund = ({ id }: Order) =>
    app.call('POST', `/v1/orders/${id}/refund`, {
      key: shop.secret,
      body: {},
      headers: { 'idempotency-key': `refund of ${id}` },
    })

  /** The process dies there. */
  async function dying<T>(at: string, work: () => Promise<T>): Promise<T> {
    onCheckpoint((name) => {
      if (name === at) throw new Error('gone')
    })
    return work().finally(() => onCheckpoint(null))
  }

  it('a refund that was made at the account before has not failed by the word of the next', async () => {
    const order = await shop.buy()
    expect((await dying('orders.refund_asked', () => refund(order))).status).toBe(500)
    await replaceAccount(true)
    const answer = await refund(order)
    expect(answer.status).toBe(504)
    expect((await shop.read(order)).transactions).toMatchObject([{ status: 'complete' }, { status: 'pending' }])
    await replaceAccount(false)
    expect(await refund(order)).toMatchObject({ status: 200, body: { status_payment: 'refunded' } })
    expect(provider.givenBack(paymentOf(order))).toEqual([1_000])
  })

  it('nor has money that was taken there', async () => {
    const order = await shop.hold()
    const take = () => shop.move(order)
    expect((await dying('orders.take_asked', take)).status).toBe(500)
    await replaceAccount(true)
    expect((await take()).status).toBe(504)
    expect((await shop.read(order)).transactions).toMatchObject([{ status_reason: 'awaiting_gateway' }])
    await replaceAccount(false)
    expect(await take()).toMatchObject({ status: 200, body: { status: 'complete' } })
    expect(await shop.read(order)).toMatchObject({ status_payment: 'paid' })
  })

  it('what an account refuses that knows the payment is refused, also where its credentials are new', async () => {
    const order = await shop.buy()
    provider.refundByHand(paymentOf(order), 1_000)
    expect((await dying('orders.refund_begun', () => refund(order))).status).toBe(500)
    await replaceAccount(false)
    expect((await refund(order)).status).toBe(402)
    expect((await shop.read(order)).transactions).toMatchObject([{ status: 'complete' }, { status: 'failed' }])
  })

  it('a refund that was made, and stands here as failed, is recorded when its provider is asked', async () => {
    // Long after the last change of the credentials: then the other account is believed.
    app.clock.advance(3_600)
    const order = await shop.buy()
    expect((await dying('orders.refund_asked', () => refund(order))).status).toBe(500)
    provider.askOther(true)
    expect((await refund(order)).status).toBe(402)
    provider.askOther(false)
    expect((await shop.read(order)).status_payment).toBe('paid')
    for (const _ of [1, 2]) {
      await shop.tell('refunded', { key: null, id: paymentOf(order), refund: 'MADE' })
      expect(await shop.read(order)).toMatchObject({ status_payment: 'refunded', refunds: [{ amount: { raw: 10 } }] })
    }
    expect(provider.givenBack(paymentOf(order))).toEqual([1_000])
  })

  if ('razorpay' in provider)
    it('nor is one that the storefront has named', async () => {
      const { razorpay } = provider as Accounts & Awaited<ReturnType<typeof openRazorpayProvider>>
      const payment = razorpay.pay({ amount: 1_000 })
      const [bought, body] = [await shop.token(), payBy('razorpay', { payment_id: payment.id })]
      expect((await dying('capture.charged', () => shop.capture(bought, body))).status).toBe(500)
      await replaceAccount(true)
      await isFoundAtFormer(bought)
      expect(razorpay.payments.get(payment.id)).toMatchObject({ status: 'captured', amount_refunded: 0 })
    })
})
