// Stores the form's input for this tab, so that a broken connection or a discarded page does not lose it. Never stores cards or codes,
// because the next user of the computer could spend them.

import { isChoice, isControl, stateOf, writeState } from './morph.ts'

const NEVER_STORED = /^(payment\[(?!gateway\])|discount_code$|giftcard_code$|expected_total$|lang$)/

const storageKey = (token: string) => `checkout ${token}`

/** Storage may be full or forbidden. */
function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

export type SavedInput = Record<string, string>

function fieldsOf(form: HTMLFormElement) {
  return [...form.elements].flatMap((field) => {
    if (!isControl(field) || field.name === '' || field.type === 'hidden' || NEVER_STORED.test(field.name)) return []
    return [{ field, name: isChoice(field) ? `${field.name}=${field.value}` : field.name }]
  })
}

/** Key that no field has; it means that the form was sent. */
const SENT_KEY = ''

export function saveInput(form: HTMLFormElement, isSent = false): void {
  const savedInput: SavedInput = isSent ? { [SENT_KEY]: '1' } : {}
  for (const { field, name } of fieldsOf(form)) savedInput[name] = stateOf(field)
  ignoreErrors(() => sessionStorage.setItem(storageKey(form.dataset.token ?? ''), JSON.stringify(savedInput)))
}

export const clearSavedInput = (token: string) => ignoreErrors(() => sessionStorage.removeItem(storageKey(token)))

/** Reads the stored input. `restore` removes each value that it puts back. */
export const readSavedInput = (form: HTMLFormElement): SavedInput =>
  ignoreErrors(() => JSON.parse(sessionStorage.getItem(storageKey(form.dataset.token ?? '')) ?? '{}') as SavedInput) ??
  {}

/**
 * Puts stored input back into the form and returns true if anything changed. For an answer to input that was just sent, the server's
 * values win, and only empty fields are filled. Fields that come with a later answer, such as those of another country, are filled then.
 */
export function restoreInput(
  form: HTMLFormElement,
  savedInput: SavedInput,
  isAnswer = 'typed' in form.dataset && SENT_KEY in savedInput,
): boolean {
  let hasChanged = false
  for (const { field, name } of fieldsOf(form)) {
    const value = savedInput[name]
    delete savedInput[name]
    if (typeof value !== 'string' || value === stateOf(field) || (isAnswer && (isChoice(field) || field.value !== '')))
      continue
    // Skip a value that the list no longer has.
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) continue
    writeState(field, value)
    hasChanged = true
  }
  if (SENT_KEY in savedInput) {
    delete savedInput[SENT_KEY]
    saveInput(form)
  }
  return hasChanged
}
