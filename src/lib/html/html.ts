// HTML with escaped values, for pages and for mails.

import { escapeHtml } from '../text.ts'

/** HTML that may stand in a page as it is. `html` escapes every other value. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

/** html`<p>${name}</p>`. Attribute values stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < values.length ? textOf(values[index] ?? '') : '')).join(''),
  )
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escapeHtml(String(value))
}

/** Nothing, where a piece is left out. */
export const NONE = new Html('')
