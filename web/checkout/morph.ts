// Makes what is shown into what the server has just answered, and touches nothing that is the same: who types goes on typing where the caret
// stands, and what a provider's script has drawn stays.

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isElement = (node: Node): node is Element => node.nodeType === 1

export const isControl = (node: Node): node is Control =>
  node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement

/** Its value says what it stands for, and not whether it was chosen. */
export const isChoice = ({ type }: Control): boolean => type === 'checkbox' || type === 'radio'

/** What the shopper has in a field now. */
export const stateOf = (control: Control): string =>
  control instanceof HTMLInputElement && isChoice(control) ? String(control.checked) : control.value

/** The opposite of `stateOf`. */
export function write(control: Control, state: string): void {
  if (control instanceof HTMLInputElement && isChoice(control)) control.checked = state === 'true'
  else control.value = state
}

/** By this an element is the same one as before, wherever it stands among its neighbours. */
const keyOf = (node: Element): string =>
  node.id ||
  node.getAttribute('data-live') ||
  node.getAttribute('data-way') ||
  (isControl(node) && node.name ? `${node.type} ${node.name} ${isChoice(node) ? node.value : ''}` : '')

const isSame = (one: Node, other: Node): boolean =>
  isElement(one) && isElement(other)
    ? one.tagName === other.tagName && keyOf(one) === keyOf(other)
    : one.nodeType === other.nodeType

/** `sent`: what was in each field when the answer was asked for. What has been typed since then stays. */
export function morph(old: Element, fresh: Element, sent: ReadonlyMap<Element, string>): void {
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !(name === 'open' && old.tagName === 'DETAILS')) old.removeAttribute(name)
  for (const { name, value } of [...fresh.attributes])
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  // The provider's own.
  if (old.hasAttribute('data-mount')) return
  morphChildren(old, fresh, sent)
  if (isControl(old) && isControl(fresh)) take(old, fresh, sent.get(old))
}

function morphChildren(old: Element, fresh: Element, sent: ReadonlyMap<Element, string>): void {
  let here = old.firstChild
  for (const wanted of [...fresh.childNodes]) {
    let match = here
    if (isElement(wanted) && keyOf(wanted) !== '')
      while (match !== null && !isSame(match, wanted)) match = match.nextSibling
    if (match === null || !isSame(match, wanted)) {
      old.insertBefore(document.importNode(wanted, true), here)
      continue
    }
    // What stands before it is not wanted any more.
    while (here !== null && here !== match) here = dropped(here)
    here = match.nextSibling
    if (isElement(match) && isElement(wanted)) morph(match, wanted, sent)
    else if (match.nodeValue !== wanted.nodeValue) match.nodeValue = wanted.nodeValue
  }
  while (here !== null) here = dropped(here)
}

function dropped(node: ChildNode): ChildNode | null {
  const next = node.nextSibling
  node.remove()
  return next
}

/** What is entered of a card is not sent before it is paid with, and no server says it again. */
const isOfCard = ({ name }: Control): boolean => /^payment\[(?!gateway\])/.test(name)

/** A field has the server's value, unless the shopper has changed it meanwhile. */
function take(old: Control, fresh: Control, before: string | undefined): void {
  if (isOfCard(old) || (before !== undefined && before !== stateOf(old))) return
  if (old instanceof HTMLInputElement && fresh instanceof HTMLInputElement) old.checked = fresh.checked
  if (old.value !== fresh.value) old.value = fresh.value
}
