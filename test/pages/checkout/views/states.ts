// The main states of every page, by name: what screenshots are made of, and what is looked at by axe.

import type { Html } from '../../../../src/lib/html/html.ts'
import { refusal } from '../../../../src/lib/words/refusals.ts'
import { themeCss } from '../../../../src/pages/checkout/theme.ts'
import { messagePage } from '../../../../src/pages/checkout/views/message.ts'
import { orderedPage } from '../../../../src/pages/checkout/views/ordered.ts'
import { payPage } from '../../../../src/pages/checkout/views/pay.ts'
import { productPage } from '../../../../src/pages/checkout/views/product.ts'
import { receiptPage } from '../../../../src/pages/checkout/views/receipt.ts'
import {
  EMAIL,
  EVERYTHING,
  frame,
  GATEWAY,
  GERMAN,
  liveOf,
  messageModel,
  orderOf,
  PAYPAL,
  PROBLEMS,
  payModel,
  productModel,
  receiptModel,
  SIMULATED,
  STRIPE,
  shop,
  TEST_CARD,
  TRANSFER,
  typed,
} from './samples.ts'

const LONG =
  'A very long name of a product that somebody wrote without a thought for telephones, Donaudampfschifffahrtsgesellschaftskapitänsmützenständer'

const nineLines = Array.from({ length: 9 }, (_, index) => ({
  name: index === 4 ? LONG : `Bowl no. ${index + 1}`,
  cents: 1_234_567 + index * 100,
  quantity: index + 1,
}))

const japanese = {
  'customer[email]': 'yuki@example.jp',
  'shipping[country]': 'JP',
  'shipping[name]': '山田 由紀',
  'shipping[county_state]': 'Tokyo',
  'shipping[town_city]': '渋谷区',
  'shipping[street]': '神南1-2-3',
  'shipping[postal_zip_code]': '150-0041',
}

export const STATES: Readonly<Record<string, () => Html>> = {
  'pay-empty': () => payPage(payModel({ live: liveOf({ shipping: null, tax: 1_200 }) })),
  'pay-filled': () => payPage(payModel({ typed: typed(GERMAN) })),
  'pay-sandbox-card': () =>
    payPage(payModel({ ...frame({ isSandbox: true }), typed: typed(GERMAN), ways: [TEST_CARD, PAYPAL, SIMULATED] })),
  'pay-simulated': () =>
    payPage(
      payModel({
        ...frame({ isSandbox: true }),
        typed: typed({ ...GERMAN, 'payment[gateway]': 'stripe' }),
        ways: [TEST_CARD, SIMULATED],
      }),
    ),
  'pay-transfer': () =>
    payPage(payModel({ typed: typed({ ...GERMAN, 'payment[gateway]': 'gway_9f' }), ways: [STRIPE, TRANSFER] })),
  'pay-errors': () =>
    payPage(
      payModel({
        typed: typed({ ...GERMAN, 'customer[email]': 'mira.hansen@', 'shipping[street]': '' }),
        problems: PROBLEMS,
      }),
    ),
  'pay-changed': () =>
    payPage(
      payModel({
        typed: typed(GERMAN),
        notice: {
          tone: 'changed',
          said: refusal('total_changed', { total: '€84.90' }),
          before: liveOf({ shipping: 490 }),
        },
      }),
    ),
  'pay-declined': () =>
    payPage(
      payModel({
        ...frame({ isSandbox: true }),
        typed: typed(GERMAN),
        ways: [TEST_CARD],
        notice: { tone: 'bad', said: refusal('payment_declined', { reason: 'The card has insufficient funds.' }) },
      }),
    ),
  'pay-codes': () =>
    payPage(
      payModel({
        typed: typed({ ...GERMAN, discount_code: 'WELCOME10', giftcard_code: 'GIFT-7F3K-99QD' }),
        live: liveOf({ discount: 1_000, giftCard: 2_500, tax: 1_100, isTaxIncluded: false }),
      }),
    ),
  'pay-free': () =>
    payPage(
      payModel({
        demands: EMAIL,
        isShipped: false,
        live: liveOf({ lines: [{ name: 'Care guide (PDF)', cents: 0 }], shipping: 0 }),
      }),
    ),
  'pay-digital': () =>
    payPage(
      payModel({
        demands: [...EMAIL, GATEWAY],
        isShipped: false,
        live: liveOf({
          lines: [{ name: 'Glaze recipes (PDF)', cents: 1_900, colors: ['41454d', 'd6dae1'] }],
          shipping: 0,
        }),
      }),
    ),
  'pay-everything': () =>
    payPage(
      payModel({
        demands: EVERYTHING,
        typed: typed({ 'customer[email]': 'a@example.com', 'shipping[country]': 'US', 'billing[country]': 'CA' }),
        live: liveOf({ tax: 1_357, payWhatYouWant: true }),
      }),
    ),
  'pay-long': () =>
    payPage(
      payModel({
        ...frame({ name: LONG }),
        typed: typed({ ...GERMAN, 'shipping[name]': LONG }),
        live: liveOf({ lines: nineLines }),
      }),
    ),
  'pay-japan': () =>
    payPage(
      payModel({
        ...frame(),
        language: 'ja',
        typed: typed(japanese),
        live: liveOf({
          currency: 'JPY',
          lines: [{ name: '珈琲カップ「フィヨルド」', cents: 3_200, quantity: 2 }],
          shipping: 590,
        }),
      }),
    ),
  'pay-verify-test': () =>
    payPage(
      payModel({
        ...frame({ isSandbox: true }),
        typed: typed(GERMAN),
        ways: [TEST_CARD],
        verification: {
          way: TEST_CARD,
          param: 'pi_1',
          confirmedBy: { 'payment[test_gateway][payment_intent_id]': 'pi_1' },
        },
      }),
    ),
  'pay-verify-script': () =>
    payPage(payModel({ typed: typed(GERMAN), verification: { way: STRIPE, param: 'pi_secret', confirmedBy: null } })),
  'pay-no-way': () => payPage(payModel({ typed: typed(GERMAN), ways: [] })),
  'cart-ordered': () => orderedPage({ ...frame(), refused: null }),
  'cart-ordered-refused': () => orderedPage({ ...frame(), refused: 'ada@exampel.com' }),
  'receipt-paid': () => receiptPage(receiptModel()),
  'receipt-unpaid': () =>
    receiptPage(
      receiptModel({
        order: orderOf({ payment: 'not_paid', gatewayName: 'Bank transfer' }),
        howToPay: TRANSFER.details,
      }),
    ),
  'receipt-refunded': () => receiptPage(receiptModel({ order: orderOf({ payment: 'refunded' }) })),
  'receipt-partly-refunded': () => receiptPage(receiptModel({ order: orderOf({ payment: 'partially_refunded' }) })),
  'receipt-cancelled': () =>
    receiptPage(receiptModel({ order: orderOf({ status: 'cancelled', payment: 'refunded' }) })),
  'message-waiting': () => messagePage(messageModel('waiting', { refreshSeconds: 600 })),
  'message-still-waiting': () => messagePage(messageModel('still_waiting')),
  'message-to-provider': () =>
    messagePage(
      messageModel('to_provider', { next: 'https://www.paypal.com/checkoutnow?token=1', refreshSeconds: null }),
    ),
  'message-not-paid': () =>
    messagePage(messageModel('not_paid', { said: refusal('payment_not_made'), next: '/checkout/18491/pay/chkt_1' })),
  'message-gone': () => messagePage(messageModel('gone')),
  'message-closed': () => messagePage(messageModel('closed')),
  'message-not-secure': () => messagePage(messageModel('not_secure')),
  product: () => productPage(productModel()),
  'product-errors': () =>
    productPage(
      productModel({ problems: [{ path: 'variants.vgrp_1', said: refusal('choose_option', { name: 'Glaze' }) }] }),
    ),
  'product-sold-out': () => {
    const model = productModel()
    return productPage({ ...model, product: { ...model.product, is: { ...model.product.is, sold_out: true } } })
  },
}

/** The style sheet that `shop.themePath` names. */
export const THEME = { path: shop.themePath, css: themeCss({ accent: '#0f5c63', background: '#f3f1ec' }) }
