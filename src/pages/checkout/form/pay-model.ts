// Builds what the pay page shows from a checkout and the form. All figures come from one quote, which is what capture would charge. Nothing
// is computed here.

import { type Quote, quoteCapture } from '../../../api/capture/body/quote.ts'
import type { CaptureBody } from '../../../api/capture/body/schema.ts'
import type { AttemptKey } from '../../../api/capture/store.ts'
import { renderLiveTotals } from '../../../api/checkouts/checkout.ts'
import { needsShipping, type PricedCheckout } from '../../../api/checkouts/price.ts'
import type { CheckoutRow } from '../../../api/checkouts/read-store.ts'
import { dottedPath, listOptionFields } from '../../../api/checkouts/requirements.ts'
import { countryCodes } from '../../../geo/places.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { ApiError } from '../../../lib/errors.ts'
import { waysLetIn } from '../../policy.ts'
import type { FieldProblem, PageFrame, PayModel, TypedInputs, WayToPay } from '../model.ts'
import type { PayForm } from './pay-form.ts'
import { listWaysToPay } from './payment-ways.ts'
import { isNothingAvailable, maximumQuantities, viewRemovedLines } from './what-is-left.ts'

/** News for the page besides the content of the form. */
export type PayNews = Partial<Pick<PayModel, 'notice' | 'problems' | 'isWayJustChosen'>> & {
  /** How to show the verification by the bank or the provider's window. */
  readonly verification?: (ways: readonly WayToPay[], typed: TypedInputs) => PayModel['verification']
}

/**
 * `waiting`: the token's attempt that waits for the shopper; this form may use its holds. Problems of the quote appear early only if the
 * shopper could not have avoided them. Missing fields are reported on payment. Null if nothing is left to buy.
 */
export async function payModel(
  context: Context,
  frame: PageFrame,
  token: CheckoutRow,
  form: PayForm,
  waiting: AttemptKey | null,
  news: PayNews = {},
): Promise<PayModel | null> {
  const { quote, refused } = await quoteForm(context, token, form.body, waiting)
  if (isNothingAvailable(quote)) return null
  const { row, priced, demands, facts } = quote
  // Capture no longer demands options that the form has chosen. The page must still ask for them, or the form would stop sending them.
  const chosenLines = token.lines.filter(({ id }) => row.lines.some((line) => line.id === id))
  const shownOptions = listOptionFields({ lines: chosenLines }, facts)
  const live = await renderLiveTotals(context, row, priced)
  const ways = priced.totals.totalDue > 0 ? listWaysToPay(context, facts.gateways) : []
  const typed = selectDefaults(form.typed, quote, ways)
  const formProblems = [
    ...form.problems,
    ...refused,
    ...fieldProblemsOf(quote.problems.saidByField).filter(isShownEarly),
  ]
  return {
    ...frame,
    tokenId: token.id,
    typed,
    demands: [
      ...shownOptions,
      ...demands.filter((demand) => !shownOptions.some((each) => dottedPath(each) === dottedPath(demand))),
    ],
    live,
    removedLines: viewRemovedLines(quote),
    mostOf: maximumQuantities(quote),
    isShipped: needsShipping(row),
    shippingCountries: shippingCountriesOf(row, priced),
    ways,
    scripts: waysLetIn(ways, typed.get('payment[gateway]') ?? '').map(({ code }) => code),
    isWayJustChosen: news.isWayJustChosen ?? false,
    problems: uniqueByField(news.problems ?? formProblems),
    notice: news.notice ?? null,
    verification: news.verification?.(ways, typed) ?? null,
  }
}

type QuoteResult = { readonly quote: Quote; readonly refused: readonly FieldProblem[] }

/**
 * The payment does not affect the sums, and the expected total is compared only on payment. After too many code tries, the quote ignores
 * the codes.
 */
async function quoteForm(
  context: Context,
  token: CheckoutRow,
  { payment: _, expected_total: __, ...body }: CaptureBody,
  waiting: AttemptKey | null,
): Promise<QuoteResult> {
  try {
    return { quote: await quoteCapture(context, null, token, body, waiting, { choosesMethod: true }), refused: [] }
  } catch (error) {
    const [path] = error instanceof ApiError && error.status === 429 ? Object.keys(error.errors ?? {}) : []
    if (path === undefined) throw error
    const { discount_code: ___, giftcard_code: ____, ...rest } = body
    const refused = [
      {
        path,
        shopperMessage: (error as ApiError).shopperMessage ?? { code: 'request_not_right' as const, params: {} },
      },
    ]
    return { quote: await quoteCapture(context, null, token, rest, waiting, { choosesMethod: true }), refused }
  }
}

export const fieldProblemsOf = (shopperMessages: ApiError['shopperMessagesByField']): FieldProblem[] =>
  [...(shopperMessages ?? [])].map(([path, shopperMessage]) => ({ path, shopperMessage }))

/** Hides empty fields and payment problems, because the shopper is about to fill these in. */
const isShownEarly = ({ path, shopperMessage: { code, params } }: FieldProblem): boolean =>
  !(path ?? '').startsWith('payment') &&
  !['missing_field', 'missing_answer', 'choose_option'].includes(code) &&
  !(code === 'wrong_field' && params.field === 'payment')

/** Keeps the first of several problems of one field. */
function uniqueByField(problems: readonly FieldProblem[]): FieldProblem[] {
  const seenKeys = new Set<string>()
  return problems.filter(({ path, shopperMessage }) => {
    const key = path ?? `${shopperMessage.code} ${JSON.stringify(shopperMessage.params)}`
    const isNew = !seenKeys.has(key)
    seenKeys.add(key)
    return isNew
  })
}

/** Returns the inputs as the page shows them. The shipping method and the way to pay that the sums assume are selected. */
function selectDefaults(typed: TypedInputs, { priced, row }: Quote, ways: readonly WayToPay[]): TypedInputs {
  const inputs = new Map(typed)
  if (needsShipping(row) && priced.method !== null) inputs.set('fulfillment[shipping_method]', priced.method.id)
  const [first] = ways
  if (first === undefined) inputs.delete('payment[gateway]')
  else if (!ways.some(({ value }) => value === inputs.get('payment[gateway]')))
    inputs.set('payment[gateway]', first.value)
  return inputs
}

/** Without shipping every country is allowed. The same applies if an external integration has checked the address. */
export function shippingCountriesOf(row: CheckoutRow, { methods }: Pick<PricedCheckout, 'methods'>): readonly string[] {
  const all = countryCodes()
  if (!needsShipping(row) || methods.some(({ isExternal }) => isExternal)) return all
  const servedCountries = new Set(methods.flatMap(({ countries }) => countries))
  return all.filter((code) => servedCountries.has(code))
}
