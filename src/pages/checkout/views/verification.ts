// The bank wants to see the shopper: what the provider's script opens, or, of the test gateway, a button that answers as a bank would.

import { type Html, html, NONE } from '../../../lib/html/html.ts'
import { attributes } from '../../frame.ts'
import type { PayModel } from '../model.ts'
import { type FormView, hiddenInput } from './field.ts'

/** Empty where no bank asks, so that a script can put it there. */
export function verificationOf({ words }: FormView, { verification }: PayModel): Html {
  if (verification === null) return html`<div data-live="verification"></div>`
  const { way, param, confirmedBy } = verification
  const title = html`<h2>${words.verifyTitle}</h2><p>${words.verifyText}</p>`
  const otherwise = html`<button class="quiet-button" name="do" value="update">${words.payOtherwise}</button>`
  return html`<div data-live="verification"><section${attributes({
    class: confirmedBy === null ? 'message changed' : 'message changed alone',
    tabindex: -1,
    autofocus: true,
    'data-verification': way.code,
    'data-param': param,
  })}>${title}${
    confirmedBy === null
      ? html`<p data-with-script hidden>${words.verifyLoading}</p><p data-without-script>${words.verifyNeedsScript}</p>`
      : NONE
  }${
    confirmedBy === null
      ? NONE
      : html`${Object.entries(confirmedBy).map(([name, value]) => hiddenInput(name, value))}<button class="primary" name="do" value="pay">${words.verifyTest}</button>`
  }${otherwise}</section></div>`
}
