// Reads the controls of a form: changes, values to send, and default values. A control's `data-as` names the type of its text (`number`,
// `json`), and `data-empty` the meaning of an empty one.

export type FormValues = Record<string, unknown>

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement

const isCheckable = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)

/** Controls with a name. Others serve to search or preview something. */
export const controlsOf = (form: HTMLFormElement | null): Control[] =>
  [...(form?.elements ?? [])].filter(isControl).filter(({ name, disabled }) => name !== '' && !disabled)

/** The sent controls as JSON, nested by the dots in their names. */
export function valuesOf(form: HTMLFormElement, isSent: (control: Control) => boolean): FormValues {
  const values: FormValues = {}
  for (const control of controlsOf(form)) {
    if (control instanceof HTMLInputElement && control.type === 'radio' && !control.checked) continue
    if (!isSent(control)) continue
    const value = readValue(control)
    if (value !== undefined) setPath(values, control.name.split('.'), value)
  }
  return values
}

export const hasChanges = (form: HTMLFormElement): boolean => controlsOf(form).some(isChanged)

export function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some((option) => option.selected !== option.defaultSelected)
  return isCheckable(control) ? control.checked !== control.defaultChecked : control.value !== control.defaultValue
}

const chosenByDefault = (control: HTMLSelectElement): HTMLOptionElement | undefined =>
  [...control.options].find((option) => option.defaultSelected)

/** The value before any change, for comparison. */
export function defaultOf(control: Control): string {
  if (control instanceof HTMLSelectElement) return chosenByDefault(control)?.value ?? ''
  return isCheckable(control) ? String(control.defaultChecked) : control.defaultValue
}

/** The default value as text for people. */
export function defaultTextOf(control: Control): string {
  if (control instanceof HTMLSelectElement) return chosenByDefault(control)?.text ?? ''
  if (isCheckable(control)) return control.defaultChecked ? 'on' : 'off'
  return control.dataset.shown ?? control.defaultValue
}

export const controlLabel = (control: Control): string =>
  control.dataset.label ?? control.labels?.[0]?.textContent?.replace(' (optional)', '') ?? control.name

/** A part that keeps its own value listens for this event on its control. `detail` is the value as JSON, or null for the original value. */
export const PUT_EVENT = 'put-value'

/** Resets a control to its value before any change. */
export function resetControl(control: Control) {
  if (control.dataset.as === 'json' && !(control instanceof HTMLSelectElement)) emit(control, null)
  else if (control instanceof HTMLSelectElement)
    for (const option of control.options) option.selected = option.defaultSelected
  else if (isCheckable(control)) control.checked = control.defaultChecked
  else control.value = control.defaultValue
}

/** The typed text, for a later `putBack`. */
export const controlText = (control: Control): string =>
  isCheckable(control) ? String(control.checked) : control.value

export function restoreControl(control: Control, text: string) {
  if (control.dataset.as === 'json' && !(control instanceof HTMLSelectElement)) emit(control, text)
  else if (isCheckable(control)) control.checked = text === 'true'
  else control.value = text
}

const emit = (control: Control, detail: string | null) => control.dispatchEvent(new CustomEvent(PUT_EVENT, { detail }))

/** Undefined if the control is not sent. */
function readValue(control: Control): unknown {
  const { as = 'text', empty = 'text' } = control.dataset
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked
  const text = as === 'password' ? control.value : control.value.trim()
  if (text === '' && empty !== 'text') return empty === 'null' ? null : undefined
  if (as === 'json') return text === '' ? undefined : JSON.parse(text)
  if (as !== 'number') return text
  // Send text that is no number unchanged, so that the API reports the mistake.
  const number = Number(text)
  return text !== '' && Number.isFinite(number) ? number : text
}

function setPath(target: FormValues, [first = '', ...rest]: readonly string[], value: unknown) {
  if (rest.length === 0) {
    target[first] = value
    return
  }
  target[first] ??= {}
  setPath(target[first] as FormValues, rest, value)
}
