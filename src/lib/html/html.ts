// HTML with escaped values, for pages and for mails.

import { escapeHtml } from '../text.ts'

/** HTML that is inserted unchanged. `html` escapes every other value. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

/** html`<p>${name}</p>`. Attribute values must be in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  // Plain string concatenation is copied only once, when the whole page is sent. A page consists of hundreds of these.
  let text = parts[0] ?? ''
  for (let at = 0; at < values.length; at++) text += textOf(values[at] ?? '') + (parts[at + 1] ?? '')
  return new Html(text)
}

function textOf(value: Value): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (value instanceof Html) return value.text
  if (typeof value === 'number') return String(value)
  let text = ''
  for (const each of value) text += each.text
  return text
}

/** Empty HTML, for an omitted part. */
export const EMPTY_HTML = new Html('')
