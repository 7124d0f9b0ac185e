// The mails themselves: readable in any colours, safe whatever a shop or a shopper has written, and complete as text.

import { describe, expect, it } from 'vitest'
import { sampleOrder, sampleShop } from '../../src/cli/mail-sample.ts'
import { priceOf } from '../../src/lib/money.ts'
import { contrast, isColor, linkOn, quietTextOn, textOn } from '../../src/mail/contrast.ts'
import { loginMail } from '../../src/mail/login-mail.ts'
import { receiptMail } from '../../src/mail/receipt-mail.ts'
import type { ReceiptOrder } from '../../src/mail/receipt-order.ts'
import type { MailShop } from '../../src/mail/shop.ts'

const ORIGIN = 'https://api.shop.example'
const NOW = new Date('2026-01-02T03:04:05Z')
const EVIL = `<script>alert("x")</script>'"&<img src=x onerror=y>\r\nBcc: x@y.example`
const order = (more: Partial<ReceiptOrder> = {}): ReceiptOrder => ({ ...sampleOrder(ORIGIN, NOW), ...more })
const bought = (more: Partial<ReceiptOrder['order']>) => order({ order: { ...order().order, ...more } })
const usd = (minor: number) => priceOf(minor, 'USD')
const receipt = (of: ReceiptOrder, shop: MailShop = sampleShop) => receiptMail(shop, of, { hasLinks: true })
const login = (shop: MailShop = sampleShop) =>
  loginMail(shop, { link: 'https://shop.example/login?a=1&token=t', minutes: 15 })

/** Every colour of a coarse grid, and those that are hard. */
const SHADES = ['00', '33', '55', '77', '99', 'bb', 'dd', 'ff']
const COLORS = [
  ...SHADES.flatMap((r) => SHADES.flatMap((g) => SHADES.map((b) => `#${r}${g}${b}`))),
  '#767676',
  '#757575',
]

describe('colours', () => {
  it('can be read whatever a shop has set: text on the accent, small print and links', () => {
    const unreadable = COLORS.flatMap((color) => [
      ...(contrast(textOn(color), color) < 4.5 ? [`text on ${color}`] : []),
      ...(contrast(quietTextOn(color), color) < 4.5 ? [`small print on ${color}`] : []),
      ...(contrast(linkOn('#ffffff', color), '#ffffff') < 4.5 ? [`a link in ${color}`] : []),
    ])
    expect(unreadable).toEqual([])
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('are six digits behind a #', () => {
    expect(['#1d4ed8', '#FFF000'].every(isColor)).toBe(true)
    expect(['', 'red', '#fff', '#1d4ed88', '#12345g', '#000000;}', ' #000000'].some(isColor)).toBe(false)
  })

  it('of the shop are in its mails, with the text that can be read on them', () => {
    const shop = { ...sampleShop, accent: '#ffd60a', background: '#1d4ed8' }
    for (const { html } of [login(shop), receipt(order(), shop)]) {
      expect(html).toContain('border-top:4px solid #ffd60a')
      expect(html).toContain('background:#1d4ed8')
    }
    expect(login(shop).html).toContain('background:#ffd60a;border:1px solid #18181b')
    expect(login(shop).html).toContain('color:#18181b;text-decoration:none')
    // In the dark as well: a light accent stays, one that would not be seen becomes light.
    expect(login(shop).html).toContain(
      '.button{background:#ffd60a!important;border-color:#ffd60a!important}.button a{color:#18181b!important}',
    )
    expect(login().html).toContain(
      '.button{background:#f4f4f5!important;border-color:#f4f4f5!important}.button a{color:#18181b!important}',
    )
  })
})

describe('every mail', () => {
  const logo = { ...sampleShop, logoUrl: `${ORIGIN}/files/1/ast_1/logo.png`, logoShape: 'circle' as const }

  it.each([
    ['login', login()],
    ['receipt', receipt(order())],
    ['login with a logo', login(logo)],
  ])(
    '%s is a page that says its language and title, lays out by tables that screen readers pass over, and stays narrow',
    (_, { html, subject }) => {
      expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/)
      expect(html).toContain(`<title>${subject.replace('&', '&amp;')}</title>`)
      expect(html).toContain('<meta name="color-scheme" content="light dark">')
      expect(html).toContain('max-width:600px')
      expect(html.match(/<h1/g)?.length).toBe(1)
      // A table is for layout and says so, or is one of data and has headers.
      const tables = html.split('<table').slice(1)
      for (const table of tables) expect(/^ role="presentation"/.test(table) || table.includes('<th scope=')).toBe(true)
      for (const image of html.match(/<img[^>]*>/g) ?? []) expect(image).toMatch(/ alt="[^"]+"/)
      // Nothing that mail programs block, or that could be loaded from elsewhere.
      expect(html).not.toMatch(/<script|<link|<iframe|<form|@import|url\(|javascript:/i)
    },
  )

  it('shows the logo by its shape, with the name of the shop for who sees no pictures', () => {
    expect(login(logo).html).toContain(
      `src="${ORIGIN}/files/1/ast_1/logo.png" alt="Juniper &amp; Clay" width="72" height="72"`,
    )
    expect(login(logo).html).toContain('border-radius:50%')
    expect(login({ ...logo, logoShape: 'rectangle' }).html).toContain('height="56"')
    expect(login().html).not.toContain('<img')
  })

  it('escapes whatever a shop or a shopper has written', () => {
    const shop = { ...sampleShop, name: EVIL, supportEmail: `"><script>@x.example`, logoUrl: `"><script>` }
    const evil = order({
      customer_reference: EVIL,
      customer: { firstname: EVIL, email: EVIL },
      shipping: { ...order().shipping, name: EVIL, street: EVIL, country: EVIL },
      billing: null,
      extra_fields: [{ name: EVIL, value: EVIL }],
      adjustments: [{ description: EVIL, amount: usd(1) }],
      order: {
        ...order().order,
        line_items: [
          {
            product_name: EVIL,
            quantity: 1,
            line_total: usd(1),
            selected_options: [{ group_name: EVIL, option_name: EVIL }],
          },
        ],
        discount: { code: EVIL, amount_saved: usd(1) },
        shipping: { id: 'ship_1', description: EVIL, price: usd(1) },
        giftcard: { code: EVIL, credit: usd(1) },
      },
    })
    for (const mail of [receipt(evil, shop), loginMail(shop, { link: `https://x.example/"><script>`, minutes: 15 })]) {
      expect(mail.html).not.toMatch(/<script|onerror=y>|<img src=x/)
      expect(mail.subject).not.toMatch(/[\r\n]/)
      // In the text, too, a name stays one line: nobody can write paragraphs into the mail of another.
      expect(mail.text).not.toContain('\nBcc:')
    }
  })
})

describe('the login mail', () => {
  it('has the link, how long it works and what to do if nobody asked for it', () => {
    const { subject, text, html } = login()
    expect(subject).toBe('Log in to Juniper & Clay')
    expect(html.match(/href="https:\/\/shop\.example\/login\?a=1&amp;token=t"/g)?.length).toBe(2)
    expect(text).toBe(`Log in to Juniper & Clay

Open this address to log in. You need no password.

https://shop.example/login?a=1&token=t

The link works once, within the next 15 minutes.
If you did not ask for it, leave it: without this mail nobody can log in.

-- 
Juniper & Clay
You get this mail because somebody asked to log in to Juniper & Clay with your e-mail address.
Questions? Answer this mail or write to hello@shop.example.
`)
  })
})

describe('the receipt', () => {
  it('shows lines with their options, the sums, how it was paid, the addresses and the downloads', () => {
    const { subject, text, html } = receipt(order())
    expect(subject).toBe('Your order JNP-1042 from Juniper & Clay')
    expect(text).toBe(`Thank you for your order, Jane
Order JNP-1042, January 2, 2026

YOUR DOWNLOADS
A small book of glazes (PDF, 2.4 MB) It can be downloaded at any time.
https://api.shop.example/fulfill/sample

WHAT YOU ORDERED
2 x Stoneware mug: $48.00
    Colour: Sage, Size: Large
1 x A small book of glazes: $12.00

Subtotal: $60.00
Discount (WELCOME10): -$6.00
Shipping: Standard: $7.00
Tax: $4.32
Total: $65.32 USD

PAYMENT
Gift card ending in 9QXR: $25.00
Visa ending in 4242: $40.32

SHIPPING ADDRESS
Jane Doe
123 Fake St
Apartment 4
San Francisco, CA 94103
United States

BILLING ADDRESS
Jane Doe
123 Fake St
Apartment 4
San Francisco, CA 94103
United States

FURTHER DETAILS
Gift message: Happy birthday!

-- 
Juniper & Clay
You get this mail because you ordered from Juniper & Clay.
Questions? Answer this mail or write to hello@shop.example.
`)
    for (const shown of ['Sage', '$48.00', 'WELCOME10', '-$6.00', '$65.32 USD', 'ending in 9QXR', 'United States'])
      expect(html).toContain(shown)
    // What is left on a gift card belongs to whoever knows its code.
    expect(html + text).not.toContain('GIFT-7K2M')
  })

  const NO_ADDRESS = {
    name: null,
    street: null,
    street_2: null,
    town_city: null,
    county_state: null,
    postal_zip_code: null,
    country: null,
  }
  const charge = order().transactions[0] as ReceiptOrder['transactions'][number]

  it.each<[string, ReceiptOrder, string[], string[]]>([
    [
      'nothing that there is not',
      order({
        billing: null,
        shipping: NO_ADDRESS,
        extra_fields: [],
        transactions: [],
        order: {
          ...order().order,
          discount: [],
          giftcard: [],
          tax: { amount: usd(0), included_in_price: false },
          shipping: { id: null, description: null, price: usd(0) },
        },
      }),
      ['Subtotal: $60.00', 'Total: $65.32 USD'],
      ['Discount', 'Shipping', 'SHIPPING', 'BILLING', 'Tax', 'PAYMENT', 'DETAILS'],
    ],
    [
      'tax that prices include as a note',
      bought({ tax: { amount: usd(432), included_in_price: true } }),
      ['The total includes $4.32 of tax.'],
      ['\nTax:'],
    ],
    [
      'that it is a test',
      order({ sandbox: true }),
      ['This is a test order. Nothing was paid and nothing will be sent.'],
      [],
    ],
    [
      'that it was cancelled, and then no downloads',
      order({ status: 'cancelled' }),
      ['This order has been cancelled.'],
      ['DOWNLOADS'],
    ],
    [
      'what is not paid yet, and no downloads',
      order({
        status_payment: 'not_paid',
        transactions: [
          {
            ...charge,
            status: 'pending',
            payment_source_type: null,
            payment_source: { brand: null },
            gateway_name: 'Manual payment',
            gateway_reference: null,
          },
        ],
      }),
      ['Manual payment, not paid yet: $40.32'],
      ['DOWNLOADS'],
    ],
    [
      'the digits of cards only',
      order({
        transactions: [
          { ...charge, payment_source_type: null, gateway_reference: '1234' },
          { ...charge, gateway_reference: 'ch_12345' },
        ],
      }),
      ['\nVisa: $40.32\nVisa: $40.32'],
      ['1234'],
    ],
    [
      'what was given back',
      order({
        transactions: [
          charge,
          { ...charge, type: 'refund' },
          { ...charge, type: 'refund', status: 'pending' },
          { ...charge, status: 'failed' },
        ],
      }),
      ['Visa ending in 4242: $40.32\nGiven back: -$40.32\n'],
      [],
    ],
    [
      'no part of a short gift card',
      bought({ giftcard: { code: 'GIFT2026', credit: usd(2_500) } }),
      ['\nGift card: $25.00'],
      ['2026:'],
    ],
  ])('shows %s', (_, of, shown, hidden) => {
    const { text } = receipt(of)
    for (const part of shown) expect(text).toContain(part)
    for (const part of hidden) expect(text).not.toContain(part)
  })

  it('leaves out downloads that open nothing, and names them without links where it may hold none', () => {
    const { fulfillment } = order()
    const [file] = fulfillment.digital.downloads
    if (!file) throw new Error('the sample has a download')
    const other = (more: object, pack: object = {}) =>
      order({
        fulfillment: {
          digital: { downloads: [{ ...file, ...more, packages: file.packages.map((one) => ({ ...one, ...pack })) }] },
        },
      })
    for (const gone of [other({ is_expired: true }), other({}, { is_access_revoked: true })])
      expect(receipt(gone).html + receipt(gone).text).not.toMatch(/downloads|fulfill/i)
    const { html, text } = receiptMail(sampleShop, order(), { hasLinks: false })
    expect(html + text).not.toContain('fulfill')
    for (const part of [html, text]) expect(part).toContain('You find the download with your order in the shop.')
  })
})
