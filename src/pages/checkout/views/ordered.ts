// The page behind a cart's link after the order. Anybody may have the link, so the page reveals nothing about the order. The order's e-mail
// address opens the receipt.

import { type Html, html } from '../../../lib/html/html.ts'
import { htmlAttributes, pageAddress, writeDocument } from '../../frame.ts'
import { messagesIn } from '../languages/index.ts'
import type { OrderedModel } from '../model.ts'
import { type FormView, hiddenInput, inputField } from './field.ts'

export function orderedPage(model: OrderedModel): Html {
  const { language, refused } = model
  const words = messagesIn(language)
  const { title, text, wrong, show } = words.cartOrdered
  const isRefused = refused !== null
  const problems = new Map(isRefused ? [['email', wrong] as const] : [])
  const form: FormView = { words, language, typed: new Map([['email', refused ?? '']]), problems }
  const input = { type: 'email', inputmode: 'email', autocomplete: 'email', autofocus: isRefused, maxlength: 320 }
  return writeDocument(model, {
    words,
    title,
    hasProblems: isRefused,
    kind: 'single',
    content: html`<main><section class="sheet say calm"><span class="sign" aria-hidden="true"></span>
<h1>${title}</h1>
<p>${text}</p>
<form${htmlAttributes({ method: 'post', action: pageAddress(model), novalidate: true })}>
${hiddenInput('lang', language)}${inputField(form, { path: 'email', label: words.email, input })}
<button class="primary">${show}</button></form></section></main>`,
  })
}
