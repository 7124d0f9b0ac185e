// Form errors: shown beside each field, and in a list above the form that takes the focus and leads to the fields.

import { complain, make } from './dom.js'

/** Container of that list. It is announced and focused when filled. `where`: a second container, nearer to the error. */
export const faultsBox = (where = '') =>
  make('div', { className: `faults ${where}`, role: 'alert', tabIndex: -1, hidden: true })

function fill(form, where, ...content) {
  const box = form.querySelector(`.faults${where && `.${where}`}`)
  box.replaceChildren(...content)
  box.hidden = false
  box.focus()
}

/**
 * Returns the browser's own validation errors: `[[control, sentence]]`, in form order. The first of several radio buttons with one name
 * represents all.
 */
export function findFaults(form) {
  const names = new Set()
  const faults = []
  for (const control of form.elements) {
    if (!control.willValidate || control.validity.valid || names.has(control.name)) continue
    names.add(control.name)
    faults.push([control, sentenceFor(control)])
  }
  return faults
}

/** Error for an empty or invalid field. Fields define their own sentences; product fields use their label. */
export function sentenceFor(control) {
  const { missing, wrong } = control.dataset
  if (control.validity?.valueMissing) return missing ?? `Fill in “${labelOf(control)}”.`
  return wrong ?? `Please check “${labelOf(control)}”.`
}

const labelOf = (control) => control.labels?.[0]?.firstChild?.textContent ?? 'this field'

export function showFaults(form, faults, { title = 'Please check these fields', where = '' } = {}) {
  for (const [control, sentence] of faults) mark(control, sentence)
  fill(
    form,
    where,
    make('h2', {}, title),
    make(
      'ul',
      {},
      faults.map(([control, sentence]) => {
        // Not a link: here the part after the # is the address of a view.
        const lead = make('button', { type: 'button', className: 'plain' }, sentence)
        lead.addEventListener('click', () => control.focus())
        const entry = make('li', {}, lead)
        entries.set(control, entry)
        return entry
      }),
    ),
  )
}

/** Shows a sentence that concerns no single field. */
export const showFault = (form, where, sentence, ...more) => fill(form, where, make('p', {}, sentence), ...more)

/** Removes an outdated list; a message with an action, such as "Look again", stays. */
export function dropFaults(form, where) {
  const box = form.querySelector(`.faults.${where}`)
  if (box.hidden || !box.querySelector('li')) return
  box.hidden = true
  for (const control of form.elements) if (box.contains(entries.get(control))) mark(control, null)
}

export function clearFaults(form) {
  for (const box of form.querySelectorAll('.faults')) box.hidden = true
  for (const control of form.elements) if ('faulty' in control.dataset) mark(control, null)
}

/** Control → its entry in the list. */
const entries = new WeakMap()

/** Removes an error as soon as its field changes, and the list with its last error. */
export const forgiveOnChange = (form) =>
  form.addEventListener('input', ({ target }) => {
    const control = [...form.elements].find(({ name, dataset }) => name === target.name && 'faulty' in dataset)
    if (!control) return
    mark(control, null)
    const entry = entries.get(control)
    const box = entry?.closest('.faults')
    entry?.remove()
    if (box && !box.querySelector('li')) box.hidden = true
  })

/** A group of radio buttons shows one error, which each of them refers to; no single button is marked as invalid. */
function mark(control, sentence) {
  if (sentence === null) delete control.dataset.faulty
  else control.dataset.faulty = ''
  if (control.type !== 'radio') return complain(control, sentence)
  document.getElementById(control.getAttribute('aria-describedby')).textContent = sentence ?? ''
}
