// Messages above a form: problems with links to their fields, changes, and a verification by the bank. Each has an element even if it is
// empty, so that a script can fill it later.

import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { htmlAttributes } from '../../frame.ts'
import { checkoutRefusalText, type Messages } from '../languages/index.ts'
import type { FieldProblem, Notice, PayModel } from '../model.ts'
import { type FormView, fieldId, hiddenInput } from './field.ts'
import type { SumFormatter } from './sums.ts'

/** `form`: the written HTML, which tells which fields exist. The summary has the focus when the page opens. */
export function problemSummary(words: Messages, problems: readonly FieldProblem[], form: Html): Html {
  if (problems.length === 0) return html`<div data-live="problems"></div>`
  const items = problems
    .map(({ path, shopperMessage }) => ({
      id: path === null ? null : targetOf(path, form),
      sentence: checkoutRefusalText(words, shopperMessage),
    }))
    // Sort by position on the page, so that the shopper can fix one after the other.
    .sort((one, other) => positionOf(one.id, form) - positionOf(other.id, form))
    .map(({ id, sentence }) => html`<li>${id === null ? sentence : html`<a href="#${id}">${sentence}</a>`}</li>`)
  return html`<div data-live="problems"><div class="message bad" role="alert" tabindex="-1" autofocus data-problems>
<h2>${words.problemsTitle({ count: problems.length })}</h2>
<ul>${items}</ul>
</div></div>`
}

const positionOf = (id: string | null, form: Html): number => (id === null ? -1 : form.text.indexOf(`id="${id}"`))

/** If the path has no input, link to what it belongs to: the ways to pay or the line item. */
function targetOf(path: string, form: Html): string | null {
  const [first = '', second = ''] = path.split('.')
  const places = [path, ...(first === 'payment' ? ['payment.gateway'] : []), `${first}.${second}.quantity`]
  return places.map(fieldId).find((id) => form.text.includes(`id="${id}"`)) ?? null
}

export function noticeAbove(
  words: Messages,
  notice: Notice | null,
  live: PayModel['live'],
  { sum }: SumFormatter,
): Html {
  if (notice === null) return html`<div data-live="notice"></div>`
  const { tone, shopperMessage, before } = notice
  return html`<div data-live="notice"><div class="message ${tone}" role="${tone === 'good' ? 'status' : 'alert'}" tabindex="-1" autofocus>
<p>${checkoutRefusalText(words, shopperMessage)}${shopperMessage.code === 'payment_declined' ? html` ${words.pages.not_paid.text}` : EMPTY_HTML}</p>
${
  before === undefined
    ? EMPTY_HTML
    : html`<dl class="changed"><div><dt>${words.was}</dt><dd><s>${sum(before.total_due)}</s></dd></div><div><dt>${words.now}</dt><dd><strong>${sum(live.total_due)}</strong></dd></div></dl>`
}</div></div>`
}

/** The verification that the provider's script opens. The test gateway shows a button that acts as the bank. */
export function verificationOf({ words }: FormView, { verification }: PayModel): Html {
  if (verification === null) return html`<div data-live="verification"></div>`
  const { way, param, confirmedBy } = verification
  const title = html`<h2>${words.verifyTitle}</h2><p>${words.verifyText}</p>`
  const otherWayButton = html`<button class="quiet-button" name="do" value="update">${words.payOtherwise}</button>`
  return html`<div data-live="verification"><section${htmlAttributes({
    class: confirmedBy === null ? 'message changed' : 'message changed alone',
    tabindex: -1,
    autofocus: true,
    'data-verification': way.code,
    'data-param': param,
  })}>${title}${
    confirmedBy === null
      ? html`<p data-with-script hidden>${words.verifyLoading}</p><p data-without-script>${words.verifyNeedsScript}</p>`
      : EMPTY_HTML
  }${
    confirmedBy === null
      ? EMPTY_HTML
      : html`${Object.entries(confirmedBy).map(([name, value]) => hiddenInput(name, value))}<button class="primary" name="do" value="pay">${words.verifyTest}</button>`
  }${otherWayButton}</section></div>`
}
