// Updates elements to match the server's answer and leaves equal ones alone. So the caret stays where the shopper types, and a provider's
// fields stay.

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isElement = (node: Node): node is Element => node.nodeType === 1

export const isControl = (node: Node): node is Control =>
  node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement

/** The value of a checkbox or radio does not tell if it is checked. */
export const isChoice = ({ type }: Control): boolean => type === 'checkbox' || type === 'radio'

/** The current state of a field. */
export const stateOf = (control: Control): string =>
  control instanceof HTMLInputElement && isChoice(control) ? String(control.checked) : control.value

/** The opposite of `stateOf`. */
export function writeState(control: Control, state: string): void {
  if (control instanceof HTMLInputElement && isChoice(control)) control.checked = state === 'true'
  else control.value = state
}

/** Identifies an element across answers, wherever it is among its siblings. */
const identityOf = (node: Element): string =>
  node.id ||
  node.getAttribute('data-live') ||
  node.getAttribute('data-way') ||
  (isControl(node) && node.name ? `${node.type} ${node.name} ${isChoice(node) ? node.value : ''}` : '')

const isSameNode = (one: Node, other: Node): boolean =>
  isElement(one) && isElement(other)
    ? one.tagName === other.tagName && identityOf(one) === identityOf(other)
    : one.nodeType === other.nodeType

/** `sent`: state of each field when the request was sent. Later input stays. */
export function morph(old: Element, fresh: Element, sent: ReadonlyMap<Element, string>): void {
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !(name === 'open' && old.tagName === 'DETAILS')) old.removeAttribute(name)
  for (const { name, value } of [...fresh.attributes])
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  // The provider owns the content of this element.
  if (old.hasAttribute('data-mount')) return
  morphChildren(old, fresh, sent)
  if (isControl(old) && isControl(fresh)) applyValue(old, fresh, sent.get(old))
}

function morphChildren(old: Element, fresh: Element, sent: ReadonlyMap<Element, string>): void {
  let position = old.firstChild
  for (const newNode of [...fresh.childNodes]) {
    let match = position
    if (isElement(newNode) && identityOf(newNode) !== '')
      while (match !== null && !isSameNode(match, newNode)) match = match.nextSibling
    if (match === null || !isSameNode(match, newNode)) {
      old.insertBefore(document.importNode(newNode, true), position)
      continue
    }
    // Elements before the match are gone.
    while (position !== null && position !== match) position = removeNode(position)
    position = match.nextSibling
    if (isElement(match) && isElement(newNode)) morph(match, newNode, sent)
    else if (match.nodeValue !== newNode.nodeValue) match.nodeValue = newNode.nodeValue
  }
  while (position !== null) position = removeNode(position)
}

function removeNode(node: ChildNode): ChildNode | null {
  const next = node.nextSibling
  node.remove()
  return next
}

/** The server never returns card data, because the form sends it only for a payment. */
const isOfCard = ({ name }: Control): boolean => /^payment\[(?!gateway\])/.test(name)

/** Takes the server's value, unless the shopper has changed the field meanwhile. */
function applyValue(old: Control, fresh: Control, before: string | undefined): void {
  if (isOfCard(old) || (before !== undefined && before !== stateOf(old))) return
  if (old instanceof HTMLInputElement && fresh instanceof HTMLInputElement) old.checked = fresh.checked
  if (old.value !== fresh.value) old.value = fresh.value
}
