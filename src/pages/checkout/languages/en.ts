// The checkout in English. Other languages have the same keys, and functions with the same parameters. Sums, dates and country names come
// formatted. Texts contain no HTML.

import { missingSentence, type ShopperField, wrongSentence } from '../../../lib/words/fields.ts'
import { REFUSAL_CODES, shopperSentence } from '../../../lib/words/refusals.ts'
import type { DeclineReason, FieldSentences, RefusalWords } from './refusal-words.ts'

const FIELDS: readonly ShopperField[] = [
  ...(['email', 'firstname', 'lastname', 'phone', 'recipient', 'street', 'city', 'region', 'postal_code'] as const),
  ...(['country', 'instructions', 'shipping_method', 'payment', 'card_number', 'card_expiry', 'card_code'] as const),
  ...(['quantity', 'discount_code', 'gift_card', 'code', 'amount', 'choice'] as const),
]

const sentences = (write: (field: ShopperField) => string): FieldSentences =>
  Object.fromEntries(FIELDS.map((field) => [field, write(field)])) as FieldSentences

export const en = {
  // All pages
  /** Title of the page: `Checkout – Shop`. */
  titleAt: ({ title, shop }: { title: string; shop: string }) => `${title} – ${shop}`,
  /** Prefix of the title if something is wrong, so that a screen reader reads it first. */
  errorTitle: ({ title }: { title: string }) => `Error: ${title}`,
  sandbox: 'Test shop: no money moves, and nothing is sent.',
  language: 'Language',
  support: 'Questions? Write to',
  terms: 'Terms',
  privacy: 'Privacy',
  opensElsewhere: 'opens in a new tab',
  backToShop: ({ shop }: { shop: string }) => `Back to ${shop}`,

  // The form
  checkout: 'Checkout',
  /** Mark of optional fields. */
  optional: 'optional',
  contact: 'Contact',
  emailHint: 'For the receipt and news of your order.',
  yourChoice: 'Your choice',
  pleaseChoose: 'Please choose',
  details: 'A few questions',
  amountTitle: 'Your price',
  amount: 'Amount',
  amountHint: ({ minimum }: { minimum: string }) => `${minimum} or more.`,
  /** Answer to a checkbox question of the shop. */
  yes: 'Yes',

  shippingAddress: 'Shipping address',
  billingAddress: 'Billing address',
  /** Heading if an address is needed without shipping or a bill. */
  address: 'Address',
  billingSame: 'Same as the shipping address',
  moreForCourier: 'Phone number or note for the courier',

  shippingMethod: 'Shipping method',
  /** Shown until the address has a country. */
  shippingFirstAddress: 'Choose the country to see how your order can be sent.',
  shippingNone: 'Nothing in your order can be sent there.',
  free: 'Free',

  codesTitle: 'Discount code or gift card',
  apply: 'Apply',
  /** Mark of a code that is in use. */
  applied: 'Applied',

  payment: 'Payment',
  paymentNone: 'This shop has no way to pay at the moment.',
  nothingDue: 'Nothing to pay: no payment details are needed.',
  redirectHint: ({ name }: { name: string }) => `You go to ${name} to pay, and come back here afterwards.`,
  needsScript: ({ name }: { name: string }) =>
    `To pay with ${name}, scripting must be on in your browser. Turn it on and load this page again, or choose another way to pay.`,
  scriptLoading: 'Loading …',
  simulatedHint: ({ name }: { name: string }) => `${name} is simulated in this test shop. What is to happen?`,
  testCardHint: 'Only test cards work here: 4242 4242 4242 4242 pays.',
  cardNumber: 'Card number',
  cardExpiry: 'Expiry date',
  cardExpiryHint: 'MM/YY',
  cardCode: 'Security code',
  cardCodeHint: 'Three digits on the back, or four on the front.',
  /** Results of a simulated payment by the id of the means. Others are shown by their id. */
  means: {
    pays: 'The payment succeeds',
    declined: 'The card is declined',
    insufficient_funds: 'The card has insufficient funds',
    expired_card: 'The card has expired',
    incorrect_cvc: 'The security code is wrong',
    verifies: 'The bank asks for a confirmation',
    authorized: 'The money is held, and taken later',
  } as Readonly<Record<string, string>>,

  /** The button that pays. Some countries require it to mention the cost. */
  pay: ({ total }: { total: string }) => `Pay ${total}`,
  /** Button if the shopper continues at the provider. */
  payAtProvider: ({ total }: { total: string }) => `Continue to pay ${total}`,
  /** Button for a later payment, for example by transfer. It must state the obligation to pay. */
  placeOrder: ({ total }: { total: string }) => `Order now and pay ${total} later`,
  placeFreeOrder: 'Place order',
  /** Text below the button; the names of the documents are links. */
  agree: 'By ordering you accept:',

  // Verification by the bank
  verifyTitle: 'Confirm the payment',
  verifyText: 'Your bank wants to make sure that it is you. You have not been charged yet.',
  verifyLoading: 'Your bank’s page opens in a moment.',
  verifyTest: 'Confirm as the bank would',
  verifyNeedsScript:
    'Your bank’s check needs scripting, which is off in your browser. Turn it on, or pay in another way.',
  payOtherwise: 'Pay in another way',

  // Order summary
  summary: 'Order summary',
  showSummary: 'Your order',
  quantity: 'Quantity',
  /** Accessible name of the quantity input. */
  quantityOf: ({ product }: { product: string }) => `Quantity of ${product}`,
  notAvailable: 'Not available like this any more',
  /** Button and label for a line item that is not wanted or not available. */
  remove: 'Remove',
  removed: 'Removed',
  putBack: 'Put back',
  /** Button for a smaller quantity, if stock runs short. */
  takeLeft: ({ count }: { count: number }) => `Take ${count}`,
  subtotal: 'Subtotal',
  discount: ({ code }: { code: string }) => `Discount (${code})`,
  adjustment: 'Adjustment',
  shipping: 'Shipping',
  shippingUnknown: 'Depends on the address',
  shippingOpen: 'Choose a method',
  tax: 'Tax',
  taxRate: ({ rate }: { rate: string }) => `Tax (${rate})`,
  taxIncluded: ({ amount }: { amount: string }) => `Includes ${amount} of tax.`,
  /** `ending`: the last letters of the code, or empty. */
  giftCard: ({ ending }: { ending: string }) => (ending === '' ? 'Gift card' : `Gift card ending in ${ending}`),
  total: 'Total',
  toPay: 'To pay',
  updateTotals: 'Update totals',

  // Changes, problems and messages of the script
  problemsTitle: ({ count }: { count: number }) =>
    count === 1 ? 'One thing needs your attention' : `${count} things need your attention`,
  /** Prefix of a field's error, for readers who do not see its colour. */
  errorMark: 'Error:',
  was: 'Before',
  now: 'Now',
  totalNow: 'The total is now {total}.',
  updating: 'Updating the totals …',
  paying: 'Paying … Please do not close this page.',
  offline: 'No connection. What you have typed is kept; please try again.',
  /** The provider's form did not load. */
  providerUnavailable: 'This way to pay did not load. Please try again, or choose another.',
  /** The shopper closed the provider's window. */
  providerClosed: 'You closed the payment window. You have not been charged.',

  // Fields
  email: 'E-mail',
  firstname: 'First name',
  lastname: 'Last name',
  fullname: 'Full name',
  /** Used if the form also asks for the shopper's own name. */
  recipient: 'Name of the recipient',
  phone: 'Phone number',
  instructions: 'Delivery instructions',
  country: 'Country',
  street: 'Street and house number',
  /** Used if the house number comes first, or addresses have several lines. */
  addressLine: 'Address',
  addressLine2: 'Apartment, building, company',
  discountCode: 'Discount code',
  giftCardCode: 'Gift card code',

  // Labels for the parts of addresses by country. Languages name the parts for Japan, Germany and the United States in their own way.
  towns: {
    city: 'City',
    town: 'Town or city',
    suburb: 'Suburb or city',
    municipality: 'City, ward or town',
    district: 'District',
  },
  postalCodes: {
    postal_code: 'Postal code',
    postcode: 'Postcode',
    zip: 'ZIP code',
    eircode: 'Eircode',
    pin: 'PIN code',
    cep: 'CEP',
  },
  regions: {
    region: 'State or region',
    state: 'State',
    state_territory: 'State or territory',
    province: 'Province',
    province_territory: 'Province or territory',
    prefecture: 'Prefecture',
    county: 'County',
    department: 'Department',
    emirate: 'Emirate',
    area: 'Area',
    oblast: 'Oblast',
  },

  // Receipt
  receipt: 'Receipt',
  thanks: 'Thank you for your order',
  orderNumber: 'Order number',
  orderedOn: 'Ordered on',
  /** Text above the sums, by the state of the order. */
  states: {
    paid: ({ email }: { email: string }) => `It is paid. The receipt goes to ${email}.`,
    free: ({ email }: { email: string }) => `There is nothing to pay. The receipt goes to ${email}.`,
    not_paid: ({ email }: { email: string }) => `It is placed, and not paid yet. All about it goes to ${email}.`,
    being_checked: ({ email }: { email: string }) =>
      `Your payment is being checked. You need not pay again; we write to ${email}.`,
    partially_paid: ({ email }: { email: string }) => `A part of it is paid. All about it goes to ${email}.`,
    authorized: ({ email }: { email: string }) =>
      `The payment is approved, and is taken later. The receipt goes to ${email}.`,
    partially_refunded: ({ email }: { email: string }) =>
      `A part of the money was given back. All about it goes to ${email}.`,
    refunded: ({ email }: { email: string }) => `The money was given back. All about it goes to ${email}.`,
    cancelled: ({ email }: { email: string }) => `This order was cancelled. All about it goes to ${email}.`,
  },
  cancelledTitle: 'Your order was cancelled',
  refundedTitle: 'Your order was refunded',
  /** Badge beside the order number. */
  statusNames: {
    paid: 'Paid',
    not_paid: 'Not paid yet',
    being_checked: 'Being checked',
    partially_paid: 'Partly paid',
    authorized: 'Approved',
    partially_refunded: 'Partly refunded',
    refunded: 'Refunded',
    cancelled: 'Cancelled',
    free: 'Free',
  },
  howToPay: 'How to pay',
  /** The shop recognises the payment by this reference. */
  payReference: 'Reference for your payment',
  paidSoFar: 'Paid',
  givenBack: 'Given back',
  cardEnding: ({ brand, ending }: { brand: string; ending: string }) => `${brand} ending in ${ending}`,
  notPaidYet: ({ method }: { method: string }) => `${method}, not paid yet`,
  beingChecked: ({ method }: { method: string }) => `${method}, being checked`,
  downloads: 'Your downloads',
  download: ({ name }: { name: string }) => `Download ${name}`,
  downloadUntil: ({ date }: { date: string }) => `until ${date}`,
  downloadsLeft: ({ count }: { count: number }) => (count === 1 ? 'once more' : `${count} times more`),
  downloadsWhenPaid: 'Your downloads are here as soon as the order is paid.',
  downloadOver: 'Not available any more',
  items: 'Items',
  furtherDetails: 'Further details',
  print: 'Print this page',
  continueTo: 'Continue',

  // Pages with one message
  pages: {
    waiting: { title: 'Your payment is being checked', text: 'This takes a moment. The page looks again by itself.' },
    still_waiting: {
      title: 'Still being checked',
      text: 'You need not wait: you get an e-mail as soon as it is known. You are charged at most once.',
    },
    to_provider: {
      title: 'On to the payment',
      text: 'You are taken to the payment page, and come back here afterwards.',
    },
    not_paid: { title: 'Not paid yet', text: 'You have not been charged.' },
    too_late: {
      title: 'The payment came too late',
      text: 'The time to pay was over, and there is no order. You get the money back.',
    },
    cart_empty: { title: 'Your cart is empty', text: 'Put something into it, and come back.' },
    all_gone: {
      title: 'Not available any more',
      text: 'All that was in this order has sold out or is not offered any more. You have not been charged.',
    },
    gone: {
      title: 'This page is not there any more',
      text: 'The checkout has ended, or its address is wrong. Please start again from your cart.',
    },
    closed: { title: 'This shop takes no orders at the moment', text: 'Please come back later.' },
    not_secure: {
      title: 'This connection is not secure',
      text: 'Nobody should type a card number here. The shop must offer this page by HTTPS.',
    },
    too_many: { title: 'A little too fast', text: 'Please wait a moment, and load the page again.' },
    failed: {
      title: 'Something went wrong',
      text: 'That was our mistake. Please load the page again; you will not pay twice.',
    },
  },
  cartOrdered: {
    title: 'This cart has been ordered',
    text: 'To see its receipt, enter the e-mail address of the order.',
    wrong: 'This is not the e-mail address of the order.',
    show: 'Show the receipt',
  },
  /** Button of a message page, by its target. */
  goOn: 'Go on',
  goToPayment: 'Go to the payment',
  tryAgain: 'Try again',
  backToCheckout: 'Back to the checkout',
  lookAgain: 'Look again',

  // Product page
  buy: 'Buy now',
  goingOn: 'Taking you to the checkout …',
  soldOut: 'Sold out',
  left: ({ count }: { count: number }) => (count === 1 ? 'Only 1 left' : `Only ${count} left`),
  /** An option's surcharge, with its sign. */
  optionAdds: ({ name, amount }: { name: string; amount: string }) => `${name} (${amount})`,
  priceFrom: ({ price }: { price: string }) => `${price} or more`,
  pictureOf: ({ product, at }: { product: string; at: number }) => `${product}, picture ${at}`,

  // Refusals. The English texts are those of the API.
  missing: sentences(missingSentence),
  wrong: sentences(wrongSentence),
  declines: {
    card_declined: 'The card was declined. Try another card, or another way to pay.',
    insufficient_funds: 'The card has insufficient funds. Try another card, or another way to pay.',
    expired_card: 'The card has expired, or its expiry date is wrong.',
    incorrect_cvc: 'The security code (CVC) of the card is wrong.',
  } as Readonly<Record<DeclineReason, string>>,
  refusals: Object.fromEntries(
    REFUSAL_CODES.map((code) => [
      code,
      (params: Readonly<Record<string, unknown>>) => shopperSentence({ code, params }),
    ]),
  ) as unknown as RefusalWords,
}
