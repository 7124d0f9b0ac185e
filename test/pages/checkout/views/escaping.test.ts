// Whatever a merchant or a shopper has written stands in a page as text.

import { describe, expect, it } from 'vitest'
import { refusal } from '../../../../src/lib/words/refusals.ts'
import { assetPath } from '../../../../src/pages/assets.ts'
import { messagePage } from '../../../../src/pages/checkout/views/message.ts'
import { orderedPage } from '../../../../src/pages/checkout/views/ordered.ts'
import { payPage } from '../../../../src/pages/checkout/views/pay.ts'
import { productPage } from '../../../../src/pages/checkout/views/product.ts'
import { receiptPage } from '../../../../src/pages/checkout/views/receipt.ts'
import {
  EVERYTHING,
  frame,
  liveOf,
  messageModel,
  orderOf,
  PAYPAL,
  payModel,
  productModel,
  receiptModel,
  SIMULATED,
  STRIPE,
  TEST_CARD,
  TRANSFER,
} from './samples.ts'

const HOSTILE = `"'><img src=x onerror=alert(1)>&lt;</textarea></title></script>`

/** Codes that the page decides by; all other text is somebody's. */
const CODES = 'type kind code currency status status_payment status_reason tone language languages'.split(' ')

/** The same with hostile text in the place of every text. */
function hostile<T>(value: T, key = ''): T {
  if (typeof value === 'string') return (CODES.includes(key) ? value : `${value}${HOSTILE}`) as T
  if (value instanceof Map)
    return new Map([...value].map(([name, text]) => [name, hostile(text as string)])) as unknown as T
  if (Array.isArray(value)) return value.map((each) => hostile(each, key)) as unknown as T
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)])) as T
  return value
}

const allInputs = new Map(
  EVERYTHING.map(({ path: [first = '', ...rest] }) => [first + rest.map((part) => `[${part}]`).join(''), 'typed']),
)

const live = { ...hostile(liveOf({ discount: 100, giftCard: 200, tax: 100 })), currency: { code: 'EUR', symbol: '' } }

const pages = {
  pay: payPage({
    ...hostile(
      payModel({ demands: EVERYTHING, typed: allInputs, ways: [TEST_CARD, PAYPAL, TRANSFER, STRIPE, SIMULATED] }),
    ),
    live,
    problems: [
      { path: 'customer.email', shopperMessage: refusal('missing_answer', { name: HOSTILE }) },
      { path: HOSTILE, shopperMessage: refusal('not_for_sale', { product: HOSTILE }) },
    ],
    notice: { tone: 'bad', shopperMessage: refusal('payment_declined', { reason: HOSTILE }), before: live },
  }),
  verification: payPage({
    ...hostile(payModel()),
    live,
    verification: { way: hostile(TEST_CARD), param: HOSTILE, confirmedBy: { [`x${HOSTILE}`]: HOSTILE } },
  }),
  receipt: receiptPage({
    ...hostile(receiptModel({ howToPay: 'Pay' })),
    order: { ...hostile(orderOf({ payment: 'paid' })), currency: { code: 'EUR', symbol: '' } },
  }),
  message: messagePage({
    ...hostile(messageModel('not_paid')),
    next: `https://a.example/${HOSTILE}`,
    refreshSeconds: 3,
  }),
  ordered: orderedPage({ ...hostile(frame()), refused: HOSTILE }),
  product: productPage(hostile(productModel())),
}

describe('what others have written', () => {
  it.each(Object.entries(pages))('stands as text: %s', (_, { text }) => {
    expect(text).not.toContain('<img src=x')
    expect(text).not.toContain('</textarea></title>')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  it.each(Object.entries(pages))('closes no attribute, and the page has nothing inline: %s', (_, { text }) => {
    // Without what stands in quotes, each tag is its name and names of attributes.
    const bare = text.replace(/"[^"]*"/g, '""')
    expect(bare.match(/<[a-z][^>]*["'][^>=]*["'][^>]*>/g)?.filter((tag) => /""[^\s>]/.test(tag)) ?? []).toEqual([])
    expect(bare).not.toMatch(/<[a-z][^>]*\son[a-z]+=/i)
    expect(bare).not.toMatch(/<style|<[a-z][^>]*\sstyle=/i)
    expect(text.match(/<script\b[^>]*>/g) ?? []).toEqual(
      text.includes('/enhance-') ? [`<script type="module" src="${assetPath('enhance.js')}">`] : [],
    )
  })

  it('leads nowhere that would run as a script', () => {
    const bad = 'javascript:alert(1)'
    const shop = { ...payModel().shop, termsUrl: bad, privacyUrl: bad, returnUrl: bad, logo: { url: bad, shape: null } }
    const order = { ...orderOf(), redirect: bad }
    const texts = [
      payPage(payModel({ shop })).text,
      receiptPage(receiptModel({ shop, order })).text,
      messagePage(messageModel('to_provider', { shop, next: bad, refreshSeconds: 0 })).text,
    ]
    for (const text of texts) expect(text).not.toContain('javascript:')
  })

  it('of a description only the words are shown', () => {
    const { text } = productPage(productModel())
    expect(text).toContain('<p>Thrown by hand from Baltic clay.</p><p>Dishwasher-safe; 90 ml.</p>')
    expect(text).not.toContain('alert(1)')
  })

  it('nothing of a card is ever written again', () => {
    const card = { number: '4242424242424242', cvc: '987', expires: '05/31' }
    const inputs = new Map(Object.entries(card).map(([name, value]) => [`payment[card][${name}]`, value]))
    const { text } = payPage(payModel({ ways: [TEST_CARD], typed: inputs }))
    expect(text).not.toMatch(/4242424242424242|987|05\/31/)
  })
})
