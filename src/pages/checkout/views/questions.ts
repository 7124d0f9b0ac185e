// Questions of the shop besides contact, address and payment: open product options, the shop's own fields, and the amount of a
// pay-what-you-want product.

import type { CaptureField } from '../../../api/checkouts/requirements.ts'
import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import type { PayModel } from '../model.ts'
import {
  checkboxField,
  type FormView,
  hiddenInput,
  inputField,
  inputName,
  radioField,
  selectField,
  typedAt,
} from './field.ts'
import type { SumFormatter } from './sums.ts'

/** Questions with more options become a select. */
const MAX_RADIOS = 6

const LONGEST_ANSWER = 10_000

const pathOf = ({ path }: CaptureField): string => path.join('.')

const section = (title: string, fields: readonly Html[]): Html =>
  fields.length === 0 ? EMPTY_HTML : html`<section class="sheet"><h2>${title}</h2>${fields}</section>`

export const openOptions = (form: FormView, { demands }: PayModel): Html =>
  section(
    form.words.yourChoice,
    demands
      .filter(({ type, path: [part] }) => type === 'option' && part === 'line_items')
      .map((demand) => choiceField(form, demand)),
  )

export function ownPriceSection(form: FormView, { demands, live }: PayModel, { sum }: SumFormatter): Html {
  const { words } = form
  const { minimum, customer_set_price: chosenPrice } = live.pay_what_you_want
  return section(
    words.amountTitle,
    demands
      .filter(({ type }) => type === 'amount')
      .map((demand) =>
        inputField(form, {
          path: pathOf(demand),
          label: `${words.amount} (${live.currency.code})`,
          hint: minimum === null || minimum.raw === 0 ? null : words.amountHint({ minimum: sum(minimum) }),
          value: typedAt(form, pathOf(demand)) || (chosenPrice === null ? '' : String(chosenPrice.raw)),
          isOptional: !demand.isRequired,
          size: 'short',
          input: {
            inputmode: 'decimal',
            autocomplete: 'off',
            maxlength: 20,
            enterkeyhint: 'done',
          },
        }),
      ),
  )
}

export function questions(form: FormView, { demands }: PayModel): Html {
  const extraFields = demands.filter(({ path: [part] }) => part === 'extrafields')
  // Hidden fields are set by a storefront, if at all.
  const hidden = extraFields.filter(({ type }) => type === 'hidden')
  return html`${hidden.map((demand) => hiddenInput(inputName(pathOf(demand)), typedAt(form, pathOf(demand))))}${section(
    form.words.details,
    extraFields.filter(({ type }) => type !== 'hidden').map((demand) => question(form, demand)),
  )}`
}

function question(form: FormView, demand: CaptureField): Html {
  const path = pathOf(demand)
  const field = { path, label: demand.label, isOptional: !demand.isRequired }
  const input = { autocomplete: 'off', enterkeyhint: 'next' }
  switch (demand.type) {
    case 'options':
    case 'radio':
      return choiceField(form, demand)
    case 'checkbox':
      return checkboxField(form, { ...field, value: 'true', isChecked: typedAt(form, path) !== '' })
    case 'date':
      return inputField(form, { ...field, size: 'half', input: { ...input, type: 'date' } })
    case 'number':
      return inputField(form, { ...field, size: 'half', input: { ...input, inputmode: 'decimal', maxlength: 40 } })
    default:
      return inputField(form, { ...field, input: { ...input, maxlength: LONGEST_ANSWER } })
  }
}

function choiceField(form: FormView, demand: CaptureField): Html {
  const { label, isRequired, type } = demand
  const path = pathOf(demand)
  const choices = demand.options ?? []
  const selectedValue = typedAt(form, path)
  if (type === 'options' || choices.length > MAX_RADIOS)
    return selectField(form, {
      path,
      label,
      isOptional: !isRequired,
      choices,
      chosen: selectedValue,
      placeholder: form.words.pleaseChoose,
      input: { autocomplete: 'off' },
    })
  return radioField(form, {
    path,
    legend: label,
    isOptional: !isRequired,
    choices: choices.map(({ value, label: name }) => ({ value, label: html`${name}` })),
    chosen: selectedValue,
  })
}
