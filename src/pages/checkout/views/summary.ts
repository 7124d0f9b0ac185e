// The order summary: line items, sums and total. On a phone it is folded and shows the total; beside the form it is open.

import type { Live } from '../../../api/checkouts/schema.ts'
import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { htmlAttributes, webAddress } from '../../frame.ts'
import type { PayModel, RemovedLine } from '../model.ts'
import { errorAt, type FormView, fieldId, inputName, typedAt } from './field.ts'
import type { SumFormatter } from './sums.ts'

type LiveLine = Live['line_items'][number]

/** Fields of a line item that checkouts and orders share. */
export type SummaryLine = Pick<LiveLine, 'name' | 'selected_options' | 'image' | 'line_total'>

export type SumRow = { readonly label: string; readonly value: string; readonly isStrong?: boolean }

/** A folded element stays folded or open while a script replaces its content. */
export function orderSummary(form: FormView, model: PayModel, sums: SumFormatter): Html {
  const { words } = form
  return html`<aside class="summary" aria-label="${words.summary}">
<h2 class="summary-heading">${words.showSummary}</h2>
<details${htmlAttributes({ open: hasBadLine(form, model) })}>
<summary><span class="summary-label">${words.showSummary}</span><span class="summary-total" data-live="summary-total">${sums.sum(model.live.total_due)}</span></summary>
<div class="summary-body" data-live="summary">
<ul class="lines">${model.live.line_items.map((line) => editableLine(form, line, model, sums))}${model.removedLines.map((line) => removedLine(form, line))}</ul>
<button class="quiet-button" name="do" value="update" data-without-script>${words.updateTotals}</button>
${sumList(sumRows(form, model, sums))}
${taxNote(form, model.live, sums)}</div>
</details>
</aside>`
}

/** Unfold the summary if a line item has a problem. */
const hasBadLine = ({ problems }: FormView, { live }: PayModel): boolean =>
  live.line_items.some(({ is_valid: isValid }) => !isValid) ||
  [...problems.keys()].some((path) => /^line_items\.[^.]+(?:\.quantity)?$/.test(path))

export function summaryLine(line: SummaryLine, below: Html, sums: SumFormatter, isBad = false): Html {
  const { name, selected_options: options, image, line_total: total } = line
  const url = webAddress(image?.url ?? null)
  return html`<li class="${isBad ? 'line bad' : 'line'}">${
    url === null
      ? html`<span class="picture" aria-hidden="true"></span>`
      : html`<img class="picture" src="${url}" alt="" width="56" height="56" loading="lazy">`
  }<div class="line-text"><p class="line-name">${name}</p>${
    options.length === 0
      ? EMPTY_HTML
      : html`<p class="line-options">${options.map(({ group_name, option_name }) => `${group_name}: ${option_name}`).join(', ')}</p>`
  }${below}</div><p class="line-total">${sums.sum(total)}</p></li>
`
}

/** A single line item can be removed only if it is unavailable, because nothing would be left to pay. */
function editableLine(form: FormView, line: LiveLine, { live, mostOf }: PayModel, sums: SumFormatter): Html {
  const { words, problems } = form
  const path = quantityPath(line)
  const most = mostOf.get(line.id)
  const wrong = [path, `line_items.${line.id}`].find((each) => problems.has(each))
  const isBad = wrong !== undefined || !line.is_valid
  const canRemove = live.line_items.length > 1 || most !== undefined
  const quantity = html`<div class="line-edit"><label class="quantity" for="${fieldId(path)}"><span aria-hidden="true">${words.quantity}</span><span class="unseen">${words.quantityOf({ product: line.name })}</span>
<input${htmlAttributes({
    type: 'text',
    id: fieldId(path),
    name: inputName(path),
    value: typedAt(form, path) || line.quantity,
    inputmode: 'numeric',
    autocomplete: 'off',
    enterkeyhint: 'done',
    maxlength: 7,
    'aria-invalid': wrong === undefined ? null : 'true',
    'aria-describedby': wrong === undefined ? null : `${fieldId(wrong)}-error`,
  })}></label>${canRemove ? quantityButton(line, 0, words.remove) : EMPTY_HTML}</div>${
    wrong !== undefined
      ? errorAt(form, wrong)
      : line.is_valid
        ? EMPTY_HTML
        : html`<p class="error">${words.notAvailable}</p>`
  }${most ? quantityButton(line, most, words.takeLeft({ count: most })) : EMPTY_HTML}`
  return summaryLine(line, quantity, sums, isBad)
}

const quantityPath = ({ id }: { readonly id: string }): string => `line_items.${id}.quantity`

/** Comes after the input with the same name. If both are sent, the last value wins, with and without a script. */
const quantityButton = (line: { readonly id: string; readonly name: string }, quantity: number, text: string): Html =>
  html`<button class="text-button" name="${inputName(quantityPath(line))}" value="${quantity}">${text}<span class="unseen"> ${line.name}</span></button>`

/** Not `type="hidden"`: the browser tab stores no inputs of that type (keep.ts), and must store this one. */
const removedLine = ({ words }: FormView, line: RemovedLine): Html =>
  html`<li class="line left-out"><div class="line-text"><p class="line-name"><s>${line.name}</s></p><div class="line-edit"><span class="quantity">${words.removed}</span><input${htmlAttributes({ type: 'text', hidden: true, name: inputName(quantityPath(line)), value: 0 })}>${
    line.isThere ? quantityButton(line, line.quantity, words.putBack) : EMPTY_HTML
  }</div></div></li>
`

export const sumList = (rows: readonly SumRow[]): Html =>
  html`<dl class="sums">${rows.map(
    ({ label, value, isStrong = false }) =>
      html`<div${htmlAttributes({ class: isStrong ? 'total' : null })}><dt>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`

/** Sums that checkouts and orders share. */
export type SummarySums = Pick<Live, 'subtotal' | 'tax' | 'total_with_tax' | 'total_due'> & {
  readonly discount: { readonly code: string; readonly amount_saved: { readonly raw: number } } | null
  readonly adjustments: readonly { readonly description: string | null; readonly amount: { readonly raw: number } }[]
  readonly giftCard: { readonly code: string; readonly credit: { readonly raw: number } } | null
  readonly shipping: SumRow | null
}

/** Rows from the subtotal to the amount due. */
export function summaryRows(
  { words }: Pick<FormView, 'words'>,
  sold: SummarySums,
  { sum, minus }: SumFormatter,
): SumRow[] {
  const { subtotal, discount, adjustments, shipping, tax, giftCard, total_with_tax: total, total_due: due } = sold
  const [rate, ...others] = tax.breakdown
  return [
    { label: words.subtotal, value: sum(subtotal) },
    ...(discount === null
      ? []
      : [{ label: words.discount({ code: discount.code }), value: minus(discount.amount_saved) }]),
    ...adjustments.map(({ description, amount }) => ({ label: description || words.adjustment, value: sum(amount) })),
    ...(shipping === null ? [] : [shipping]),
    ...(tax.included_in_price || tax.amount.raw === 0
      ? []
      : [
          {
            label:
              rate !== undefined && others.length === 0 ? words.taxRate({ rate: rate.rate_percentage }) : words.tax,
            value: sum(tax.amount),
          },
        ]),
    ...(giftCard === null
      ? [{ label: words.total, value: sum(due), isStrong: true }]
      : [
          { label: words.total, value: sum(total) },
          { label: words.giftCard({ ending: endOf(giftCard.code) }), value: minus(giftCard.credit) },
          { label: words.toPay, value: sum(due), isStrong: true },
        ]),
  ]
}

/** The last letters of a short code would reveal too much: anybody with the full code can spend the credit. */
const endOf = (code: string): string => (code.length > 8 ? code.slice(-4) : '')

function sumRows(form: FormView, { live, isShipped }: PayModel, sums: SumFormatter): SumRow[] {
  const { giftcard } = live
  return summaryRows(
    form,
    {
      ...live,
      discount: live.discount[0] ?? null,
      adjustments: live.adjustments.breakdown,
      giftCard: 'code' in giftcard ? giftcard : null,
      shipping: isShipped ? shippingRow(form, live, sums) : null,
    },
    sums,
  )
}

/** Unknown shipping costs must not appear as 0.00. */
function shippingRow(form: FormView, { shipping }: Live, { sum }: SumFormatter): SumRow {
  const { words } = form
  if (shipping.id !== null)
    return { label: words.shipping, value: shipping.price.raw === 0 ? words.free : sum(shipping.price) }
  const isPlaceKnown = typedAt(form, 'shipping.country') !== ''
  return { label: words.shipping, value: isPlaceKnown ? words.shippingOpen : words.shippingUnknown }
}

export const taxNote = ({ words }: Pick<FormView, 'words'>, { tax }: Pick<Live, 'tax'>, { sum }: SumFormatter): Html =>
  tax.included_in_price && tax.amount.raw !== 0
    ? html`<p class="hint">${words.taxIncluded({ amount: sum(tax.amount) })}</p>`
    : EMPTY_HTML
