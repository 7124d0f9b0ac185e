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

export const picture = (asset, className, alt = '') =>
  asset
    ? make('img', { className, src: asset.url, alt, loading: 'lazy', width: 640, height: 640 })
    : make('span', { className: `${className} no-picture`, 'aria-hidden': 'true' })

/** The picture of what was chosen, on a line of a cart or an order: `image` is the product's first, of whatever colour. */
export const linePicture = (line, className = 'line-picture') =>
  picture(line.variant?.assets?.find((asset) => asset.is_image) ?? line.image, className)

/** Descriptions are HTML. Read as a document of its own nothing in it runs or loads; its text is what is shown. */
export const textOf = (html) => new DOMParser().parseFromString(html ?? '', 'text/html').body.textContent.trim()

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
