// What the tests of the engine of capture share: a shop, captures made by hand as the body's parser would, and the completer on a leash.

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { CaptureResult } from '../../../src/api/capture/answer.ts'
import type { PreparedCapture } from '../../../src/api/capture/body/prepare.ts'
import { resumeCapture, runCapture } from '../../../src/api/capture/capture.ts'
import { completeDue } from '../../../src/api/capture/completer.ts'
import type { StockDemand } from '../../../src/api/capture/hold-store.ts'
import type { CaptureServices } from '../../../src/api/capture/order.ts'
import type { CaptureContext } from '../../../src/api/capture/reserve.ts'
import { findCurrentAttempt, hastenAttempt } from '../../../src/api/capture/store.ts'
import type { OrderDraft } from '../../../src/api/orders/make.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { configCredentials } from '../../../src/api/payment-methods/credentials.ts'
import type { Database } from '../../../src/db/db.ts'
import type { GatewayAdapter, PaymentInput } from '../../../src/gateways/gateway.ts'
import { createAdapters } from '../../../src/gateways/index.ts'
import { openBreaker } from '../../../src/gateways/provider/breaker.ts'
import { keysInFile } from '../../../src/keys/credential-keys.ts'
import { createCredentials } from '../../../src/keys/credentials.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { ApiError } from '../../../src/lib/errors.ts'
import { newId } from '../../../src/lib/ids.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import type { TestApp } from '../../support/app.ts'
import { gatewayPorts } from '../../support/gateways.ts'
import { selectRows, sql } from '../../support/rows.ts'
import { draftOf as fieldsOf, orderDraft, physical } from '../orders/support.ts'
import { openCheckoutShop } from './support.ts'

/** Two thirds of it are the gateway's, which has to answer in time also on a busy machine. It passes by the clock of the test. */
export const SETTLE_MS = 30_000
/** For cards that hang: nobody waits for them long. */
const HANGING_MS = 600

export const ORIGIN = 'http://shop.test'
export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000000000000002',
  verify: '4000000000003220',
  authorize: '4000000000000010',
  failing: '4000000000000119',
  hanging: '4000000000000408',
  hangingCharged: '4000000000000440',
  failingCharged: '4000000000000507',
  twice: '4000000000000200',
} as const

export const cardPayment = (number: string): PaymentInput => ({
  gateway: 'test_gateway',
  card: { number, cvc: '123', expiryMonth: '01', expiryYear: '2020', postalZipCode: '94107', token: null, nonce: null },
  details: {},
})

export const otherPayment = (gateway: string, details: Record<string, unknown> = {}): PaymentInput => ({
  gateway,
  card: null,
  details,
})

/** What a capture has come to, as the client sees it. */
export type Seen = { status: number; order?: Order; redirect?: string; type?: string; error?: ApiError }

export type Buy = {
  token: string
  payment: PaymentInput | null
  lines?: { item: string; quantity: number; price?: number }[]
  /** What the gateway is asked for; otherwise what the lines cost. */
  due?: number
  discountId?: string | null
  giftCard?: { id: string; credit: number } | null
  /** Another text is another body. */
  body?: string
}

const HANGING: readonly (string | null | undefined)[] = [CARDS.hanging, CARDS.hangingCharged]
const hangs = ({ payment }: Buy): boolean => HANGING.includes(payment?.card?.number)

/** Whose capture it is. */
type CaptureOwner = CaptureContext['caller']

export type Engine = Awaited<ReturnType<typeof openEngine>>

export async function openEngine(app: TestApp, db: Database = app.db) {
  const shop = await openCheckoutShop(app)
  const { services, errors, log } = servicesOn(app, db)
  const hasty: CaptureServices = { ...services, payments: { ...services.payments, settleAfterMs: HANGING_MS } }
  const owner: CaptureOwner = { merchant_id: shop.id, is_sandbox: true, isDisabled: false }
  const stock: Record<string, number> = {}
  const contextOf = (on: CaptureServices = services, as: CaptureOwner = owner): CaptureContext => ({
    ...on,
    caller: as,
    origin: on.origin ?? ORIGIN,
    lastingOrigin: ORIGIN,
  })

  /** As the route does: first what an earlier capture has come to, then a new attempt. */
  async function capture(buy: Buy, on?: CaptureServices, as?: CaptureOwner): Promise<Seen> {
    const prepared = preparedOf(buy)
    const context = contextOf(on ?? (hangs(buy) ? hasty : services), as)
    try {
      const current = await findCurrentAttempt(context.db, context.caller, prepared.checkoutId)
      const { result, waiting } = await resumeCapture(context, prepared, current)
      return seen(result ?? (await runCapture(context, prepared, waiting)))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, type: error.type, error }
    }
  }

  return {
    shop,
    owner,
    services,
    contextOf,
    errors,
    log,
    capture,
    token: () => newId('checkoutToken', app.clock.now()),
    async product(available: number, body: Record<string, unknown> = {}) {
      const product = await shop.product({ inventory: { managed: true, available }, ...body })
      stock[product.id] = available
      return product.id
    },
    /** Lets time pass and settles all that is due. */
    async complete(seconds = SETTLE_MS / 1_000) {
      app.clock.advance(seconds)
      return completeDue(services, log)
    },
    /** The services with gateways that answer otherwise. */
    gatewayThat(answers: Partial<GatewayAdapter>): CaptureServices {
      const findAdapter = (code: string, isSimulated: boolean) => {
        const usual = services.payments.findAdapter(code, isSimulated)
        return usual && { ...usual, ...answers }
      }
      return { ...services, payments: { ...services.payments, findAdapter } }
    },
    /** As a processor's webhook does. */
    announce: (key: string) => hastenAttempt(db, { merchant_id: shop.id, id: key }, app.clock.now()),
    /** What the shopper does on the page of the redirecting gateway. */
    async onPage(key: string, decision: 'approve' | 'decline') {
      expect((await app.call('POST', `/test-gateway/${shop.id}/${key}/${decision}`)).status).toBe(303)
    },
    available: async (item: string) =>
      (await app.db.one(findAvailable, { merchant_id: shop.id, item_id: item })).available,
    attempts: (token: string) => app.db.many(findAttempts, { merchant_id: shop.id, checkout_id: token }),
    orders: async (token: string) => {
      const where = { merchant_id: shop.id, checkout_id: token }
      return (await selectRows<{ id: string }>(app.db, 'id from orders', where)).map(({ id }) => id)
    },
    charges: () => app.db.many(findCharges, { merchant_id: shop.id }),
    async expectOracles() {
      expect(await brokenOracles(app.db, { now: app.clock.now(), stock })).toEqual([])
    },
  }
}

export function servicesOn(app: TestApp, db: Database, settleAfterMs = SETTLE_MS) {
  const errors: unknown[] = []
  const { clock } = app
  const announce = async (merchant_id: number, key: string) =>
    void (await hastenAttempt(db, { merchant_id, id: key }, clock.now()))
  const ports = gatewayPorts({ db, clock }, { announce })
  const services: CaptureServices = {
    db,
    clock,
    payments: {
      findAdapter: createAdapters(ports),
      credentials: configCredentials(createCredentials(keysInFile(app.dataDir))),
      settleAfterMs,
      breaker: openBreaker(),
    },
    signingSecret: signingSecrets(db, clock),
  }
  const log = { info: () => undefined, warn: () => undefined, error: (details: object) => void errors.push(details) }
  return { services, errors, log }
}

export type AttemptFound = { id: string; state: string; gateway_state: Record<string, unknown> | null }

const findAvailable = sql<{ available: number }>`
  select available from stock where merchant_id = :merchant_id and item_id = :item_id and is_sandbox`
const findAttempts = sql<AttemptFound>`
  select id, state, gateway_state from capture_attempts
  where merchant_id = :merchant_id and checkout_id = :checkout_id order by id`
const findCharges = sql<{ state: string; amount: number }>`
  select state, amount from test_charges where merchant_id = :merchant_id order by key`

const seen = (result: CaptureResult): Seen =>
  result.kind === 'order'
    ? { status: 200, order: result.order }
    : { status: 200, redirect: result.redirect.redirect_url }

const LINE_PRICE = 1_000

export function preparedOf(buy: Buy): PreparedCapture {
  const { token, payment, lines = [], discountId = null, giftCard = null } = buy
  const draft = draftOf(buy)
  const text = JSON.stringify([payment, lines, discountId, giftCard, buy.body ?? ''])
  const demands = new Map<string, StockDemand>()
  for (const [index, { item, quantity }] of lines.entries()) {
    const before = demands.get(item)
    demands.set(item, {
      itemId: item,
      quantity: (before?.quantity ?? 0) + quantity,
      lineIds: [...(before?.lineIds ?? []), `item_${index}`],
    })
  }
  const code = payment?.gateway ?? null
  return {
    checkoutId: token,
    bodyDigest: createHash('sha256').update(text).digest(),
    payment,
    draft,
    gateway:
      code === null || draft.total_due === 0
        ? null
        : { code, methodId: null, isSimulated: false, config: {}, reference: null },
    stock: [...demands.values()],
    discountId,
    giftCard,
  }
}

function draftOf({ token, lines = [], due, discountId = null, giftCard = null }: Buy): OrderDraft {
  const subtotal = lines.reduce((sum, { quantity, price = LINE_PRICE }) => sum + quantity * price, 0)
  const total = due ?? subtotal - (giftCard?.credit ?? 0)
  const total_with_tax = total + (giftCard?.credit ?? 0)
  return orderDraft(
    fieldsOf({
      checkout_id: token,
      cart_id: null,
      lines: lines.map(({ item, quantity, price = LINE_PRICE }, index) =>
        physical({
          id: `item_${index}`,
          product_id: item,
          product_name: 'Thing',
          sku: null,
          permalink: null,
          quantity,
          unit_price: price,
          line_total: quantity * price,
          tax: { is_taxable: false, taxable_amount: 0, amount: 0, parts: [] },
        }),
      ),
      discount:
        discountId === null
          ? null
          : { id: discountId, type: 'fixed', code: 'CODE', value: 1, product_ids: [], amount_saved: 1 },
      total: total_with_tax,
      total_with_tax,
      total_due: total,
      gift_card: giftCard && { id: giftCard.id, code: 'CARD', balance_after: 0, credit: giftCard.credit },
      customer: { id: null, email: 'Shopper@example.com', firstname: 'Ann', lastname: null, phone: null, meta: null },
    }),
  )
}
