// What the controls of a form say: what was changed, what is sent, and what they show when nothing was. A control says by `data-as` what its
// text is (`number`, `json`), and by `data-empty` what an empty one means.

export type Values = Record<string, unknown>

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement

const isTicked = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)

/** Those with a name: others serve to find or to preview something. */
export const controlsOf = (form: HTMLFormElement | null): Control[] =>
  [...(form?.elements ?? [])].filter(isControl).filter(({ name, disabled }) => name !== '' && !disabled)

/** Of those that are sent, as JSON, nested by the dots of the names. */
export function valuesOf(form: HTMLFormElement, isSent: (control: Control) => boolean): Values {
  const values: Values = {}
  for (const control of controlsOf(form)) {
    if (control instanceof HTMLInputElement && control.type === 'radio' && !control.checked) continue
    if (!isSent(control)) continue
    const value = readValue(control)
    if (value !== undefined) put(values, control.name.split('.'), value)
  }
  return values
}

export const hasChanges = (form: HTMLFormElement): boolean => controlsOf(form).some(isChanged)

export function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some((option) => option.selected !== option.defaultSelected)
  return isTicked(control) ? control.checked !== control.defaultChecked : control.value !== control.defaultValue
}

const chosenByDefault = (control: HTMLSelectElement): HTMLOptionElement | undefined =>
  [...control.options].find((option) => option.defaultSelected)

/** What it shows before anybody changes it, to be compared. */
export function defaultOf(control: Control): string {
  if (control instanceof HTMLSelectElement) return chosenByDefault(control)?.value ?? ''
  return isTicked(control) ? String(control.defaultChecked) : control.defaultValue
}

/** The same for people. */
export function shownDefaultOf(control: Control): string {
  if (control instanceof HTMLSelectElement) return chosenByDefault(control)?.text ?? ''
  if (isTicked(control)) return control.defaultChecked ? 'on' : 'off'
  return control.dataset.shown ?? control.defaultValue
}

export const labelOf = (control: Control): string =>
  control.dataset.label ?? control.labels?.[0]?.textContent?.replace(' (optional)', '') ?? control.name

/** A part that keeps its value by itself listens to this on its control: `detail` is the value as JSON, null for what stood there at first. */
export const PUT_EVENT = 'put-value'

/** Shows again what stood there before anybody changed it. */
export function settle(control: Control) {
  if (control.dataset.as === 'json' && !(control instanceof HTMLSelectElement)) tell(control, null)
  else if (control instanceof HTMLSelectElement)
    for (const option of control.options) option.selected = option.defaultSelected
  else if (isTicked(control)) control.checked = control.defaultChecked
  else control.value = control.defaultValue
}

/** What was typed, to be put back by `putBack`. */
export const typedIn = (control: Control): string => (isTicked(control) ? String(control.checked) : control.value)

export function putBack(control: Control, typed: string) {
  if (control.dataset.as === 'json' && !(control instanceof HTMLSelectElement)) tell(control, typed)
  else if (isTicked(control)) control.checked = typed === 'true'
  else control.value = typed
}

const tell = (control: Control, detail: string | null) => control.dispatchEvent(new CustomEvent(PUT_EVENT, { detail }))

/** Undefined: it is not sent. */
function readValue(control: Control): unknown {
  const { as = 'text', empty = 'text' } = control.dataset
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked
  const text = as === 'password' ? control.value : control.value.trim()
  if (text === '' && empty !== 'text') return empty === 'null' ? null : undefined
  if (as === 'json') return text === '' ? undefined : JSON.parse(text)
  if (as !== 'number') return text
  // What is no number goes out as it was typed: the API says what is wrong with it.
  const number = Number(text)
  return text !== '' && Number.isFinite(number) ? number : text
}

function put(target: Values, [first = '', ...rest]: readonly string[], value: unknown) {
  if (rest.length === 0) {
    target[first] = value
    return
  }
  target[first] ??= {}
  put(target[first] as Values, rest, value)
}
