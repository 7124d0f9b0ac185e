// The pay page: one form from the contact data to the button. It asks for the demanded fields and shows the charge. It works without
// scripts: a button updates the totals, and styles open the chosen way to pay.

import type { CaptureField } from '../../../api/checkouts/requirements.ts'
import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { documentLinks, htmlAttributes, writeDocument } from '../../frame.ts'
import { addressFields } from '../address/form.ts'
import { type Messages, messagesIn } from '../languages/index.ts'
import { type PayModel, refusedCodeInput } from '../model.ts'
import {
  checkboxField,
  type FormView,
  formView,
  hiddenInput,
  inputField,
  radioField,
  textField,
  typedAt,
} from './field.ts'
import { noticeAbove, problemSummary, verificationOf } from './problems.ts'
import { openOptions, ownPriceSection, questions } from './questions.ts'
import { orderSummary } from './summary.ts'
import { plainSum, type SumFormatter, sumFormatterFor } from './sums.ts'
import { waysToPaySection } from './ways.ts'

export function payPage(model: PayModel): Html {
  const words = messagesIn(model.language)
  const form = formView(words, model)
  const sums = sumFormatterFor(model.language, model.live.currency.code)
  const steps = [
    openOptions(form, model),
    ownPriceSection(form, model, sums),
    contact(form, model),
    shippingAddress(form, model),
    shippingMethods(form, model, sums),
    billingAddress(form, model),
    questions(form, model),
    codes(form, model),
    waysToPaySection(form, model),
    payButton(model, words, sums),
  ]
  const summary = orderSummary(form, model, sums)
  const above = problemSummary(words, model.problems, html`${summary}${steps}`)
  return writeDocument(model, {
    words,
    title: words.checkout,
    hasProblems: model.problems.length > 0 || model.notice?.tone === 'bad',
    kind: 'pay',
    hasScript: true,
    content: html`<main>
<form${htmlAttributes({
      method: 'post',
      action: model.path,
      novalidate: true,
      'data-checkout': true,
      'data-token': model.tokenId,
      'data-language': model.language,
      'data-scripts': model.scripts.join(' '),
      // Every form that was sent contains this input, even if it is empty.
      'data-typed': model.typed.has('customer[email]'),
      'data-say-offline': words.offline,
      'data-say-unavailable': words.providerUnavailable,
      'data-say-closed': words.providerClosed,
      'data-say-updating': words.updating,
      'data-say-paying': words.paying,
    })}>
${hiddenInput('lang', model.language)}
<button class="unseen" name="do" value="update" tabindex="-1" aria-hidden="true">${words.updateTotals}</button>
<h1 class="unseen">${words.checkout}</h1>
<div class="above">${above}${noticeAbove(words, model.notice, model.live, sums)}${verificationOf(form, model)}</div>
${summary}
<div class="steps">
${steps}
</div>
</form>
</main>`,
  })
}

const demandsUnder = ({ demands }: PayModel, part: string): readonly CaptureField[] =>
  demands.filter(({ path: [first] }) => first === part)

const isRequired = (demands: readonly CaptureField[], name: string): boolean =>
  demands.some(({ path, isRequired: is }) => path.at(-1) === name && is)

/** Asks for the shopper's name if a product collects it. An address has its own name field. */
function contact(form: FormView, model: PayModel): Html {
  const { words } = form
  const demands = demandsUnder(model, 'customer')
  const names = (['firstname', 'lastname'] as const).filter((name) => isRequired(demands, name))
  const input = { maxlength: 255, autocapitalize: 'words', enterkeyhint: 'next' }
  return html`<section class="sheet"><h2>${words.contact}</h2>
${inputField(form, {
  path: 'customer.email',
  label: words.email,
  hint: words.emailHint,
  input: {
    type: 'email',
    inputmode: 'email',
    autocomplete: 'email',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: 254,
    enterkeyhint: 'next',
  },
})}${
  names.length === 0
    ? EMPTY_HTML
    : html`<div class="row row-2">${names.map((name) =>
        inputField(form, {
          path: `customer.${name}`,
          label: words[name],
          input: { ...input, autocomplete: name === 'firstname' ? 'given-name' : 'family-name' },
        }),
      )}</div>`
}</section>`
}

const isNameAsked = (model: PayModel): boolean => isRequired(demandsUnder(model, 'customer'), 'lastname')

function shippingAddress(form: FormView, model: PayModel): Html {
  const { words } = form
  const demands = demandsUnder(model, 'shipping')
  if (demands.length === 0) return EMPTY_HTML
  const country = model.live.tax.zone.country ?? ''
  return html`<section class="sheet"><h2>${model.isShipped ? words.shippingAddress : words.address}</h2>
${addressFields(form, {
  addressKind: 'shipping',
  demands,
  countries: model.isShipped ? model.shippingCountries : null,
  country,
  isNameAsked: isNameAsked(model),
})}${model.isShipped ? courierFields(form) : EMPTY_HTML}
${updateButton(words)}</section>`
}

const updateButton = (words: Messages): Html =>
  html`<button class="quiet-button" name="do" value="update" data-without-script>${words.updateTotals}</button>`

/** Optional fields that may help the courier. */
function courierFields(form: FormView): Html {
  const { words, problems } = form
  const paths = ['customer.phone', 'shipping.delivery_instructions']
  const isOpen = paths.some((path) => typedAt(form, path) !== '' || problems.has(path))
  return html`<details class="more"${htmlAttributes({ open: isOpen })}><summary>${words.moreForCourier}</summary>
${inputField(form, {
  path: 'customer.phone',
  label: words.phone,
  isOptional: true,
  input: { type: 'tel', inputmode: 'tel', autocomplete: 'tel', maxlength: 64, enterkeyhint: 'next' },
})}${textField(form, {
  path: 'shipping.delivery_instructions',
  label: words.instructions,
  isOptional: true,
  input: { maxlength: 2_000, autocomplete: 'off', autocapitalize: 'sentences' },
})}</details>`
}

function shippingMethods(form: FormView, { demands, live, isShipped }: PayModel, { sum }: SumFormatter): Html {
  const { words } = form
  const path = 'fulfillment.shipping_method'
  if (!isShipped || !demands.some(({ type }) => type === 'shipping_method')) return EMPTY_HTML
  const isPlaceKnown = typedAt(form, 'shipping.country') !== '' || live.tax.zone.country !== null
  const choices = live.shipping.available_options.map(({ id, description, price }) => ({
    value: id,
    label: html`${description}`,
    aside: price.raw === 0 ? words.free : sum(price),
  }))
  // Methods for all countries that the shop ships to would be a long list, mostly irrelevant to the shopper.
  const isTooEarly = !isPlaceKnown && live.shipping.id === null
  const isEmpty = choices.length === 0 || isTooEarly
  return html`<section class="sheet" data-live="methods">${
    isEmpty
      ? html`<h2>${words.shippingMethod}</h2><p class="${isPlaceKnown ? 'error' : 'hint'}" id="f-fulfillment-shipping_method">${isPlaceKnown ? words.shippingNone : words.shippingFirstAddress}</p>`
      : radioField(form, {
          path,
          legend: words.shippingMethod,
          isHeading: true,
          choices,
          chosen: typedAt(form, path) || (live.shipping.id ?? ''),
        })
  }</section>`
}

function billingAddress(form: FormView, model: PayModel): Html {
  const { words, typed } = form
  const demands = demandsUnder(model, 'billing')
  if (demands.length === 0) return EMPTY_HTML
  const hasShipping = demandsUnder(model, 'shipping').length > 0
  const fields = addressFields(form, {
    addressKind: 'billing',
    demands,
    countries: null,
    country: model.live.tax.zone.country ?? '',
    isNameAsked: isNameAsked(model),
  })
  if (!hasShipping)
    return html`<section class="sheet"><h2>${words.billingAddress}</h2>${fields}${updateButton(words)}</section>`
  const isSame = typed.get('billing_same') === '1' || typed.size === 0
  return html`<section class="sheet billing"><h2>${words.billingAddress}</h2>
${checkboxField(form, { path: 'billing_same', label: words.billingSame, value: '1', isChecked: isSame })}<div class="billing-fields">${fields}</div></section>`
}

function codes(form: FormView, { live }: PayModel): Html {
  const { words, problems } = form
  const { giftcard } = live
  const inUse: Readonly<Record<string, string>> = {
    discount_code: live.discount[0]?.code ?? '',
    giftcard_code: 'code' in giftcard ? giftcard.code : '',
  }
  const isOpen = Object.entries(inUse).some(
    ([path, code]) => code !== '' || problems.has(path) || typedAt(form, path) !== '',
  )
  const code = (path: string, label: string) =>
    html`<div class="code">${inputField(form, {
      path,
      label,
      isOptional: true,
      value: form.typed.has(path) ? typedAt(form, path) : (inUse[path] ?? ''),
      hint: inUse[path] === '' ? null : words.applied,
      input: {
        autocomplete: 'off',
        autocapitalize: 'characters',
        spellcheck: 'false',
        maxlength: 255,
        enterkeyhint: 'done',
      },
    })}${problems.has(path) ? hiddenInput(refusedCodeInput(path), typedAt(form, path)) : EMPTY_HTML}<button class="quiet-button" name="do" value="update">${words.apply}<span class="unseen"> ${label}</span></button></div>`
  return html`<section class="sheet"><details class="more"${htmlAttributes({ open: isOpen })}><summary><h2>${words.codesTitle}</h2></summary>
<div data-live="codes">${code('discount_code', words.discountCode)}${code('giftcard_code', words.giftCardCode)}</div></details></section>`
}

/** The text depends on the chosen way to pay; styles show the right one. */
function payButton({ live, shop }: PayModel, words: Messages, { sum }: SumFormatter): Html {
  const { decimal, minor } = plainSum(live.total_due, live.currency.code)
  const total = sum(live.total_due)
  const links = documentLinks(shop, words)
  return html`<div class="finish"><div data-live="pay">${hiddenInput('expected_total', decimal)}<button${htmlAttributes(
    {
      class: 'primary',
      name: 'do',
      value: 'pay',
      'data-charge': true,
      'data-amount': decimal,
      'data-minor': minor,
      'data-currency': live.currency.code,
    },
  )}>${
    live.total_due.raw === 0
      ? words.placeFreeOrder
      : html`<span class="when-card">${words.pay({ total })}</span><span class="when-redirect">${words.payAtProvider({ total })}</span><span class="when-details">${words.placeOrder({ total })}</span>`
  }</button></div>
<p class="unseen" role="status" data-live="total">${words.total}: ${total}</p>
<p class="status" role="status" data-status></p>
${links.length === 0 ? EMPTY_HTML : html`<p class="hint">${words.agree} ${links.map((link, at) => html`${at === 0 ? '' : ', '}${link}`)}</p>`}</div>`
}
