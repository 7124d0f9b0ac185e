// Creates elements, and tells the shopper what happened. All text is inserted as text, never as HTML, because it comes from a shop.

/** `make('a', { href: '#/' }, 'Home')`. Properties are assigned; names with a dash become attributes; children are nodes or text. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue
    if (name.includes('-')) element.setAttribute(name, value)
    else element[name] = value
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined))
  return element
}

/** An input, a select or similar, with its label before it and room for an error after it. */
export function field(label, control) {
  control.id ||= `field-${control.name.replaceAll('.', '-')}`
  const complaint = make('span', { id: `${control.id}-problem`, className: 'complaint' })
  control.setAttribute('aria-describedby', complaint.id)
  const note = control.required ? null : make('span', { className: 'optional' }, ' (optional)')
  return make('div', { className: 'field' }, make('label', { htmlFor: control.id }, label, note), control, complaint)
}

/** Shows an error at a field; `null` removes it. Single radio buttons have no room for one. */
export function complain(control, sentence) {
  if (sentence === null) control.removeAttribute('aria-invalid')
  else control.setAttribute('aria-invalid', 'true')
  const complaint = document.getElementById(`${control.id}-problem`)
  if (complaint) complaint.textContent = sentence ?? ''
}

export const select = (properties, options, chosen) =>
  make(
    'select',
    properties,
    options.map(([value, text]) => make('option', { value, selected: value === chosen }, text)),
  )

export const button = (text, onClick, properties = {}) => {
  const element = make('button', { type: 'button', ...properties }, text)
  element.addEventListener('click', onClick)
  return element
}

/** Maximum quantity per line. */
const MOST = 99

/** Returns why this quantity cannot be ordered, or null if it can. `left`: remaining stock; null if it is not managed. */
function quantityFault(quantity, left) {
  if (!Number.isInteger(quantity) || quantity < 1) return 'Enter 1 or more.'
  if (left === 0) return 'This is sold out.'
  if (left !== null && quantity > left) return left === 1 ? 'Only 1 is left.' : `Only ${left} are left.`
  return quantity > MOST ? `You can order ${MOST} at once.` : null
}

/**
 * A quantity input between two buttons. `findLeft` returns the stock. `onChange` gets each new number, a moment after the last step. An
 * invalid quantity shows an error in the element `<id>-problem` and calls `onFault`. `check` validates the quantity and shows the error.
 */
export function stepper({ id, what, value, findLeft = () => null, onChange = () => {}, onFault = () => {} }) {
  const input = make('input', { id, type: 'number', inputMode: 'numeric', name: 'quantity', min: 1, value })
  input.setAttribute('aria-describedby', `${id}-problem`)
  let waiting
  const check = () => {
    const fault = quantityFault(Number(input.value), findLeft())
    complain(input, fault)
    return fault === null
  }
  const tell = () => {
    clearTimeout(waiting)
    if (check()) onChange(Number(input.value))
    else onFault()
  }
  const step = (by) => () => {
    const next = Math.max((Number(input.value) || 0) + by, 1)
    const fault = by > 0 ? quantityFault(next, findLeft()) : null
    complain(input, fault)
    if (fault !== null || String(next) === input.value) return
    input.value = next
    clearTimeout(waiting)
    waiting = setTimeout(tell, 350)
  }
  input.addEventListener('change', tell)
  const control = make(
    'div',
    { className: 'stepper' },
    button('−', step(-1), { id: `${id}-less`, 'aria-label': `One less of ${what}` }),
    make('label', { className: 'unseen', htmlFor: id }, `Quantity of ${what}`),
    input,
    button('+', step(1), { id: `${id}-more`, 'aria-label': `One more of ${what}` }),
  )
  return { control, input, check }
}

export const picture = (asset, className, alt = '', loading = 'lazy') =>
  asset
    ? make('img', { className, src: asset.url, alt, loading, decoding: 'async', width: 640, height: 640 })
    : make('span', { className: `${className} no-picture`, 'aria-hidden': 'true' })

/** The picture of the chosen variant, on a line of a cart or an order. `image` is only the product's first picture. */
export const linePicture = (line, className = 'line-picture') =>
  picture(line.variant?.assets?.find((asset) => asset.is_image) ?? line.image, className)

/** For empty views: a sentence, and links that lead on. */
export const nothing = (sentence, ...ways) =>
  make('div', { className: 'nothing' }, make('p', {}, sentence), make('p', { className: 'ways' }, ways))

export const buttonLink = (href, text, className = 'button') => make('a', { className, href }, text)

/** `[text, address]` of each level from the top; the last one is the page itself. */
export const breadcrumbs = (steps) =>
  make(
    'nav',
    { className: 'crumbs', 'aria-label': 'Where you are' },
    make(
      'ol',
      {},
      steps.map(([text, href], index) =>
        make(
          'li',
          {},
          index < steps.length - 1 ? make('a', { href }, text) : make('span', { 'aria-current': 'page' }, text),
        ),
      ),
    ),
  )

/** Descriptions are HTML. Parsed as a separate document, nothing in them runs or loads; only their text is shown. */
export function textOf(html) {
  const { body } = new DOMParser().parseFromString(html ?? '', 'text/html')
  for (const hidden of body.querySelectorAll('script, style')) hidden.remove()
  for (const block of body.querySelectorAll('p, br, li, div, h1, h2, h3, h4')) block.append('\n')
  return body.textContent.replace(/\n{3,}/g, '\n\n').trim()
}

/** Announces a sentence to screen readers only. */
export const say = (sentence) => {
  document.getElementById('said').textContent = sentence
}

/** Shows an error to everybody at the top of the page, until the next action. */
export function showProblem(sentence) {
  const problem = document.getElementById('problem')
  problem.textContent = sentence ?? ''
  problem.hidden = !sentence
  if (sentence) problem.scrollIntoView({ block: 'nearest' })
}
