// The fields of an address, with the order and labels of its country. Optional parts appear only if postal addresses of the country have
// them.

import type { CaptureField } from '../../../api/checkouts/requirements.ts'
import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { type FormView, inputField, selectField, typedAt } from '../views/field.ts'
import {
  type AddressFieldName,
  addressFieldLabel,
  addressRows,
  chosenRegion,
  countryChoices,
  hasNumericPostalCode,
  isOftenOmitted,
  regionChoices,
} from './countries.ts'

type Address = {
  readonly addressKind: 'shipping' | 'billing'
  /** Demands for this address. */
  readonly demands: readonly CaptureField[]
  /** Null: every country. */
  readonly countries: readonly string[] | null
  /** Preselected country: the known location, until the shopper chooses one. */
  readonly country: string
  /** True if the form also asks for the shopper's own name. */
  readonly isNameAsked: boolean
}

type PartHints = Readonly<Record<string, string | number>>

/** Prefixed with `shipping` or `billing`, because one form may have two addresses. */
const AUTOCOMPLETE: Readonly<Record<AddressFieldName, string>> = {
  name: 'name',
  street: 'address-line1',
  street_2: 'address-line2',
  town_city: 'address-level2',
  county_state: 'address-level1',
  postal_zip_code: 'postal-code',
}

const LONGEST: Readonly<Record<AddressFieldName, number>> = {
  name: 255,
  street: 255,
  street_2: 255,
  town_city: 255,
  county_state: 255,
  postal_zip_code: 50,
}

/** The country select is not part of the live element. It decides the other fields, and stays in place while they are replaced. */
export function addressFields(form: FormView, address: Address): Html {
  const { addressKind, demands, countries } = address
  const isDemanded = new Map(demands.map(({ path, isRequired }) => [path.at(-1) ?? '', isRequired]))
  const choices = countryChoices(countries, form.language)
  const typed = typedAt(form, `${addressKind}.country`) || address.country
  const country = choices.some(({ value }) => value === typed)
    ? typed
    : choices.length === 1
      ? (choices[0]?.value ?? '')
      : ''
  const rows = addressRows(country)
  const visibleParts = new Set(rows.flat())
  // Demanded parts that postal addresses of the country do not have.
  const extraRows = [...isDemanded].flatMap(([name, isRequired]) =>
    isRequired && isPart(name) && !visibleParts.has(name) ? [[name]] : [],
  )
  const formRows = [...rows, ...extraRows]
    .map((row) => row.filter((part) => isDemanded.has(part)))
    .filter((row) => row.length > 0)
  const part = (name: AddressFieldName) =>
    partField(form, { ...address, country, part: name, isRequired: isDemanded.get(name) ?? false })
  return html`${
    isDemanded.has('country')
      ? selectField(form, {
          path: `${addressKind}.country`,
          label: form.words.country,
          choices,
          isCacheable: true,
          chosen: country,
          placeholder: choices.length === 1 ? null : form.words.pleaseChoose,
          input: { autocomplete: `${addressKind} country` },
        })
      : EMPTY_HTML
  }<div data-live="${addressKind}-address">${formRows.map((row) => html`<div class="row row-${row.length}">${row.map(part)}</div>`)}</div>`
}

const isPart = (name: string): name is AddressFieldName => Object.hasOwn(AUTOCOMPLETE, name)

type Part = Address & { readonly part: AddressFieldName; readonly isRequired: boolean }

function partField(form: FormView, { addressKind, country, part, isRequired, isNameAsked }: Part): Html {
  const { words, language } = form
  const path = `${addressKind}.${part}`
  const field = {
    path,
    label:
      part === 'name' && addressKind === 'shipping' && isNameAsked
        ? words.recipient
        : addressFieldLabel(words, part, country),
    isOptional: !isRequired && isOftenOmitted(part, country),
    isRequired,
    size: part === 'postal_zip_code' ? 'short' : '',
  }
  const autocomplete = `${addressKind} ${AUTOCOMPLETE[part]}`
  const choices = part === 'county_state' ? regionChoices(country, language) : []
  if (choices.length > 0)
    return selectField(form, {
      ...field,
      choices,
      isCacheable: true,
      chosen: chosenRegion(country, typedAt(form, path), choices),
      placeholder: words.pleaseChoose,
      input: { autocomplete },
    })
  return inputField(form, {
    ...field,
    input: {
      autocomplete,
      maxlength: LONGEST[part],
      enterkeyhint: 'next',
      ...hintsOf(part, country),
    },
    ...(part === 'name' && typedAt(form, path) === '' ? { value: customerName(form) } : {}),
  })
}

/** Reuses the customer's name, so that nobody types it twice. */
const customerName = (form: FormView): string =>
  [typedAt(form, 'customer.firstname'), typedAt(form, 'customer.lastname')].filter((name) => name !== '').join(' ')

function hintsOf(part: AddressFieldName, country: string): PartHints {
  if (part !== 'postal_zip_code') return { autocapitalize: 'words' }
  return {
    autocapitalize: 'characters',
    spellcheck: 'false',
    ...(hasNumericPostalCode(country) ? { inputmode: 'numeric' } : {}),
  }
}
