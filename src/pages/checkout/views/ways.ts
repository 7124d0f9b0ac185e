// The ways to pay, each with its fields; only the chosen one is open. A page never contains typed card data.

import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { assetPath } from '../../assets.ts'
import { htmlAttributes } from '../../frame.ts'
import type { Messages } from '../languages/index.ts'
import type { PayModel, WayToPay } from '../model.ts'
import { errorAt, type FormView, fieldId, inputField, radioField, typedAt } from './field.ts'

const GATEWAY = 'payment.gateway'

export function waysToPaySection(form: FormView, { demands, ways, isWayJustChosen }: PayModel): Html {
  const { words } = form
  const isDemanded = demands.some(({ type }) => type === 'gateway')
  const chosenWay = ways.find(({ value }) => value === typedAt(form, GATEWAY)) ?? ways[0]
  return html`<section class="sheet" data-live="ways">
${
  !isDemanded
    ? html`<h2>${words.payment}</h2><p>${words.nothingDue}</p>`
    : ways.length === 0
      ? html`<h2>${words.payment}</h2><p class="error" id="${fieldId(GATEWAY)}">${words.paymentNone}</p>`
      : html`<fieldset class="ways"><legend><h2>${words.payment}</h2></legend>
${errorAt(form, GATEWAY)}${ways.map((way, index) => wayToPay(form, way, { isChosen: way === chosenWay, isFirst: index === 0, isWayJustChosen }))}</fieldset>`
}</section>`
}

type PanelState = { readonly isChosen: boolean; readonly isFirst: boolean; readonly isWayJustChosen: boolean }

function wayToPay(form: FormView, way: WayToPay, { isChosen, isFirst, isWayJustChosen }: PanelState): Html {
  return html`<div class="way"><label class="choice way-head"><input${htmlAttributes({
    type: 'radio',
    id: isFirst ? fieldId(GATEWAY) : null,
    name: 'payment[gateway]',
    value: way.value,
    checked: isChosen,
    autofocus: isChosen && isWayJustChosen,
    'data-kind': isSimulatedHere(way) ? 'card' : way.kind,
  })}><span class="choice-text">${way.name}</span></label>
${panelOf(form, way)}</div>
`
}

function panelOf(form: FormView, way: WayToPay): Html {
  const { words } = form
  if (isSimulatedHere(way)) return simulatedPanel(form, way)
  switch (way.kind) {
    case 'card':
      return html`<div class="panel">${cardFields(form)}</div>`
    case 'details':
      return way.details === null || way.details.trim() === ''
        ? EMPTY_HTML
        : html`<div class="panel"><p class="written">${way.details}</p></div>`
    case 'redirect':
      return html`<div class="panel"><p class="hint">${words.redirectHint({ name: way.name })}</p></div>`
    case 'script':
      return html`<div${htmlAttributes({
        class: 'panel',
        'data-way': way.code,
        'data-value': way.value,
        'data-settings': JSON.stringify(way.settings),
        'data-script': assetPath(`${way.code}.js`),
      })}><div data-mount></div><p class="error" data-problem role="alert"></p><p class="hint" data-without-script>${words.needsScript({ name: way.name })}</p></div>`
  }
}

type SimulatedWay = WayToPay & { readonly simulated: object }

/**
 * True if the page offers the results of a simulated payment instead of the provider's fields. A simulated redirect has its own page for
 * that.
 */
const isSimulatedHere = (way: WayToPay): way is SimulatedWay => way.simulated !== null && way.kind === 'script'

/** Each result is a radio button with the same name, so a browser sends the chosen one without a script. */
function simulatedPanel(form: FormView, { name: provider, code, simulated: { means } }: SimulatedWay): Html {
  const { words, typed } = form
  const [name = ''] = means.flatMap(({ fields }) => Object.keys(fields))
  const choices = means.map(({ id, fields }) => ({ value: fields[name] ?? '', label: html`${meansName(words, id)}` }))
  const chosenResult = choices.find(({ value }) => value === typed.get(name)) ?? choices[0]
  if (chosenResult === undefined) return EMPTY_HTML
  return html`<div class="panel">${radioField(form, {
    path: `means.${code}`,
    legend: words.simulatedHint({ name: provider }),
    name,
    choices,
    chosen: chosenResult.value,
  })}</div>`
}

const meansName = ({ means }: Messages, id: string): string => (Object.hasOwn(means, id) ? (means[id] ?? id) : id)

/** Only for tests: real cards are typed into a provider's fields. */
function cardFields(form: FormView): Html {
  const { words } = form
  const digits = { inputmode: 'numeric', autocapitalize: 'off', spellcheck: 'false', value: null }
  return html`${inputField(form, {
    path: 'payment.card.number',
    label: words.cardNumber,
    hint: words.testCardHint,
    value: null,
    input: { ...digits, autocomplete: 'cc-number', maxlength: 23, enterkeyhint: 'next' },
  })}<div class="row row-2">${inputField(form, {
    path: 'payment.card.expires',
    label: words.cardExpiry,
    hint: words.cardExpiryHint,
    value: null,
    input: { ...digits, autocomplete: 'cc-exp', maxlength: 7, enterkeyhint: 'next' },
  })}${inputField(form, {
    path: 'payment.card.cvc',
    label: words.cardCode,
    hint: words.cardCodeHint,
    value: null,
    input: { ...digits, autocomplete: 'cc-csc', maxlength: 4, enterkeyhint: 'done' },
  })}</div>`
}
