// What the pay page shows of a checkout and of what was typed: one quote, which is what capture would charge, and all that follows from it. No
// figure is made here.

import { type Quote, quoteCapture } from '../../../api/capture/body/quote.ts'
import type { CaptureBody } from '../../../api/capture/body/schema.ts'
import type { AttemptKey } from '../../../api/capture/store.ts'
import { showLive } from '../../../api/checkouts/checkout.ts'
import { hasToBeShipped, type PricedCheckout } from '../../../api/checkouts/price.ts'
import type { CheckoutRow } from '../../../api/checkouts/read-store.ts'
import { dottedPath, optionDemands } from '../../../api/checkouts/requirements.ts'
import { countryCodes } from '../../../geo/places.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { ApiError } from '../../../lib/errors.ts'
import { waysLetIn } from '../../policy.ts'
import type { FieldProblem, PageFrame, PayModel, Typed, WayToPay } from '../model.ts'
import type { PayForm } from './pay-form.ts'
import { waysToPay } from './payment-ways.ts'
import { isAllGone, leftOutLines, mostOfLines } from './what-is-left.ts'

/** What is told besides what the form shows. */
export type PayNews = Partial<Pick<PayModel, 'notice' | 'problems' | 'isWayJustChosen'>> & {
  /** What the bank, or the provider's window, is to be shown by. */
  readonly verification?: (ways: readonly WayToPay[], typed: Typed) => PayModel['verification']
}

/**
 * `waiting`: the attempt of the token that waits for the shopper; what it holds is free for this form. Problems of the quote are shown where
 * the shopper could not have known of them: what is only missing yet is told when it is paid for. Null where nothing is left to buy.
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
  if (isAllGone(quote)) return null
  const { row, priced, demands, facts } = quote
  // What the form has chosen capture demands no more; but the form sends it again only as long as it asks for it.
  const wanted = token.lines.filter(({ id }) => row.lines.some((line) => line.id === id))
  const asked = optionDemands({ lines: wanted }, facts)
  const live = await showLive(context, row, priced)
  const ways = priced.totals.totalDue > 0 ? waysToPay(context, facts.gateways) : []
  const typed = withChosen(form.typed, quote, ways)
  const found = [...form.problems, ...refused, ...problemsIn(quote.problems.saidByField).filter(isTold)]
  return {
    ...frame,
    tokenId: token.id,
    typed,
    demands: [...asked, ...demands.filter((demand) => !asked.some((each) => dottedPath(each) === dottedPath(demand)))],
    live,
    leftOut: leftOutLines(quote),
    mostOf: mostOfLines(quote),
    isShipped: hasToBeShipped(row),
    shippingCountries: countriesOf(row, priced),
    ways,
    scripts: waysLetIn(ways, typed.get('payment[gateway]') ?? '').map(({ code }) => code),
    isWayJustChosen: news.isWayJustChosen ?? false,
    problems: onceEach(news.problems ?? found),
    notice: news.notice ?? null,
    verification: news.verification?.(ways, typed) ?? null,
  }
}

type Quoted = { readonly quote: Quote; readonly refused: readonly FieldProblem[] }

/** How it is paid changes no sum, and what the shopper was told before is compared only when it is paid. Too many codes: as if none was typed. */
async function quoteForm(
  context: Context,
  token: CheckoutRow,
  { payment: _, expected_total: __, ...body }: CaptureBody,
  waiting: AttemptKey | null,
): Promise<Quoted> {
  try {
    return { quote: await quoteCapture(context, null, token, body, waiting, { choosesMethod: true }), refused: [] }
  } catch (error) {
    const [path] = error instanceof ApiError && error.status === 429 ? Object.keys(error.errors ?? {}) : []
    if (path === undefined) throw error
    const { discount_code: ___, giftcard_code: ____, ...rest } = body
    const refused = [{ path, said: (error as ApiError).said ?? { code: 'request_not_right' as const, params: {} } }]
    return { quote: await quoteCapture(context, null, token, rest, waiting, { choosesMethod: true }), refused }
  }
}

export const problemsIn = (said: ApiError['saidByField']): FieldProblem[] =>
  [...(said ?? [])].map(([path, each]) => ({ path, said: each }))

/** Not what is still empty, nor how it is to be paid: the shopper is about to fill that in. */
const isTold = ({ path, said: { code, params } }: FieldProblem): boolean =>
  !(path ?? '').startsWith('payment') &&
  !['missing_field', 'missing_answer', 'choose_option'].includes(code) &&
  !(code === 'wrong_field' && params.field === 'payment')

/** Of two about one field the first counts. */
function onceEach(problems: readonly FieldProblem[]): FieldProblem[] {
  const seen = new Set<string>()
  return problems.filter(({ path, said }) => {
    const key = path ?? `${said.code} ${JSON.stringify(said.params)}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

/** The inputs as the page shows them: what follows from the rest is chosen, as the sums have it. */
function withChosen(typed: Typed, { priced, row }: Quote, ways: readonly WayToPay[]): Typed {
  const chosen = new Map(typed)
  if (hasToBeShipped(row) && priced.method !== null) chosen.set('fulfillment[shipping_method]', priced.method.id)
  const [first] = ways
  if (first === undefined) chosen.delete('payment[gateway]')
  else if (!ways.some(({ value }) => value === chosen.get('payment[gateway]')))
    chosen.set('payment[gateway]', first.value)
  return chosen
}

/** Where nothing is sent, an address may be anywhere; so it may where an integration has looked at it itself. */
export function countriesOf(row: CheckoutRow, { methods }: Pick<PricedCheckout, 'methods'>): readonly string[] {
  const all = countryCodes()
  if (!hasToBeShipped(row) || methods.some(({ isExternal }) => isExternal)) return all
  const served = new Set(methods.flatMap(({ countries }) => countries))
  return all.filter((code) => served.has(code))
}
