// The page where the shopper pays. Loading and updating it store nothing. Paying calls the same capture function as the endpoint. So a
// second press, a resumed payment, a closed shop or a full disk behave alike.

import type { PaymentRedirect } from '../../api/capture/body/schema.ts'
import { captureCheckout, isBegunWith } from '../../api/capture/capture.ts'
import { type AttemptKey, type AttemptRow, findCurrentAttempt } from '../../api/capture/store.ts'
import { findBuyersOrder } from '../../api/checkouts/hosted/open.ts'
import { type CheckoutRow, findCheckout } from '../../api/checkouts/read-store.ts'
import type { Live } from '../../api/checkouts/schema.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { refuseWithoutRoom } from '../../http/endpoint/metering.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { ApiError } from '../../lib/errors.ts'
import { MAX_TOTAL, parseAmount, priceOf } from '../../lib/money.ts'
import { readEmail } from '../../lib/text.ts'
import { fieldRefusal, refusal, type ShopperRefusal } from '../../lib/words/refusals.ts'
import { htmlAnswer, type PageHeaders } from '../headers.ts'
import { originsOf, policyOf, waysLetIn } from '../policy.ts'
import { findEarlierAttempt } from './after.ts'
import { hasSameBillingAddress, type PayForm, readPayForm } from './form/pay-form.ts'
import { fieldProblemsOf, type PayNews, payModel } from './form/pay-model.ts'
import { confirmationInputs } from './form/payment-ways.ts'
import { draftInputs, firstInputs } from './form/prefill.ts'
import { closedAnswer, goneAnswer, messageAnswer } from './message.ts'
import type { FieldProblem, Notice, PayModel, TypedInputs, WayToPay } from './model.ts'
import type { OpenedCheckout } from './shop.ts'
import { payPage } from './views/pay.ts'
import {
  isPayer,
  type PageVisit,
  pageOfToken,
  payerHeaders,
  redirectBelow,
  redirectToNewReceipt,
  redirectToReceipt,
  redirectToWait,
  redirectWithAttempt,
} from './visit.ts'

export const showPay = (services: Services) =>
  openPage(services, redirectToReceipt, async (visit) => {
    const { context, opened, request } = visit
    // The payment is in progress: the shopper has reloaded the page.
    if (opened.attempt?.state === 'charging') return redirectToWait(visit, opened.attempt.id)
    const begun = await findEarlierAttempt(context, opened, request)
    const token = await findToken(visit)
    if (token === null) return goneAnswer(opened.frame)
    const form = readPayForm({ inputs: begun?.draft ? draftInputs(begun.draft, token) : firstInputs(context, token) })
    return showPage(visit, token, form, { notice: begun?.notice ?? null })
  })

export const sendPay = (services: Services) =>
  openPage(services, answerSecondPress, async (visit) => {
    const { inputs } = visit.request.form
    const form = readPayForm({ inputs })
    if (inputs.get('do') !== 'pay') {
      const token = await findToken(visit)
      const isWayJustChosen = inputs.get('do') === 'choose'
      return token === null ? goneAnswer(visit.opened.frame) : showPage(visit, token, form, { isWayJustChosen })
    }
    if (form.problems.length > 0) return showProblems(visit, form, 422, { problems: form.problems })
    try {
      refuseWithoutRoom({ method: 'POST', makes: 'orders' }, visit.opened.caller, services.disk)
      const captureResult = await captureCheckout(visit.context, form.body, visit.opened.tokenId)
      return isRedirect(captureResult) ? toProvider(visit, form) : redirectToNewReceipt(visit, captureResult.id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return afterRefusal(visit, form, error)
    }
  })

const isRedirect = (captureResult: object): captureResult is PaymentRedirect => 'payment_redirect' in captureResult

async function toProvider(visit: PageVisit, form: PayForm): Promise<PageAnswer> {
  const { attempt, isOwn } = await findAttemptOf(visit, form)
  return attempt !== null && isOwn
    ? redirectWithAttempt(visit, '/continue', attempt.id)
    : redirectBelow(visit, '/continue')
}

/** Finds the token's attempt that was not released. `isOwn`: this form started it, and not somebody else with the token. */
async function findAttemptOf(
  { context, opened: { caller, tokenId } }: PageVisit,
  { body }: PayForm,
): Promise<{ readonly attempt: AttemptRow | null; readonly isOwn: boolean }> {
  const attempt = await findCurrentAttempt(context.db, caller, tokenId)
  return { attempt, isOwn: attempt !== null && (await isBegunWith(context, attempt, body)) }
}

/**
 * The response to the first press may have been lost. A browser without a proof of payment still sent the buyer's e-mail address, which
 * proves as much.
 */
async function answerSecondPress(visit: PageVisit): Promise<PageAnswer> {
  const email = readEmail(visit.request.form.inputs.get('customer[email]') ?? '')
  if (isPayer(visit) || email === null) return redirectToReceipt(visit)
  const orderId = await findBuyersOrder(visit.context, visit.opened.tokenId, email)
  return orderId === null ? redirectToReceipt(visit) : redirectToNewReceipt(visit, orderId)
}

/** Calls `answer` if the token can still be paid for, and `ordered` if it already was. */
const openPage = (
  services: Services,
  ordered: (visit: PageVisit) => PageAnswer | Promise<PageAnswer>,
  answer: (visit: PageVisit) => Promise<PageAnswer>,
) =>
  pageOfToken(services, async (visit) => {
    const { frame, isOrdered, isAlive } = visit.opened
    if (isOrdered) return ordered(visit)
    if (!isAlive) return goneAnswer(frame)
    return frame.shop.isClosed ? closedAnswer(frame) : answer(visit)
  })

const findToken = ({ context: { db, clock }, opened: { caller, tokenId } }: PageVisit): Promise<CheckoutRow | null> =>
  findCheckout(db, caller, tokenId, clock.now())

type ShowOptions = { readonly status?: number; readonly headers?: PageHeaders; readonly waiting?: AttemptKey | null }

async function showPage(
  { context, opened }: PageVisit,
  token: CheckoutRow,
  form: PayForm,
  news: PayNews = {},
  { status = 200, headers = {}, waiting = waitingIn(opened) }: ShowOptions = {},
): Promise<PageAnswer> {
  const model = await payModel(context, opened.frame, token, form, waiting, news)
  if (model === null) return messageAnswer(opened.frame, status, { kind: 'all_gone' }, headers)
  const { shop, ways, live } = model
  const images = originsOf([shop.logo?.url, ...live.line_items.map(({ image }) => image?.url)])
  const policy = policyOf(waysLetIn(ways, model.typed.get('payment[gateway]') ?? ''), {
    is_sandbox: shop.is_sandbox,
    images,
  })
  return htmlAnswer(payPage(model), { status, headers, policy })
}

const waitingIn = ({ attempt, caller }: OpenedCheckout): AttemptKey | null =>
  attempt?.state === 'waiting' ? { merchant_id: caller.merchant_id, id: attempt.id } : null

/** Shows the page as it was typed, with its problems. The attempt is read again, because it may have changed meanwhile. */
async function showProblems(
  visit: PageVisit,
  form: PayForm,
  status: number,
  news: PayNews,
  headers: PageHeaders = {},
): Promise<PageAnswer> {
  const [token, { attempt, isOwn }] = await Promise.all([findToken(visit), findAttemptOf(visit, form)])
  if (attempt?.state === 'done') return toOutcome(visit, attempt, isOwn)
  if (token === null) return goneAnswer(visit.opened.frame)
  return showPage(visit, token, form, news, {
    status,
    headers: attempt !== null && isOwn ? { ...headers, ...payerHeaders(visit, attempt.id) } : headers,
    waiting: attempt?.state === 'waiting' ? attempt : null,
  })
}

async function afterRefusal(visit: PageVisit, form: PayForm, error: ApiError): Promise<PageAnswer> {
  const { status, type, headers } = error
  const fail = (news: PayNews) => showProblems(visit, form, status, news, headers)
  switch (type) {
    case 'not_found':
      return goneAnswer(visit.opened.frame)
    case 'account_limitation':
      return closedAnswer(visit.opened.frame)
    case 'gateway_timeout':
      return waitOrShowProblems(visit, form, error)
    case 'conflict':
      return 'live' in error.shown
        ? fail({ notice: changedNotice(error, error.shown.live as Live, visit.request) })
        : waitOrShowProblems(visit, form, error)
    case 'requires_verification':
      return fail({ verification: (ways, typed) => verificationOf(ways, typed, error.param ?? '') })
    case 'unprocessable_entity':
    case 'not_valid':
      return fail({ problems: problemsOf(error, form.typed) })
    default: {
      const problems = problemsOf(error, form.typed)
      return fail(problems.length > 0 ? { problems } : { notice: noticeOf(error) })
    }
  }
}

/** The result is unknown, or another request is at work. The waiting page shows the result. */
async function waitOrShowProblems(visit: PageVisit, form: PayForm, error: ApiError): Promise<PageAnswer> {
  const { attempt, isOwn } = await findAttemptOf(visit, form)
  return attempt === null
    ? showProblems(visit, form, error.status, { notice: noticeOf(error) }, error.headers)
    : toOutcome(visit, attempt, isOwn)
}

function toOutcome(visit: PageVisit, { id, state }: AttemptRow, isOwn: boolean): PageAnswer {
  if (isOwn) return redirectWithAttempt(visit, '/wait', id)
  return state === 'done' ? redirectToReceipt(visit) : redirectToWait(visit, id)
}

/** `decline`: the reason as a code, to be shown in the shopper's language. Nothing was paid in any case. */
export const noticeOf = ({
  shopperMessage = refusal('payment_not_made'),
  decline,
}: Pick<ApiError, 'shopperMessage' | 'decline'>): Notice => ({
  tone: 'bad',
  shopperMessage:
    decline === undefined ? shopperMessage : { ...shopperMessage, params: { ...shopperMessage.params, decline } },
})

/** `before`: the same checkout with the amount due that the shopper saw last. */
function changedNotice(
  { shopperMessage = refusal('payment_not_made') }: ApiError,
  live: Live,
  { form }: PageRequest,
): Notice {
  const { code } = live.currency
  const expected = parseAmount(form.inputs.get('expected_total') ?? '', code, { max: MAX_TOTAL })
  return {
    tone: 'changed',
    shopperMessage,
    ...(expected.ok ? { before: { ...live, total_due: priceOf(expected.minor, code) } } : {}),
  }
}

function verificationOf(ways: readonly WayToPay[], typed: TypedInputs, param: string): PayModel['verification'] {
  const way = ways.find(({ value }) => value === typed.get('payment[gateway]'))
  return way === undefined ? null : { way, param, confirmedBy: confirmationInputs(way, param) }
}

/** Maps errors to the fields of the page. If the bill goes to the shipping address, billing errors appear at the shipping fields. */
function problemsOf(error: ApiError, typed: TypedInputs): FieldProblem[] {
  const byField = fieldProblemsOf(error.shopperMessagesByField)
  const paths = Object.keys(error.errors ?? {})
  const problems =
    byField.length > 0 ? byField : paths.map((path) => ({ path, shopperMessage: refusalAt(path, paths, error) }))
  return problems.map(({ path, shopperMessage }) => ({
    path: pathOnPage(path, typed),
    shopperMessage: refusalOnPage(path, shopperMessage),
  }))
}

/** An error with only one field has one sentence, which belongs to that field. */
const refusalAt = (path: string, paths: readonly string[], { shopperMessage }: ApiError): ShopperRefusal =>
  paths.length === 1 || path.startsWith('line_items') ? (shopperMessage ?? fieldRefusal(path)) : fieldRefusal(path)

const pathOnPage = (path: string | null, typed: TypedInputs): string | null =>
  hasSameBillingAddress(typed) ? (path?.replace(/^billing\./, 'shipping.') ?? null) : path

/** A shopper cannot correct the value of a provider's script, so this reports the way to pay. */
const refusalOnPage = (path: string | null, shopperMessage: ShopperRefusal): ShopperRefusal =>
  shopperMessage.code === 'request_not_right' && (path ?? '').startsWith('payment')
    ? fieldRefusal('payment.gateway')
    : shopperMessage
