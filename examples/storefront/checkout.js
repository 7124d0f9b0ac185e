// The checkout in one form: customer, address, shipping and payment. Field names are those of the API, with dots between, so that API
// errors find their field. The API computes all sums.

import { knownShopper } from './account.js'
import { addressPart } from './address.js'
import { codesPart } from './codes.js'
import { buttonLink, complain, field, make, nothing, say, select } from './dom.js'
import {
  clearFaults,
  dropFaults,
  faultsBox,
  findFaults,
  forgiveOnChange,
  sentenceFor,
  showFault,
  showFaults,
} from './form.js'
import { paymentPart } from './payment.js'
import { shippingPart } from './shipping.js'
import { commerce, sentenceOf, tellCart } from './shop.js'
import { isShippingOpen, summaryPart } from './summary.js'

export async function showCheckout() {
  const cart = await commerce.cart.retrieve()
  if (cart.line_items.length === 0)
    return {
      title: 'Checkout',
      content: [nothing('There is nothing to pay: your cart is empty.', buttonLink('#/', 'See all products'))],
    }
  // The token contains the purchase; everything below refers to it.
  const [token, shopper] = await Promise.all([
    commerce.checkout.generateToken(cart.id, { type: 'cart' }),
    knownShopper(),
  ])
  const page = await pageOf(token, shopper)
  page.form.addEventListener('submit', (event) => {
    event.preventDefault()
    pay(page)
  })
  return { title: 'Checkout', content: [make('div', { className: 'checkout' }, page.summary.element, page.form)] }
}

/** Everything needed to pay: the form, its parts, and the current amount due. */
async function pageOf(token, { customer, address: lastAddress }) {
  const { collects } = token
  const page = { token, live: token.live, summary: summaryPart(token), payment: paymentPart(token) }
  const showLive = (live) => {
    const isNews = live.total_due.raw !== page.live.total_due.raw
    page.live = live
    page.summary.show(live, page.shipping)
    page.codes.show(live)
    const isFree = live.total_due.raw === 0
    page.payment.element.hidden = page.payment.element.disabled = isFree
    nameButton(page)
    if (!isNews) return
    if (!isShippingOpen(live, page.shipping)) say(`To pay: ${live.total_due.formatted_with_symbol}.`)
    // A declined card was declined for a different sum, so drop that error.
    dropFaults(page.form, 'near')
  }
  page.showLive = showLive
  page.codes = codesPart(token, showLive)

  const places = collects.shipping_address || collects.billing_address ? await placesOf(token, collects) : null
  if (collects.shipping_address) {
    page.address = addressPart('shipping', places.shipping)
    page.shipping = shippingPart(token, page.address, {
      onLive: showLive,
      onProblem: (error) => showFault(page.form, '', sentenceOf(error)),
    })
  }
  page.billing = places && billingPart(token, places, page)
  page.button = make('button', { id: 'pay', className: 'wide' }, 'Pay')
  page.form = make(
    'form',
    { noValidate: true },
    faultsBox(),
    contactPart(customer),
    page.address && group('Delivery', 'address', page.address.element),
    page.shipping?.element,
    page.billing?.element,
    token.extra_fields.length > 0
      ? group('A few details', 'extra', make('div', { className: 'fields' }, token.extra_fields.map(extraField)))
      : null,
    token.live.pay_what_you_want.enabled ? amountPart(page) : null,
    page.codes.element,
    page.payment.element,
    faultsBox('near'),
    page.button,
  )
  forgiveOnChange(page.form)
  page.payment.element.addEventListener('change', () => nameButton(page))
  showLive(token.live)
  await page.address?.fill(lastAddress ?? { country: places.country })
  await page.shipping?.begin()
  return page
}

const group = (legend, id, ...parts) => make('fieldset', { id }, make('legend', {}, legend), parts)

const input = (name, properties = {}) =>
  make('input', { name, type: 'text', required: true, maxLength: 255, ...properties })

function contactPart(customer) {
  const known = (name) => customer?.[name] ?? ''
  return group(
    'Contact',
    'contact',
    customer
      ? make('p', { className: 'note intro' }, `You are logged in as ${customer.email}.`)
      : make(
          'p',
          { className: 'note intro' },
          'Have you ordered here before? ',
          make('a', { href: '#/login' }, 'Log in'),
          ' and we fill this in.',
        ),
    make(
      'div',
      { className: 'fields' },
      field(
        'E-mail',
        input('customer.email', {
          type: 'email',
          autocomplete: 'email',
          inputMode: 'email',
          value: known('email'),
          'data-missing': 'Enter your e-mail address.',
          'data-wrong': 'Enter an e-mail address such as name@example.com.',
        }),
      ),
      field(
        'Phone',
        input('customer.phone', {
          type: 'tel',
          autocomplete: 'tel',
          required: false,
          maxLength: 50,
          value: known('phone'),
        }),
      ),
      field(
        'First name',
        input('customer.firstname', {
          autocomplete: 'given-name',
          value: known('firstname'),
          'data-missing': 'Enter your first name.',
        }),
      ),
      field(
        'Last name',
        input('customer.lastname', {
          autocomplete: 'family-name',
          value: known('lastname'),
          'data-missing': 'Enter your last name.',
        }),
      ),
    ),
  )
}

/** Returns the available countries and regions, and the shopper's own country, if known. */
async function placesOf(token, collects) {
  const { services, checkout } = commerce
  const [sentTo, all, from] = await Promise.all([
    collects.shipping_address ? services.localeListShippingCountries(token.id) : { countries: {} },
    services.localeListCountries(),
    rememberedCountry() ??
      checkout.getLocationFromIP(token.id).then(
        (found) => found.country_code,
        () => null,
      ),
  ])
  const regionsOf = (call) => async (country) => (await call(country)).subdivisions
  return {
    country: from,
    shipping: {
      countries: sentTo.countries,
      listRegions: regionsOf((country) => services.localeListShippingSubdivisions(token.id, country)),
    },
    billing: {
      countries: all.countries,
      listRegions: regionsOf((country) => services.localeListSubdivisions(country)),
    },
  }
}

const COUNTRY = 'storefront-country'

/** Storage may be blocked; then nothing is remembered. */
function rememberedCountry() {
  try {
    return localStorage.getItem(COUNTRY)
  } catch {
    return null
  }
}

function rememberCountry(code) {
  try {
    if (code) localStorage.setItem(COUNTRY, code)
  } catch {}
}

/** Billing address. Shown if a product requires it, otherwise only if it differs from the shipping address. */
function billingPart(token, places, page) {
  const billing = addressPart('billing', places.billing)
  const fields = make(
    'fieldset',
    { className: 'way-part' },
    make('legend', { className: 'unseen' }, 'Bill to'),
    billing.element,
  )
  const isSame = make('input', { type: 'checkbox', id: 'same-address', checked: token.collects.shipping_address })
  const show = () => {
    fields.hidden = fields.disabled = isSame.checked
  }
  isSame.addEventListener('change', show)
  billing.element.addEventListener('change', async ({ target }) => {
    if (target === billing.country) await billing.showRegions()
    if (token.collects.shipping_address || billing.country.value === '') return
    // Nothing is shipped, so tax depends on the billing address.
    const { country, region, postal } = billing
    const zone = {
      country: country.value,
      region: region.value || undefined,
      postal_zip_code: postal.value || undefined,
    }
    await commerce.checkout
      .setTaxZone(token.id, zone)
      .then(({ live }) => page.showLive(live))
      .catch((error) => showFault(page.form, '', sentenceOf(error)))
  })
  show()
  billing.showRegions()
  return {
    ...billing,
    element: group(
      'Billing address',
      'billing',
      token.collects.shipping_address
        ? make('label', { className: 'check' }, isSame, make('span', {}, 'The same as for delivery'))
        : null,
      fields,
    ),
    isSame: () => isSame.checked,
  }
}

/** A field that a product requires of its buyer, such as a name to engrave. */
function extraField({ id, name, required, options }) {
  const common = { name: `extra_fields.${id}`, required }
  if (!options?.length) return field(name, input(common.name, common))
  return field(name, select(common, [['', required ? 'Please choose' : 'None'], ...options.map((one) => [one, one])]))
}

/** The price field for products with a price chosen by the shopper. */
function amountPart(page) {
  const { minimum } = page.live.pay_what_you_want
  const { symbol } = page.token.currency
  const digits = page.live.subtotal.formatted.split('.')[1]?.length ?? 0
  const example = Math.max(minimum?.raw ?? 0, 5).toFixed(digits)
  const amount = input('pay_what_you_want', {
    id: 'amount',
    inputMode: 'decimal',
    required: false,
    maxLength: 12,
    placeholder: minimum?.formatted ?? '',
  })
  const part = field(`Your price in ${symbol}`, amount)
  // Block payment until a rejected amount changes.
  const refuse = (sentence) => {
    amount.setCustomValidity(sentence)
    amount.dataset.wrong = sentence
    complain(amount, sentence)
    say(sentence)
  }
  amount.addEventListener('input', () => {
    amount.setCustomValidity('')
    complain(amount, null)
  })
  amount.addEventListener('change', async () => {
    const typed = amount.value.trim().replace(',', '.')
    if (!/^(\d+(\.\d*)?)?$/.test(typed)) return refuse(`Enter an amount, such as ${example}.`)
    try {
      const { valid, message, live } = await commerce.checkout.checkPayWhatYouWant(page.token.id, {
        customer_set_price: typed || minimum?.raw || 0,
      })
      page.showLive(live)
      if (!valid) refuse(message)
    } catch (error) {
      refuse(sentenceOf(error))
    }
  })
  const note = minimum?.raw > 0 ? `At least ${minimum.formatted_with_symbol}.` : 'Any amount, also nothing.'
  return group(
    'Pay what you want',
    'own-price',
    make('p', { className: 'note intro' }, 'You choose what you give for this. ', note),
    make('div', { className: 'fields' }, part),
  )
}

function nameButton({ button, live, shipping, payment, isPaying }) {
  if (!button) return
  const isOpen = isShippingOpen(live, shipping)
  const due = live.total_due
  if (isPaying) button.textContent = due.raw > 0 && payment.isByCard() ? 'Paying…' : 'Ordering…'
  else if (due.raw === 0) button.textContent = 'Place the order'
  else {
    const [verb, preposition] = payment.isByCard() ? ['Pay', ''] : ['Order', 'for ']
    button.textContent = isOpen ? verb : `${verb} ${preposition}${due.formatted_with_symbol}`
  }
  // Not `disabled`, which would take the focus from the pressed button.
  button.setAttribute('aria-disabled', String(isPaying === true))
}

/** Ignores a second press while the first is being sent. One token becomes one order, even if a request arrives twice. */
async function pay(page, confirmation) {
  if (page.isPaying) return
  const { form, token } = page
  clearFaults(form)
  const faults = confirmation ? [] : findFaults(form)
  if (faults.length > 0) return showFaults(form, faults)
  page.isPaying = true
  nameButton(page)
  say('One moment, please.')
  try {
    await page.shipping?.settle()
    await commerce.checkout.capture(token.id, confirmation ?? bodyOf(page))
    // The SDK has started a new cart.
    leave(page)
  } catch (error) {
    // Nothing has changed: cart, token and form are still there.
    showRefusal(page, error)
  } finally {
    page.isPaying = false
    nameButton(page)
  }
}

function leave({ token, address }) {
  rememberCountry(address?.country.value)
  tellCart({ total_items: 0 })
  // Going back from the receipt must lead to the shop, not into a finished checkout.
  location.replace(`#/order/${token.id}`)
}

/**
 * Builds the request: `shipping.street` becomes `{shipping: {street}}`. It skips empty fields, and fields without a dot, which only this
 * page uses.
 */
function bodyOf({ form, payment, billing, live }) {
  const body = {}
  for (const [name, value] of new FormData(form)) {
    const text = value.trim()
    if (text === '' || !name.includes('.')) continue
    const path = name.split('.')
    const last = path.pop()
    path.reduce((object, part) => (object[part] ??= {}), body)[last] = text
  }
  const { firstname, lastname } = body.customer
  if (body.shipping && billing?.isSame()) body.billing = { ...body.shipping }
  for (const address of [body.shipping, body.billing]) if (address) address.name = `${firstname} ${lastname}`
  if (live.total_due.raw > 0) body.payment = { ...body.payment, ...payment.body() }
  // If the shop computes a different sum than this page shows, nothing is charged.
  return { ...body, expected_total: live.total_due.raw }
}

function showRefusal(page, error) {
  const { form, payment } = page
  const { statusCode: status, data } = error ?? {}
  if (data?.live) {
    page.showLive(data.live)
    return showFault(
      form,
      'near',
      `The total has changed: it is ${data.live.total_due.formatted_with_symbol} now. Please look, and pay again.`,
    )
  }
  // No response, or one that says the outcome is still unknown.
  if (data === undefined ? error?.isAxiosError : status >= 500 || status === 409) return lookAgain(page)
  if (data?.error.type === 'requires_verification') return askToConfirm(page, data.error.param)
  if (status === 402 && payment.isByCard())
    return showFaults(form, [[payment.number(), sentenceOf(error)]], {
      title: 'The payment did not go through',
      where: 'near',
    })
  const faults = Object.keys(data?.error.errors ?? {}).flatMap((path) => {
    if (path.endsWith('county_state')) (path.startsWith('billing') ? page.billing : page.address)?.askForRegion()
    const found = form.elements.namedItem(path.replace(/^extrafields/, 'extra_fields'))
    const control = found instanceof RadioNodeList ? found[0] : found
    return control && !control.disabled ? [[control, sentenceFor(control)]] : []
  })
  if (faults.length > 0) return showFaults(form, faults)
  showFault(form, 'near', sentenceOf(error))
}

/** A bank may ask its customer to confirm. For the test gateway, this button replaces the bank. */
function askToConfirm(page, secret) {
  const confirm = make('button', { type: 'button' }, 'Confirm the payment')
  confirm.addEventListener('click', () =>
    pay(page, { payment: { gateway: 'test_gateway', test_gateway: { payment_intent_id: secret } } }),
  )
  showFault(
    page.form,
    'near',
    `Your bank asks you to confirm ${page.live.total_due.formatted_with_symbol}. With a real card its own page would stand here.`,
    confirm,
  )
}

/** Asks the shop by token if the order exists, before anybody pays again. */
function lookAgain(
  page,
  sentence = 'We could not reach the shop. Your payment may have gone through: please look again.',
) {
  const again = make('button', { type: 'button' }, 'Look again')
  again.addEventListener('click', async () => {
    again.disabled = true
    try {
      await commerce.checkout.receipt(page.token.id)
      await commerce.cart.refresh()
      leave(page)
    } catch (error) {
      if (error?.statusCode === 404)
        showFault(page.form, 'near', 'No order was made so far. You can pay again: you are charged once at most.')
      else lookAgain(page, 'The shop still does not answer. Please wait a moment, and look again.')
    }
  })
  showFault(page.form, 'near', sentence, again)
}
