// Square's card form (Web Payments SDK). The card never reaches our page: Square turns it into a token and asks the shopper's bank if
// needed.

import { loadScript, type PanelContext, type StartProviderPanel } from './ways.ts'

type Token = {
  readonly status: string
  readonly token?: string
  readonly errors?: readonly { readonly message?: string }[]
}
type Card = { attach(at: HTMLElement): Promise<void>; tokenize(details: object): Promise<Token> }
type Payments = { card(options?: object): Promise<Card>; setLocale?(locale: string): void }

declare global {
  interface Window {
    Square?: { payments(applicationId: string, locationId: string): Payments }
  }
}

/** Languages that Square supports. */
const LOCALES: Readonly<Record<string, string>> = { en: 'en-US', es: 'es-ES', fr: 'fr-FR', ja: 'ja-JP' }

export const start: StartProviderPanel = async (context) => {
  const { settings, language, mount, show } = context
  const application = settings.application_id ?? ''
  const host = application.startsWith('sandbox-') ? 'sandbox.web.squarecdn.com' : 'web.squarecdn.com'
  if (!window.Square) await loadScript(`https://${host}/v1/square.js`)
  const payments = window.Square?.payments(application, settings.location_id ?? '')
  if (payments === undefined) throw new Error('Square')
  const locale = LOCALES[language]
  if (locale) payments.setLocale?.(locale)
  const postalCode = context.address('postal_zip_code')
  const card = await payments.card(postalCode ? { postalCode } : {})
  mount.replaceChildren()
  await card.attach(mount)
  return {
    async pay() {
      show('')
      const { status, token, errors } = await card.tokenize(detailsOf(context))
      if (status === 'OK' && token !== undefined) return { 'payment[square][token]': token }
      // The form was closed without a result. Square gives no message and marks the fields itself.
      show(errors?.map(({ message }) => message ?? '').join(' ') || context.text('closed'))
      return null
    },
  }
}

/** Amount and payer; the bank uses them to decide if it must verify the shopper. */
function detailsOf({ charge, input, address }: PanelContext) {
  const { amount, currency } = charge()
  const contact = {
    givenName: input('customer[firstname]') || address('name'),
    familyName: input('customer[lastname]'),
    email: input('customer[email]'),
    phone: input('customer[phone]'),
    addressLines: [address('street'), address('street_2')].filter(Boolean),
    city: address('town_city'),
    state: address('county_state'),
    countryCode: address('country'),
    postalCode: address('postal_zip_code'),
  }
  const billingContact = Object.fromEntries(Object.entries(contact).filter(([, value]) => value.length > 0))
  return {
    amount,
    currencyCode: currency,
    intent: 'CHARGE',
    customerInitiated: true,
    sellerKeyedIn: false,
    billingContact,
  }
}
