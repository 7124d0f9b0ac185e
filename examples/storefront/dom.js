// Making elements, and telling the shopper what has happened. All text goes through here as text, never as HTML: it comes from a shop.

/** `make('a', { href: '#/' }, 'Home')`. Properties are set as they are; names with a dash become attributes; children are nodes or text. */
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

/** An input, a select and the like, with its label before it and room for a complaint after it. */
export function field(label, control) {
  control.id ||= `field-${control.name.replaceAll('.', '-')}`
  const complaint = make('span', { id: `${control.id}-problem`, className: 'complaint' })
  control.setAttribute('aria-describedby', complaint.id)
  const note = control.required ? null : make('span', { className: 'optional' }, ' (optional)')
  return make('div', { className: 'field' }, make('label', { htmlFor: control.id }, label, note), control, complaint)
}

/** `null` takes the complaint back. Radio buttons have no room for one of their own. */
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

/** The most that is ordered at once. */
const MOST = 99

/** Why this quantity cannot be ordered, or null when it can. `left`: how many there are; null when nobody counts them. */
function quantityFault(quantity, left) {
  if (!Number.isInteger(quantity) || quantity < 1) return 'Enter 1 or more.'
  if (left === 0) return 'This is sold out.'
  if (left !== null && quantity > left) return left === 1 ? 'Only 1 is left.' : `Only ${left} are left.`
  return quantity > MOST ? `You can order ${MOST} at once.` : null
}

/**
 * How many of something: an input between two buttons. `findLeft` tells how many there are. `onChange` hears of each new number, a moment
 * after the last step; what cannot be is said in the element `<id>-problem`, and `onFault` hears of it. `check`: whether it can be, and says
 * so too.
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

/** The picture of what was chosen, on a line of a cart or an order: `image` is the product's first, of whatever colour. */
export const linePicture = (line, className = 'line-picture') =>
  picture(line.variant?.assets?.find((asset) => asset.is_image) ?? line.image, className)

/** Where there is nothing to show: what that is, and ways on. */
export const nothing = (sentence, ...ways) =>
  make('div', { className: 'nothing' }, make('p', {}, sentence), make('p', { className: 'ways' }, ways))

export const buttonLink = (href, text, className = 'button') => make('a', { className, href }, text)

/** Where this stands: `[text, address]` from the top down; the last one is the page itself. */
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

/** Descriptions are HTML. Read as a document of its own nothing in it runs or loads; its text is what is shown. */
export function textOf(html) {
  const { body } = new DOMParser().parseFromString(html ?? '', 'text/html')
  for (const hidden of body.querySelectorAll('script, style')) hidden.remove()
  for (const block of body.querySelectorAll('p, br, li, div, h1, h2, h3, h4')) block.append('\n')
  return body.textContent.replace(/\n{3,}/g, '\n\n').trim()
}

/** Read out by screen readers; nobody else sees it. */
export const say = (sentence) => {
  document.getElementById('said').textContent = sentence
}

/** For everybody, on top of the page, until the next thing is done. */
export function showProblem(sentence) {
  const problem = document.getElementById('problem')
  problem.textContent = sentence ?? ''
  problem.hidden = !sentence
  if (sentence) problem.scrollIntoView({ block: 'nearest' })
}
