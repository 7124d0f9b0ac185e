// One field of a form: label, hint, error and input, linked for screen readers. Optional fields are marked; all others are expected.

import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { htmlAttributes } from '../../frame.ts'
import { checkoutRefusalText, type Messages } from '../languages/index.ts'
import type { FieldProblem, Language, TypedInputs } from '../model.ts'

/** Data that every part of a form needs. */
export type FormView = {
  readonly words: Messages
  readonly language: Language
  readonly typed: TypedInputs
  /** Error texts by the dotted path of the field. */
  readonly problems: ReadonlyMap<string, string>
}

export const formView = (
  words: Messages,
  {
    language,
    typed,
    problems,
  }: { readonly language: Language; readonly typed: TypedInputs; readonly problems: readonly FieldProblem[] },
): FormView => ({
  words,
  language,
  typed,
  problems: new Map(
    [...problems]
      .reverse()
      .flatMap(({ path, shopperMessage }) =>
        path === null ? [] : [[path, checkoutRefusalText(words, shopperMessage)] as const],
      ),
  ),
})

/** `shipping.name` → `f-shipping-name`. */
export const fieldId = (path: string): string => `f-${path.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`

/** `shipping.name` → `shipping[name]`. */
export const inputName = (path: string): string => {
  const at = path.indexOf('.')
  return at === -1 ? path : `${path.slice(0, at)}[${path.slice(at + 1).replaceAll('.', '][')}]`
}

export const typedAt = ({ typed }: FormView, path: string): string => typed.get(inputName(path)) ?? ''

type InputAttributes = Readonly<Record<string, string | number | boolean | null>>

type Field = {
  /** Dotted path of the field. */
  readonly path: string
  readonly label: string
  readonly hint?: string | null
  /** True if the label says that the field is optional. */
  readonly isOptional?: boolean
  /** True if the form cannot continue without the field. Default: the opposite of `isOptional`. */
  readonly isRequired?: boolean
  /** Width of the field: `short`, `half`. */
  readonly size?: string
}

type Input = Field & {
  /** Value instead of the typed one. Null: the value is never shown again, for example card data. */
  readonly value?: string | null
  readonly input: InputAttributes
}

type Choice = { readonly value: string; readonly label: string }

type Select = Field & {
  readonly input?: InputAttributes
  readonly choices: readonly Choice[]
  /** The choices are the same on every page, for example countries, so their HTML is cached. */
  readonly isCacheable?: true
  readonly chosen: string
  /** Label of the first option, which selects nothing. */
  readonly placeholder: string | null
}

export const optionalMark = (words: Messages): Html => html` <span class="optional">(${words.optional})</span>`

const describedBy = ({ problems }: FormView, { path, hint }: Field): string | null => {
  const ids = [problems.has(path) ? `${fieldId(path)}-error` : '', hint ? `${fieldId(path)}-hint` : ''].filter(
    (id) => id !== '',
  )
  return ids.length === 0 ? null : ids.join(' ')
}

/** Attributes of an input besides its value. */
const attrsOf = (form: FormView, field: Field) => ({
  id: fieldId(field.path),
  name: inputName(field.path),
  'aria-required': (field.isRequired ?? !field.isOptional) ? 'true' : null,
  'aria-describedby': describedBy(form, field),
  'aria-invalid': form.problems.has(field.path) ? 'true' : null,
})

export function errorAt({ problems, words }: FormView, path: string): Html {
  const sentence = problems.get(path)
  return sentence === undefined
    ? EMPTY_HTML
    : html`<p class="error" id="${fieldId(path)}-error"><span class="unseen">${words.errorMark} </span>${sentence}</p>`
}

function fieldHtml(form: FormView, field: Field, control: Html): Html {
  const { path, label, hint = null, isOptional = false, size = '' } = field
  const classes = ['field', size, form.problems.has(path) ? 'bad' : ''].filter((name) => name !== '').join(' ')
  return html`<div class="${classes}"><label for="${fieldId(path)}">${label}${isOptional ? optionalMark(form.words) : EMPTY_HTML}</label>
${control}${hint ? html`<p class="hint" id="${fieldId(path)}-hint">${hint}</p>` : EMPTY_HTML}${errorAt(form, path)}</div>
`
}

export function inputField(form: FormView, field: Input): Html {
  const { value = typedAt(form, field.path), input } = field
  return fieldHtml(
    form,
    field,
    html`<input${htmlAttributes({ type: 'text', ...attrsOf(form, field), value, ...input })}>`,
  )
}

export function textField(form: FormView, field: Input): Html {
  const { value = typedAt(form, field.path), input } = field
  return fieldHtml(
    form,
    field,
    html`<textarea${htmlAttributes({ rows: 2, ...attrsOf(form, field), ...input })}>
${value ?? ''}</textarea>`,
  )
}

export function selectField(form: FormView, field: Select): Html {
  const { choices, isCacheable = false, chosen, placeholder, input = {} } = field
  return fieldHtml(
    form,
    field,
    html`<select${htmlAttributes({ ...attrsOf(form, field), ...input })}>${
      placeholder === null ? EMPTY_HTML : html`<option value="">${placeholder}</option>`
    }${choices.map((choice) =>
      isCacheable && choice.value !== chosen ? cachedOption(choice) : option(choice, choice.value === chosen),
    )}</select>`,
  )
}

const option = ({ value, label }: Choice, selected: boolean): Html =>
  html`<option${htmlAttributes({ value, selected })}>${label}</option>`

const optionCache = new WeakMap<Choice, Html>()

function cachedOption(choice: Choice): Html {
  const cachedHtml = optionCache.get(choice)
  if (cachedHtml !== undefined) return cachedHtml
  const optionHtml = option(choice, false)
  optionCache.set(choice, optionHtml)
  return optionHtml
}

type RadioChoice = { readonly value: string; readonly label: Html; readonly aside?: string }

type Radios = {
  readonly path: string
  readonly legend: string
  readonly choices: readonly RadioChoice[]
  readonly chosen: string
  readonly isOptional?: boolean
  /** True if the legend is the heading of a section. */
  readonly isHeading?: boolean
  /** Name of the inputs, if it differs from that of the path. */
  readonly name?: string
}

/** The first input has the field's id, so that links to the field lead to it. */
export function radioField(form: FormView, field: Radios): Html {
  const { path, legend, choices, chosen, isOptional = false, isHeading = false, name = inputName(path) } = field
  const title = html`${legend}${isOptional ? optionalMark(form.words) : EMPTY_HTML}`
  return html`<fieldset${htmlAttributes({ class: form.problems.has(path) ? 'choices bad' : 'choices', 'aria-describedby': describedBy(form, { path, label: legend }) })}><legend>${isHeading ? html`<h2>${title}</h2>` : title}</legend>
${errorAt(form, path)}<div class="options">${choices.map(
    ({ value, label, aside }, index) =>
      html`<label class="choice"><input${htmlAttributes({ type: 'radio', id: index === 0 ? fieldId(path) : null, name, value, checked: value === chosen })}><span class="choice-text">${label}</span>${aside === undefined ? EMPTY_HTML : html`<span class="choice-aside">${aside}</span>`}</label>`,
  )}</div></fieldset>
`
}

export function checkboxField(
  form: FormView,
  field: Field & { readonly value: string; readonly isChecked: boolean },
): Html {
  const { path, label, isOptional = false, value, isChecked } = field
  return html`<div class="${form.problems.has(path) ? 'field bad' : 'field'}"><label class="choice"><input${htmlAttributes({ type: 'checkbox', ...attrsOf(form, field), value, checked: isChecked })}><span class="choice-text">${label}${isOptional ? optionalMark(form.words) : EMPTY_HTML}</span></label>${errorAt(form, path)}</div>
`
}

export const hiddenInput = (name: string, value: string): Html =>
  html`<input${htmlAttributes({ type: 'hidden', name, value })}>`
