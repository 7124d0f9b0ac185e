// Stripe's Payment Element. The card never reaches our page: Stripe turns it into a payment method, and the form sends its id. If the bank
// must verify the shopper, Stripe shows that, and our server then confirms the payment.

import { type Charge, loadScript, type PanelContext, type StartProviderPanel } from './ways.ts'

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

/** Factors for currencies that Stripe counts in other units than the minor units of ISO 4217. */
const FACTORS: Readonly<Record<string, number>> = { ISK: 100, MGA: 0.01 }

/** Stripe refuses an amount of 0; in that case nothing is paid through it. */
const sumOf = ({ minor, currency }: Charge) => ({
  amount: Math.max(1, Math.round(minor * (FACTORS[currency] ?? 1))),
  currency: currency.toLowerCase(),
})

const METHOD = 'payment[stripe][payment_method_id]'
const INTENT = 'payment[stripe][payment_intent_id]'

export const start: StartProviderPanel = async (context) => {
  const { settings, language, mount, show } = context
  if (!window.Stripe) await loadScript('https://js.stripe.com/v3/')
  const stripe = window.Stripe?.(settings.publishable_key ?? '', { locale: language })
  if (stripe === undefined) throw new Error('Stripe')
  const elements = stripe.elements({
    mode: 'payment',
    ...sumOf(context.charge()),
    paymentMethodCreation: 'manual',
    paymentMethodTypes: ['card'],
    appearance: appearanceOf(context),
  })
  // Do not ask again for fields of our own form.
  const addressInput =
    context.form.elements.namedItem('billing[country]') ?? context.form.elements.namedItem('shipping[country]')
  const element = elements.create('payment', {
    wallets: { link: 'never' },
    ...(addressInput ? { fields: { billingDetails: { address: { country: 'never', postalCode: 'never' } } } } : {}),
  })
  element.on('loaderror', ({ error }) => show(error?.message ?? context.text('unavailable')))
  element.on('change', () => show(''))
  mount.replaceChildren()
  element.mount(mount)
  return {
    follow: (charge) => elements.update(sumOf(charge)),
    async pay() {
      show('')
      const { error: formError } = await elements.submit()
      const { error, paymentMethod } = formError
        ? { error: formError, paymentMethod: undefined }
        : await stripe.createPaymentMethod({ elements, params: { billing_details: payerOf(context) } })
      if (paymentMethod !== undefined) return { [METHOD]: paymentMethod.id }
      show(error?.message ?? context.text('unavailable'))
      return null
    },
    async verify(param) {
      const { error, paymentIntent } = await stripe.handleNextAction({ clientSecret: param })
      // Stripe was unreachable. If the bank refused, our server says so in its own words.
      if (paymentIntent === undefined && error !== undefined && /^api_|^rate_/.test(error.type ?? '')) {
        show(error.message ?? context.text('unavailable'))
        return null
      }
      return { [INTENT]: paymentIntent?.id ?? param.split('_secret_')[0] ?? '' }
    },
  }
}

function payerOf({ input, address }: PanelContext) {
  const name = [input('customer[firstname]'), input('customer[lastname]')].filter(Boolean).join(' ') || address('name')
  return {
    ...(name ? { name } : {}),
    ...(input('customer[email]') ? { email: input('customer[email]') } : {}),
    ...(input('customer[phone]') ? { phone: input('customer[phone]') } : {}),
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

/** Uses the shop's colours and font. */
function appearanceOf({ panel }: PanelContext) {
  const { color, fontFamily } = getComputedStyle(panel)
  let ground: HTMLElement | null = panel
  const backgroundOf = (at: HTMLElement) => getComputedStyle(at).backgroundColor
  while (ground !== null && /^(transparent|rgba\(.*, 0\))$/.test(backgroundOf(ground))) ground = ground.parentElement
  const colorBackground = ground === null ? '#ffffff' : backgroundOf(ground)
  return { theme: 'stripe', variables: { colorText: color, colorBackground, fontFamily } }
}
