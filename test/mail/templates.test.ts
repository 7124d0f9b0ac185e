// @unit
// The mails themselves: readable in any colours, safe whatever a shop or a shopper has written, and complete as text.

import { describe, expect, it } from 'vitest'
import { contrast, isColor, linkColorOn, smallPrintColorOn, textColorOn } from '../../src/lib/html/colors.ts'
import { priceOf } from '../../src/lib/money.ts'
import type { MailShop } from '../../src/mail/layout.ts'
import { loginMail } from '../../src/mail/login-mail.ts'
import { cancellationMail } from '../../src/mail/orders/cancellation-mail.ts'
import { type MerchantOrder, newOrderMail } from '../../src/mail/orders/new-order-mail.ts'
import { receiptMail } from '../../src/mail/orders/receipt-mail.ts'
import type { ReceiptOrder } from '../../src/mail/orders/receipt-order.ts'
import { refundMail } from '../../src/mail/orders/refund-mail.ts'
import {
  sampleCancellation,
  sampleOrder,
  sampleRefund,
  sampleShipment,
  sampleShop,
} from '../../src/mail/orders/sample.ts'
import { shipmentMail } from '../../src/mail/orders/shipment-mail.ts'
import { safeShopperText } from '../../src/mail/shopper-words.ts'

const ORIGIN = 'https://api.shop.example'
const NOW = new Date('2026-01-02T03:04:05Z')
const EVIL = `<script>alert("x")</script>'"&<img src=x onerror=y> " onmouseover="z\r\nBcc: x@y.example`
const order = (more: Partial<ReceiptOrder> = {}): ReceiptOrder => ({ ...sampleOrder(ORIGIN, NOW), ...more })
const bought = (more: Partial<ReceiptOrder['order']>) => order({ order: { ...order().order, ...more } })
const ADDRESS = ['name', 'street', 'street_2', 'town_city', 'county_state', 'postal_zip_code', 'country']
/** An address with the same in every field. */
const addressOf = (value: string | null) =>
  Object.fromEntries(ADDRESS.map((field) => [field, value])) as NonNullable<ReceiptOrder['billing']>
const usd = (minor: number) => priceOf(minor, 'USD')
const receipt = (of: ReceiptOrder, shop: MailShop = sampleShop) => receiptMail(shop, of, { hasLinks: true })
/** Every mail about an order beside its receipt. */
const told = (of: MerchantOrder, shop: MailShop = sampleShop) => [
  shipmentMail(shop, sampleShipment(of, NOW)),
  refundMail(shop, sampleRefund(of)),
  cancellationMail(shop, sampleCancellation(of)),
  newOrderMail(shop, of, { url: `${ORIGIN}/dashboard/orders/ord_1` }),
]
const login = (shop: MailShop = sampleShop) =>
  loginMail(shop, { link: 'https://shop.example/login?a=1&token=t', minutes: 15, is_sandbox: false })

/** What no shop and no shopper writes: it decides what is shown, or we have made it. */
const OURS = /^(status|status_payment|type|payment_source_type|formatted\w*|size|human|access_link)$/

/** The same with evil in place of every text in it. */
const spoilt = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (key, part) => (typeof part === 'string' && !OURS.test(key) ? EVIL : part))

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
      ...(contrast(textColorOn(color), color) < 4.5 ? [`text on ${color}`] : []),
      ...(contrast(smallPrintColorOn(color), color) < 4.5 ? [`small print on ${color}`] : []),
      ...(contrast(linkColorOn('#ffffff', color), '#ffffff') < 4.5 ? [`a link in ${color}`] : []),
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
    for (const { html } of [login(shop), receipt(order(), shop), ...told(sampleOrder(ORIGIN, NOW), shop)]) {
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

  const written: readonly (readonly [string, ReturnType<typeof login>])[] = [
    ['login', login()],
    ['receipt', receipt(order())],
    ['login with a logo', login(logo)],
    ...told(sampleOrder(ORIGIN, NOW)).map(
      (mail, at) => [['shipment', 'refund', 'cancellation', 'new order'][at] ?? '', mail] as const,
    ),
  ]

  it.each(written)(
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

  it('names the address of the shop, as one that a mail program writes to; or none, where the shop has none', () => {
    const shop = { ...sampleShop, supportEmail: 'a?bcc=b&c@shop.example' }
    for (const { html, text } of [login(shop), receipt(order(), shop)]) {
      expect(html).toContain('href="mailto:a%3Fbcc%3Db%26c@shop.example"')
      expect(text).toContain('write to a?bcc=b&c@shop.example.\n')
    }
    for (const { html, text } of [login, (of: MailShop) => receipt(order(), of)].map((mail) =>
      mail({ ...sampleShop, supportEmail: '' }),
    )) {
      expect(html + text).not.toMatch(/Questions|write to|mailto/)
      expect(text).toMatch(/\n-- \nJuniper & Clay\nYou get this mail because [^\n]+\n$/)
    }
  })

  it('escapes whatever a shop or a shopper has written', () => {
    const shop = { ...sampleShop, name: EVIL, supportEmail: `"><script>@x.example`, logoUrl: `"><script>` }
    const theirs = spoilt(order())
    const [charge] = theirs.transactions
    if (!charge) throw new Error('the sample has a charge')
    const evil: ReceiptOrder = {
      ...theirs,
      adjustments: [{ description: EVIL, amount: usd(1) }],
      transactions: [charge, { ...charge, payment_source: { brand: null } }],
    }
    const spoiltShipment = spoilt(sampleShipment(sampleOrder(ORIGIN, NOW), NOW))
    const spoiltRefund = { ...spoilt(sampleRefund(sampleOrder(ORIGIN, NOW))), isNewCard: true, credit: usd(1) }
    const merchants = spoilt(sampleOrder(ORIGIN, NOW))
    for (const mail of [
      receipt(evil, shop),
      shipmentMail(shop, spoiltShipment),
      shipmentMail(shop, {
        ...spoiltShipment,
        shipment: { ...spoiltShipment.shipment, tracking_url: 'https://x.example/"><script>' },
      }),
      refundMail(shop, spoiltRefund),
      cancellationMail(shop, spoilt(sampleCancellation(merchants))),
      newOrderMail(shop, merchants, { url: `${ORIGIN}/"><script>` }),
      loginMail(shop, { link: `https://x.example/"><script>`, minutes: 15, is_sandbox: true }),
    ]) {
      expect(mail.html).not.toMatch(/<script|onerror=y>|<img src=x|onmouseover="/)
      expect(mail.subject).not.toMatch(/[\r\n]/)
      // In the text, too, a name stays one line: nobody can write paragraphs into the mail of another.
      expect(mail.text).not.toContain('\nBcc:')
    }
  })
})

describe('what a shopper has typed', () => {
  it.each([
    ['https://evil.example', 'evil.\u200cexample'],
    ['Win a prize at HTTPS://evil.example/now?x=1', 'Win a prize at evil.\u200cexample/now?x=1'],
    ['htthttps://ps://evil.example', 'evil.\u200cexample'],
    ['https: //evil.example', '/evil.\u200cexample'],
    ['http:\\\\evil.example', 'evil.\u200cexample'],
    ['\\\\evil\\share', '/evil\\share'],
    ['x-evil+app://open', 'open'],
    ['ht\u200btps:\u200c//evil.exa\u00admple', 'evil.\u200cexample'],
    ['evil\u3002example', 'evil\u3002\u200cexample'],
    ['evil.\u200cexample', 'evil.\u200cexample'],
    ['evil.হি', 'evil.\u200cহি'],
    ['हि\u3002\u200cहि', 'हि\u3002\u200cहि'],
    ['😀.ws', '😀.\u200cws'],
    ['(see:evil.com)', '(see:evil.\u200ccom)'],
    ['1.1😀', '1.\u200c1😀'],
    ['https://', ''],
  ])('is words and nothing that a mail program makes a link of: %j', (typed, shown) => {
    expect(safeShopperText(typed)).toBe(shown)
    expect(safeShopperText(shown)).toBe(shown)
  })

  it.each([0x34f, 0x61c, 0x115f, 0x17b4, 0x2065, 0x206a, 0x3164, 0xfe0f, 0xe002e, 0xe0100])(
    'has no sign that nobody sees, by which a link or a name could be hidden: %i',
    (code) => {
      const unseen = String.fromCodePoint(code)
      expect(safeShopperText(`ht${unseen}tps:/${unseen}/evil${unseen}.com${unseen}`)).toBe('evil.\u200ccom')
    },
  )

  it.each([
    'Jane Doe',
    'Dr. Ada O\u2019Neill-Smith Jr.',
    '1/2 Main St., Apt. 4',
    'Note: ring twice',
    '3.5',
    '($3.50), +1.5%',
    'Wait... what?!',
    'می\u200cخواهم',
    '👩\u200d🚀',
  ])('is shown as it stands otherwise: %j', (typed) => {
    expect(safeShopperText(typed)).toBe(typed)
  })

  it('takes no time to speak of, however it is made up', () => {
    for (const typed of [
      'a'.repeat(1e6),
      'a:'.repeat(5e5),
      'a.'.repeat(5e5),
      'https:'.repeat(2e5),
      '\u200c'.repeat(1e6),
    ])
      expect(safeShopperText(typed, 1_000).length).toBeLessThanOrEqual(2_000)
  })

  it('is no heading and no link in a receipt, wherever it was typed, nor is it in the subject', () => {
    const typed = 'Win at https://evil.example or mailto:me@evil.example'
    const address = addressOf(typed)
    const [charge] = order().transactions
    if (!charge) throw new Error('the sample has a charge')
    const of = order({
      shipping: address,
      billing: address,
      extra_fields: [{ name: 'Gift message', value: typed }],
      transactions: [{ ...charge, payment_source: { brand: typed }, gateway_reference: typed }],
    })
    const { subject, html, text } = receipt(of)
    const plain = receipt(order())
    expect([html, text, subject].join('').match(/evil\.example|:\/\/evil|mailto:me/g)).toBe(null)
    expect(text.match(/Win at evil\.\u200cexample or me@evil\.\u200cexample/g)?.length).toBe(2 * 7 + 2)
    const tags = (page: string, tag: string) => page.match(new RegExp(`<${tag}\\b.*?</${tag}>`, 'gs'))
    for (const tag of ['h1', 'h2', 'a', 'title']) expect(tags(html, tag)).toEqual(tags(plain.html, tag))
    expect(subject).toBe(plain.subject)
  })
})

describe('the login mail', () => {
  // The golden bodies of developer.preview_mail and list_mails hold its whole text.
  it('has the link as a button and as an address', () => {
    const { html } = login()
    expect(html.match(/href="https:\/\/shop\.example\/login\?a=1&amp;token=t"/g)?.length).toBe(2)
  })

  it('of the sandbox says so in the subject, the title and above everything else', () => {
    const { subject, text, html } = loginMail(sampleShop, { link: 'https://a.example/', minutes: 15, is_sandbox: true })
    const notice = 'This is a test. The link logs you in where nothing is paid and nothing is sent.'
    expect(subject).toBe('[Test] Log in to Juniper & Clay')
    expect(html).toContain('<title>[Test] Log in')
    expect(html).toContain(`<strong>${notice}</strong>`)
    expect(text.split('\n').slice(0, 3)).toEqual(['Log in to Juniper & Clay', notice, ''])
    expect(login().html + login().text).not.toContain('This is a test')
  })
})

describe('the receipt', () => {
  it('shows lines with their options, the sums, how it was paid, the addresses and the downloads', () => {
    const { subject, text, html } = receipt(order())
    expect(subject).toBe('Your order JNP-1042 from Juniper & Clay')
    expect(text).toBe(`Thank you for your order
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

  const charge = order().transactions[0] as ReceiptOrder['transactions'][number]

  const paidBy = (...changes: Partial<typeof charge>[]) =>
    order({ transactions: changes.map((change) => ({ ...charge, ...change })) })
  const byHand = {
    status: 'pending',
    payment_source_type: null,
    payment_source: { brand: null },
    gateway_name: 'Manual payment',
    gateway_reference: null,
  } as const
  const TEST = 'This is a test order. Nothing was paid and nothing will be sent.'

  it.each<[string, ReceiptOrder, string[], string[]]>([
    [
      'nothing that there is not',
      order({
        billing: null,
        shipping: addressOf(null),
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
    ['that it is a test', order({ sandbox: true }), [TEST], []],
    [
      'a cancellation and no downloads',
      order({ status: 'cancelled' }),
      ['This order has been cancelled.'],
      ['DOWNLOADS'],
    ],
    [
      'what is not paid yet, and no downloads',
      { ...paidBy(byHand), status_payment: 'not_paid' },
      ['Manual payment, not paid yet: $40.32'],
      ['DOWNLOADS'],
    ],
    [
      'the digits of cards only',
      paidBy({ payment_source_type: null, gateway_reference: '1234' }, { gateway_reference: 'ch_12345' }),
      ['\nVisa: $40.32\nVisa: $40.32'],
      ['1234'],
    ],
    [
      'what was given back',
      paidBy({}, { type: 'refund' }, { type: 'refund', status: 'pending' }, { status: 'failed' }),
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
