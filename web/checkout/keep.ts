// Keeps what was typed for this tab, so that neither a lost line nor a page that was thrown out of memory costs a shopper the form. Never a card,
// never a code: those are worth money to whoever sits down at the same computer next.

import { isChoice, isControl, stateOf, write } from './morph.ts'

const NEVER = /^(payment\[(?!gateway\])|discount_code$|giftcard_code$|expected_total$|lang$)/

const keyOf = (token: string) => `checkout ${token}`

/** Storage may be full, or forbidden. */
function safely<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

export type Kept = Record<string, string>

function fieldsOf(form: HTMLFormElement) {
  return [...form.elements].flatMap((field) => {
    if (!isControl(field) || field.name === '' || field.type === 'hidden' || NEVER.test(field.name)) return []
    return [{ field, name: isChoice(field) ? `${field.name}=${field.value}` : field.name }]
  })
}

/** Under no field's name: the form was sent. */
const SENT = ''

export function keep(form: HTMLFormElement, isSent = false): void {
  const kept: Kept = isSent ? { [SENT]: '1' } : {}
  for (const { field, name } of fieldsOf(form)) kept[name] = stateOf(field)
  safely(() => sessionStorage.setItem(keyOf(form.dataset.token ?? ''), JSON.stringify(kept)))
}

export const forget = (token: string) => safely(() => sessionStorage.removeItem(keyOf(token)))

/** What was kept; what is put back is taken out of it. */
export const readKept = (form: HTMLFormElement): Kept =>
  safely(() => JSON.parse(sessionStorage.getItem(keyOf(form.dataset.token ?? '')) ?? '{}') as Kept) ?? {}

/**
 * Puts back what was kept; true where that has changed something. In an answer to what was just sent the server's word counts, and only what is
 * empty there is filled. Fields that come with an answer, as those of another country do, are filled when they are there.
 */
export function restore(
  form: HTMLFormElement,
  kept: Kept,
  isAnswer = 'typed' in form.dataset && SENT in kept,
): boolean {
  let hasChanged = false
  for (const { field, name } of fieldsOf(form)) {
    const value = kept[name]
    delete kept[name]
    if (typeof value !== 'string' || value === stateOf(field) || (isAnswer && (isChoice(field) || field.value !== '')))
      continue
    // A list that does not have it any more stays as it is.
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) continue
    write(field, value)
    hasChanged = true
  }
  if (SENT in kept) {
    delete kept[SENT]
    keep(form)
  }
  return hasChanged
}
