// Stripe's Payment Element. The card never comes here: Stripe makes a payment method of it, whose id is sent. Where the bank wants to see the shopper,
// Stripe shows it, and the payment is then confirmed by our server.

import { type Charge, loadScript, type PanelOf, type StartWay } from './ways.ts'

type StripeError = { readonly type?: string; readonly message?: string }
type PaymentIntent = { readonly id: string }
type Element = { mount(at: HTMLElement): void; on(event: string, then: (event: { error?: StripeError }) => void): void }
type Elements = {
  create(kind: 'payment', options: object): Element
  submit(): Promise<{ error?: StripeError }>
  update(options: object): void
}
type Stripe = {
  elements(options: object): Elements
  createPaymentMethod(options: object): Promise<{ error?: StripeError; paymentMethod?: { id: string } }>
  handleNextAction(options: object): Promise<{ error?: StripeError; paymentIntent?: PaymentIntent }>
}

declare global {
  interface Window {
    Stripe?: (key: string, options: object) => Stripe
  }
}

/** As Stripe counts them, where that is not in minor units of ISO 4217. */
const FACTORS: Readonly<Record<string, number>> = { ISK: 100, MGA: 0.01 }

/** It refuses a sum of nothing; then nothing is paid by it. */
const sumOf = ({ minor, currency }: Charge) => ({
  amount: Math.max(1, Math.round(minor * (FACTORS[currency] ?? 1))),
  currency: currency.toLowerCase(),
})

const METHOD = 'payment[stripe][payment_method_id]'
const INTENT = 'payment[stripe][payment_intent_id]'

export const start: StartWay = async (told) => {
  const { settings, language, mount, say } = told
  if (!window.Stripe) await loadScript('https://js.stripe.com/v3/')
  const stripe = window.Stripe?.(settings.publishable_key ?? '', { locale: language })
  if (stripe === undefined) throw new Error('Stripe')
  const elements = stripe.elements({
    mode: 'payment',
    ...sumOf(told.charge()),
    paymentMethodCreation: 'manual',
    paymentMethodTypes: ['card'],
    appearance: looksOf(told),
  })
  // What stands in our own form is not asked for a second time.
  const asksAddress =
    told.form.elements.namedItem('billing[country]') ?? told.form.elements.namedItem('shipping[country]')
  const element = elements.create('payment', {
    wallets: { link: 'never' },
    ...(asksAddress ? { fields: { billingDetails: { address: { country: 'never', postalCode: 'never' } } } } : {}),
  })
  element.on('loaderror', ({ error }) => say(error?.message ?? told.saying('unavailable')))
  element.on('change', () => say(''))
  mount.replaceChildren()
  element.mount(mount)
  return {
    follow: (charge) => elements.update(sumOf(charge)),
    async pay() {
      say('')
      const { error: mistake } = await elements.submit()
      const { error, paymentMethod } = mistake
        ? { error: mistake, paymentMethod: undefined }
        : await stripe.createPaymentMethod({ elements, params: { billing_details: payerOf(told) } })
      if (paymentMethod !== undefined) return { [METHOD]: paymentMethod.id }
      say(error?.message ?? told.saying('unavailable'))
      return null
    },
    async verify(param) {
      const { error, paymentIntent } = await stripe.handleNextAction({ clientSecret: param })
      // Stripe could not be reached. What the bank has refused is told by our own server, in its words.
      if (paymentIntent === undefined && error !== undefined && /^api_|^rate_/.test(error.type ?? '')) {
        say(error.message ?? told.saying('unavailable'))
        return null
      }
      return { [INTENT]: paymentIntent?.id ?? param.split('_secret_', 1)[0] ?? '' }
    },
  }
}

function payerOf({ typed, address }: PanelOf) {
  const name = [typed('customer[firstname]'), typed('customer[lastname]')].filter(Boolean).join(' ') || address('name')
  return {
    ...(name ? { name } : {}),
    ...(typed('customer[email]') ? { email: typed('customer[email]') } : {}),
    ...(typed('customer[phone]') ? { phone: typed('customer[phone]') } : {}),
    address: {
      line1: address('street'),
      line2: address('street_2'),
      city: address('town_city'),
      state: address('county_state'),
      postal_code: address('postal_zip_code'),
      country: address('country'),
    },
  }
}

/** The shop's own colours and letters. */
function looksOf({ panel }: PanelOf) {
  const { color, fontFamily } = getComputedStyle(panel)
  let behind: HTMLElement | null = panel
  const backgroundOf = (at: HTMLElement) => getComputedStyle(at).backgroundColor
  while (behind !== null && /^(transparent|rgba\(.*, 0\))$/.test(backgroundOf(behind))) behind = behind.parentElement
  const colorBackground = behind === null ? '#ffffff' : backgroundOf(behind)
  return { theme: 'stripe', variables: { colorText: color, colorBackground, fontFamily } }
}
