// The main states of every page, by name: what axe looks at.

import type { Html } from '../../../../src/lib/html/html.ts'
import { refusal } from '../../../../src/lib/words/refusals.ts'
import type { MessageModel, PayModel, ReceiptModel } from '../../../../src/pages/checkout/model.ts'
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

const sandbox = frame({ is_sandbox: true })
const german = typed(GERMAN)
const bought = (name: string, cents: number, more = {}) => liveOf({ lines: [{ name, cents, ...more }], shipping: 0 })

const PAY: Readonly<Record<string, Partial<PayModel>>> = {
  empty: { live: liveOf({ shipping: null, tax: 1_200 }) },
  filled: { typed: german },
  'sandbox-card': { ...sandbox, typed: german, ways: [TEST_CARD, PAYPAL, SIMULATED] },
  simulated: { ...sandbox, typed: typed({ ...GERMAN, 'payment[gateway]': 'stripe' }), ways: [TEST_CARD, SIMULATED] },
  transfer: { typed: typed({ ...GERMAN, 'payment[gateway]': 'gway_9f' }), ways: [STRIPE, TRANSFER] },
  errors: {
    typed: typed({ ...GERMAN, 'customer[email]': 'mira.hansen@', 'shipping[street]': '' }),
    problems: PROBLEMS,
  },
  changed: {
    typed: german,
    notice: {
      tone: 'changed',
      shopperMessage: refusal('total_changed', { total: '€84.90' }),
      before: liveOf({ shipping: 490 }),
    },
  },
  declined: {
    ...sandbox,
    typed: german,
    ways: [TEST_CARD],
    notice: {
      tone: 'bad',
      shopperMessage: refusal('payment_declined', { reason: 'The card has insufficient funds.' }),
    },
  },
  codes: {
    typed: typed({ ...GERMAN, discount_code: 'WELCOME10', giftcard_code: 'GIFT-7F3K-99QD' }),
    live: liveOf({ discount: 1_000, giftCard: 2_500, tax: 1_100, isTaxIncluded: false }),
  },
  free: { demands: EMAIL, isShipped: false, live: bought('Care guide (PDF)', 0) },
  digital: {
    demands: [...EMAIL, GATEWAY],
    isShipped: false,
    live: bought('Glaze recipes (PDF)', 1_900, { image: 'guide' }),
  },
  everything: {
    demands: EVERYTHING,
    typed: typed({ 'customer[email]': 'a@example.com', 'shipping[country]': 'US', 'billing[country]': 'CA' }),
    live: liveOf({ tax: 1_357, payWhatYouWant: true }),
  },
  long: {
    ...frame({ name: LONG }),
    typed: typed({ ...GERMAN, 'shipping[name]': LONG }),
    live: liveOf({ lines: nineLines }),
  },
  japan: {
    language: 'ja',
    typed: typed(japanese),
    live: liveOf({ currency: 'JPY', lines: [{ name: '珈琲カップ「フィヨルド」', cents: 3_200, quantity: 2 }] }),
  },
  'verify-test': {
    ...sandbox,
    typed: german,
    ways: [TEST_CARD],
    verification: {
      way: TEST_CARD,
      param: 'pi_1',
      confirmedBy: { 'payment[test_gateway][payment_intent_id]': 'pi_1' },
    },
  },
  'verify-script': { typed: german, verification: { way: STRIPE, param: 'pi_secret', confirmedBy: null } },
  'no-way': { typed: german, ways: [] },
}

const RECEIPT: Readonly<Record<string, Partial<ReceiptModel>>> = {
  paid: {},
  unpaid: {
    order: orderOf({ payment: 'not_paid', gatewayName: 'Bank transfer' }),
    howToPay: TRANSFER.details,
  },
  refunded: { order: orderOf({ payment: 'refunded' }) },
  'partly-refunded': { order: orderOf({ payment: 'partially_refunded' }) },
  cancelled: { order: orderOf({ status: 'cancelled', payment: 'refunded' }) },
}

const MESSAGE: Readonly<Record<string, MessageModel>> = {
  waiting: messageModel('waiting', { refreshSeconds: 600 }),
  'still-waiting': messageModel('still_waiting'),
  'to-provider': messageModel('to_provider', { next: 'https://www.paypal.com/checkoutnow?token=1' }),
  'not-paid': messageModel('not_paid', {
    shopperMessage: refusal('payment_not_made'),
    next: '/checkout/18491/pay/chkt_1',
  }),
  gone: messageModel('gone'),
  'all-gone': messageModel('all_gone'),
  closed: messageModel('closed'),
  'not-secure': messageModel('not_secure'),
}

const soldOut = () => {
  const { product } = productModel()
  return productModel({ product: { ...product, is: { ...product.is, sold_out: true } } })
}
const optionMissing = [{ path: 'variants.vgrp_1', shopperMessage: refusal('choose_option', { name: 'Glaze' }) }]

const named = <T>(prefix: string, models: Readonly<Record<string, T>>, show: (model: T) => Html) =>
  Object.fromEntries(Object.entries(models).map(([name, model]) => [`${prefix}-${name}`, () => show(model)]))

export const STATES: Readonly<Record<string, () => Html>> = {
  ...named('pay', PAY, (change) => payPage(payModel(change))),
  'cart-ordered': () => orderedPage({ ...frame(), refused: null }),
  'cart-ordered-refused': () => orderedPage({ ...frame(), refused: 'ada@exampel.com' }),
  ...named('receipt', RECEIPT, (change) => receiptPage(receiptModel(change))),
  ...named('message', MESSAGE, messagePage),
  product: () => productPage(productModel()),
  'product-errors': () => productPage(productModel({ problems: optionMissing })),
  'product-sold-out': () => productPage(soldOut()),
}

/** The style sheet that `shop.themePath` names. */
export const THEME = { path: shop.themePath, css: themeCss({ accent: '#0f5c63', background: '#f3f1ec' }) }
