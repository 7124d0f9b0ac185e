// The order of an attempt. It is drafted when the capture is prepared, and stored as JSON with the attempt. A paid attempt's order is made from
// its draft. Later changes of a product or a price do not reach it. Rows are copied as the stores gave them.

import type { Db } from '../../db/db.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import type { Minor } from '../../lib/money.ts'
import type { PricedLine } from '../../pricing/price.ts'
import { UNKNOWN_LOCATION } from '../checkouts/form/form.ts'
import { shippingProviderOf, taxProviderOf } from '../checkouts/live-view.ts'
import type { PricedCheckout } from '../checkouts/price.ts'
import type { CheckoutRow } from '../checkouts/read-store.ts'
import { basePrice, type LineRow, selectedOptions, stockItem } from '../lines/line.ts'
import { taxSettings } from '../merchants/settings.ts'
import { createOrderAddresses } from '../orders/links.ts'
import { type CapturedPayment, makeOrder, type OrderDraft } from '../orders/make.ts'
import type { OrderContent, OrderLineRow } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'
import { findOrderByCheckout, takeOrderNumber } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import { firstPollAt, schedulePoll } from '../payments/polls.ts'
import type { CapturedProductRow, CaptureFacts } from './body/read-store.ts'
import { isFromHostedCheckout } from './body/schema.ts'
import type { Answers } from './body/shopper.ts'
import { returnSlots } from './declines/store.ts'
import { type AttemptRow, finishAttempt, type OpenAttemptRow } from './store.ts'

// Making the order of a paid attempt.

/** `origin`: that of the request. The completer has none, because it answers nobody. */
export type CaptureServices = Pick<Services, 'db' | 'clock' | 'payments' | 'signingSecret'> &
  Partial<Pick<Context, 'origin'>>

/** `isEmailGiven`: the capture sent the e-mail address. A public key sees no other address. */
export type CapturedOrder = { readonly kind: 'order'; readonly order: Order; readonly isEmailGiven: boolean }

/**
 * How the service learned of a payment. An `answer` is new. A payment from a `lookup` may be older: it may have been refunded or disputed since,
 * and the provider's message about that found no order.
 */
export type PaymentSource = 'answer' | 'lookup'

/** Makes the order in one transaction that also ends the attempt. Null if another process ended it. `payment` is null if nothing was due. */
export async function makeOrderOfAttempt(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  payment: CapturedPayment | null,
  source: PaymentSource,
): Promise<CapturedOrder | null> {
  const { db, clock } = services
  const addresses = await addressesOf(services, attempt)
  const owner = { merchant_id: attempt.merchant_id, is_sandbox: attempt.is_sandbox, addresses }
  const ids = { attemptId: attempt.id, bodyDigest: attempt.body_digest }
  let slots: readonly string[] = []
  const end = async (tx: Db, now: Date) => {
    const attemptSlots = await finishAttempt(tx, attempt, now)
    // Thrown, so that a new customer is rolled back too.
    if (attemptSlots === null) throw new AlreadyEnded()
    slots = attemptSlots.slots
  }
  // The number is taken first, outside of the transaction. So its counter is not locked, and other captures of the shop do not wait.
  const making = db.transactionAfter(
    async (outside) => {
      const number = await takeOrderNumber(outside, owner)
      await checkpoint('capture.numbered')
      return number
    },
    async (tx, number) => {
      const order = await makeOrder(tx, clock, owner, attempt.draft, payment, { ...ids, number }, end)
      const now = clock.now()
      // A provider releases authorized money one day, so that payment is polled too.
      const pollAt = source === 'lookup' ? now : payment?.kind === 'authorized' ? firstPollAt(now) : null
      if (payment !== null && pollAt !== null) await schedulePaymentPoll(tx, services, attempt, order, payment, pollAt)
      returnSlots(tx, owner, slots)
      await checkpoint('capture.finishing')
      return order
    },
  )
  const order = await making.catch(nullIfAlreadyEnded)
  await checkpoint('capture.finished')
  return order && { kind: 'order', order, isEmailGiven: wasEmailGiven(attempt.draft.content) }
}

/** Another process ended the attempt. */
class AlreadyEnded extends Error {
  override readonly name = 'AlreadyEnded'
}

const nullIfAlreadyEnded = (error: unknown): null => {
  if (error instanceof AlreadyEnded) return null
  throw error
}

async function schedulePaymentPoll(
  tx: Db,
  { payments }: CaptureServices,
  { merchant_id, is_sandbox }: OpenAttemptRow,
  { id: order_id }: Order,
  { gateway, isSimulated: is_simulated, transactionId }: CapturedPayment,
  runAt: Date,
): Promise<void> {
  if (transactionId === null || payments.findAdapter(gateway, is_simulated)?.history === undefined) return
  await schedulePoll(tx, merchant_id, { order_id, is_sandbox }, { gateway, is_simulated }, runAt)
}

export async function findOrderOfAttempt(services: CaptureServices, attempt: AttemptRow): Promise<CapturedOrder> {
  const { db, clock } = services
  const { merchant_id, is_sandbox, checkout_id: checkoutId } = attempt
  const row = await findOrderByCheckout(db, { merchant_id, is_sandbox }, checkoutId)
  if (row === null) throw new Error(`The attempt ${attempt.id} is done and has no order.`)
  const order = viewOrder(row, await addressesOf(services, attempt), clock.now())
  return { kind: 'order', order, isEmailGiven: wasEmailGiven(row.content) }
}

/** A reply uses the origin of its own request. Mails and events use the origin of the request that began the attempt. */
const addressesOf = (services: CaptureServices, { origin }: Pick<AttemptRow, 'origin'>) =>
  createOrderAddresses(services, services.origin ?? origin, origin)

/** The key in `collected` of an order for an e-mail address that the capture sent. */
const EMAIL = 'customer_email'

export const wasEmailGiven = ({ collected }: Pick<OrderContent, 'collected'>): boolean => collected[EMAIL] !== false

// Drafting the order.

/** `row`: the checkout with the body applied. */
export function draftOrder(
  row: CheckoutRow,
  priced: PricedCheckout,
  facts: CaptureFacts,
  answers: Answers,
  meta: Record<string, unknown> | null,
  { caller, geo, clientAddress, clientNetworks }: Pick<Context, 'caller' | 'geo' | 'clientAddress' | 'clientNetworks'>,
): OrderDraft {
  const { totals, method } = priced
  const { discount, gift_card: giftCard } = row
  const products = new Map(facts.products.map((product) => [product.id, product]))
  const linesById = new Map(totals.lines.map((line) => [line.id, line]))
  const details = detailsOf(clientAddress, geo)
  const { customer, extraFields } = answers
  const { address: shippingAddress } = answers.shipping
  const { address: billingAddress } = answers.billing
  const content: OrderContent = {
    lines: row.lines.map((line) =>
      orderLine(line, linesById.get(line.id), products.get(line.product_id), row.deliveries[line.product_id]),
    ),
    subtotal: totals.subtotal,
    discount: discount && { ...discount, amount_saved: totals.amountSaved },
    shipping: {
      id: method?.id ?? null,
      description: method?.description ?? null,
      price: totals.shipping,
      provider: method && shippingProviderOf(method),
    },
    tax: {
      amount: totals.tax.amount,
      is_included: taxSettings(row).included_in_price,
      provider: taxProviderOf(row),
      parts: totals.tax.parts,
      zone: row.taxed_in,
    },
    adjustments: { ...totals.adjustments, entries: row.adjustments ?? [] },
    total: totals.total,
    total_with_tax: totals.totalWithTax,
    gift_card: giftCard && {
      id: giftCard.id,
      code: giftCard.code,
      balance_after: totals.giftCardBalanceAfter ?? 0,
      credit: totals.giftCardCredit,
    },
    pay_what_you_want: {
      is_enabled: totals.payWhatYouWant.isEnabled,
      minimum: totals.payWhatYouWant.minimum,
      customer_set_price: totals.payWhatYouWant.customerSetPrice,
    },
    extra_fields: extraFields,
    collected: {
      [EMAIL]: answers.sentEmail !== null,
      fullname: customer.firstname !== null && customer.lastname !== null,
      shipping_address: shippingAddress !== null,
      billing_address: billingAddress !== null,
      extrafields: extraFields.length > 0,
      tax: totals.tax.amount > 0,
      eu_vat_moss_evidence: isEvidenced(row, totals.tax.amount, details.country_code, [
        shippingAddress?.country,
        billingAddress?.country,
      ]),
    },
    // The first product with such a page decides, because a shopper can be sent to one page only.
    redirect: facts.products.find(({ thank_you_url: url }) => url !== null)?.thank_you_url ?? null,
    ...(facts.is_hosted ? { is_of_link: true } : {}),
    client_details: details,
  }
  return {
    checkout_id: row.id,
    cart_id: row.cart_id,
    currency: caller.currency,
    content,
    total_due: totals.totalDue,
    customer,
    shipping_address: shippingAddress,
    billing_address: billingAddress,
    meta: mergedMeta(facts.cart_meta, row.meta, meta),
    captured_by: { is_secret: caller.isSecret, networks: clientNetworks },
    ...(isFromHostedCheckout(caller) ? { is_on_page: true } : {}),
  }
}

function orderLine(
  line: LineRow,
  priced: PricedLine | undefined,
  product: CapturedProductRow | undefined,
  delivery: CheckoutRow['deliveries'][string] | undefined,
): OrderLineRow {
  const { variant } = line
  return {
    id: line.id,
    product_id: line.product_id,
    product_name: line.product?.name ?? line.name,
    sku: variant?.sku ?? line.product?.sku ?? null,
    permalink: line.product?.permalink ?? null,
    quantity: line.quantity,
    unit_price: basePrice(line),
    line_total: priced?.lineTotal ?? 0,
    discount_share: priced?.discountShare ?? 0,
    // Only the fields that an order shows. The pictures would be most of its size.
    variant: variant && {
      id: variant.id,
      sku: variant.sku,
      description: variant.description,
      price: variant.price,
    },
    selected_options: selectedOptions(line).map(({ position: _, ...option }) => option),
    tax: {
      is_taxable: priced?.isTaxable ?? false,
      taxable_amount: priced?.taxableAmount ?? 0,
      amount: priced?.taxAmount ?? 0,
      parts: priced?.taxParts ?? [],
    },
    // A picture that cannot be fetched now may be there later.
    image: line.image && { ...line.image, is_unreachable: false },
    // The delivery as it was priced: paid goods are shipped, even if the last shipping zone is deleted meanwhile.
    is_physical: delivery?.is_physical ?? false,
    stock_item_id: stockItem(line)?.id ?? null,
    packages: product?.packages ?? [],
    lifespan: product?.lifespan ?? null,
  }
}

const detailsOf = (ipAddress: string, geo: Context['geo']): OrderContent['client_details'] => ({
  ip_address: ipAddress,
  ...(geo.locate(ipAddress) ?? UNKNOWN_LOCATION),
})

const EU = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/** The EU demands two matching proofs of the country for digital sales. Here they are an address and the network. */
function isEvidenced(
  { deliveries, taxed_in: { country } }: CheckoutRow,
  tax: Minor,
  networkCountry: string | null,
  addressCountries: readonly (string | null | undefined)[],
): boolean {
  const isDigital = Object.values(deliveries).some(({ is_digital }) => is_digital)
  if (!isDigital || tax === 0 || country === null || !EU.has(country)) return false
  return networkCountry === country && addressCountries.includes(country)
}

/** Later entries win. */
function mergedMeta(...metas: readonly (Record<string, unknown> | null)[]): Record<string, unknown> | null {
  return metas.every((meta) => meta === null) ? null : Object.assign({}, ...metas)
}
