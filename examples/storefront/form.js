// What is wrong with a form: said beside each field, and once above all of them, in a list that takes the focus and leads to the fields.

import { complain, make } from './dom.js'

/** Room for that list. Read out when it is filled; then it has the focus. `where`: a second one, nearer to what went wrong. */
export const faultsBox = (where = '') =>
  make('div', { className: `faults ${where}`, role: 'alert', tabIndex: -1, hidden: true })

function fill(form, where, ...content) {
  const box = form.querySelector(`.faults${where && `.${where}`}`)
  box.replaceChildren(...content)
  box.hidden = false
  box.focus()
}

/** What the browser finds: `[[control, sentence]]`, in the order of the form. Of radio buttons of one name the first stands for all. */
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

/** For a field that is empty or cannot be right. Fields say it themselves; what a product asks for is called as its label calls it. */
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
        // No link: what stands behind the # is the address of a view here.
        const lead = make('button', { type: 'button', className: 'plain' }, sentence)
        lead.addEventListener('click', () => control.focus())
        const entry = make('li', {}, lead)
        entries.set(control, entry)
        return entry
      }),
    ),
  )
}

/** One sentence that no field is to blame for. */
export const showFault = (form, where, sentence, ...more) => fill(form, where, make('p', {}, sentence), ...more)

/** Takes a list back that is not true any more; a message that leads on, such as to look again, stays. */
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

/** Control → its line of the list. */
const entries = new WeakMap()

/** A complaint goes away as soon as it is answered, and the list with its last one. */
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

/** A group of radio buttons has one place for its complaint, which each of them names; none of them is wrong by itself. */
function mark(control, sentence) {
  if (sentence === null) delete control.dataset.faulty
  else control.dataset.faulty = ''
  if (control.type !== 'radio') return complain(control, sentence)
  document.getElementById(control.getAttribute('aria-describedby')).textContent = sentence ?? ''
}
