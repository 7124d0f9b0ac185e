// The page on which one pays, as HTML.

import { formName } from '../../../api/checkouts/requirements.ts'
import { type Html, html, NONE } from '../../../lib/html/html.ts'
import { sentenceOf } from '../../../lib/words/refusals.ts'
import type { PayModel } from '../model.ts'

export const payPage = (model: PayModel): Html => html`<!doctype html>
<html lang="${model.language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${model.shop.name}</title>
<main>
${model.notice === null ? NONE : html`<p class="${model.notice.tone}">${sentenceOf(model.notice.said)}${model.notice.before ? html` <s>${model.notice.before.total_due.formatted_with_symbol}</s>` : NONE}</p>`}
<ul>${model.problems.map(({ path, said }) => html`<li data-path="${path ?? ''}">${sentenceOf(said)}</li>`)}</ul>
<form method="post" action="${model.path}">
<input type="hidden" name="lang" value="${model.language}">
<input type="hidden" name="expected_total" value="${model.live.total_due.raw}">
${
  model.verification?.confirmedBy
    ? Object.entries(model.verification.confirmedBy).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
      )
    : NONE
}
${[...model.typed].map(([name, value]) => html`<input name="${name}" value="${value}">\n`)}
${model.demands.filter((demand) => !model.typed.has(formName(demand))).map((demand) => html`<input name="${formName(demand)}" value="">\n`)}
<p class="total">${model.live.total_due.formatted_with_symbol}</p>
<p class="ways">${model.ways.map(({ value }) => value).join(' ')}</p>
<button name="do" value="update">Update</button><button name="do" value="pay">Pay</button>
</form>
</main>
</html>
`
