// The rules of declined payments (docs/decisions/0088): the counters that each payment counts in, and the refusal of a capture that may not
// begin. A decline slot is the place that a running payment takes in its network's counter. Sandbox and live count apart, because a test
// must not block real shoppers.

import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Scope } from '../../../db/db.ts'
import { findGateway } from '../../../gateways/index.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type ApiError, tooManyCheckoutDeclines, tooManyRequests } from '../../../lib/errors.ts'
import type { OrderDraft } from '../../orders/make.ts'
import type { AttemptRow } from '../store.ts'
import {
  type CountedDecline,
  type DeclineStanding,
  findDeclineStanding,
  MAX_TOKEN_DECLINES,
  type SlotDemand,
} from './store.ts'

const modeOf = ({ is_sandbox }: Pick<Scope, 'is_sandbox'>): string => (is_sandbox ? 'sandbox' : 'live')

const tokenSubject = (scope: Pick<Scope, 'is_sandbox'>, checkoutId: string): string =>
  `${modeOf(scope)} in ${checkoutId}`

const networkSubjects = (scope: Pick<Scope, 'is_sandbox'>, networks: readonly string[]): string[] =>
  networks.map((network) => `${modeOf(scope)} from ${network}`)

/** `networks`: as in `Context.clientNetworks`. */
export const buildSlotDemand = (
  scope: Pick<Scope, 'is_sandbox'>,
  checkoutId: string,
  networks: readonly string[],
): SlotDemand => ({ tokenSubject: tokenSubject(scope, checkoutId), slots: networkSubjects(scope, networks) })

/** Nothing can be declined, so no counter matters. */
export const NO_DEMAND: SlotDemand = { tokenSubject: '', slots: [] }

/** The part of an attempt that decides its counters. */
type DeclineSource = Pick<AttemptRow, 'merchant_id' | 'is_sandbox' | 'checkout_id' | 'gateway'> & {
  readonly draft: OrderDraft
}

/** The networks that began the attempt. Attempts of an older release have none. */
const networksIn = ({ is_sandbox, draft }: DeclineSource): string[] =>
  networkSubjects({ is_sandbox }, draft.captured_by?.networks ?? [])

/** Empty if the payment cannot be declined: nothing is due, or it is paid by hand. */
export const buildAttemptDemand = (source: DeclineSource): SlotDemand =>
  canDecline(source.gateway)
    ? { tokenSubject: tokenSubject({ is_sandbox: source.is_sandbox }, source.checkout_id), slots: networksIn(source) }
    : NO_DEMAND

/** `gateway` is null if nothing is due. */
const canDecline = (gateway: string | null): boolean =>
  gateway !== null && findGateway(gateway)?.page.kind !== 'details'

/** `slots`: those that the attempt still holds. */
export const buildDecline = (source: DeclineSource, slots: readonly string[]): CountedDecline => ({
  tokenSubject: tokenSubject({ is_sandbox: source.is_sandbox }, source.checkout_id),
  shopSubject: modeOf({ is_sandbox: source.is_sandbox }),
  networks: networksIn(source),
  slots,
})

/** Thrown in the transaction that begins an attempt if a slot is missing, so that everything is rolled back. */
export class NoFreeSlot extends Error {
  override readonly name = 'NoFreeSlot'
}

/** Throws if the token has no declines left, or if a network has to wait. */
export function refuseAfterDeclines(gateway: string, standing: DeclineStanding): void {
  if (canDecline(gateway)) throwIfRefused(standing)
}

function throwIfRefused({ token_declines, wait }: DeclineStanding): void {
  if (token_declines >= MAX_TOKEN_DECLINES) throw tooManyCheckoutDeclines()
  if (wait !== null) throw tooManyRequests(Math.max(1, wait), { field: 'payment', code: 'too_many_declines' })
}

/** How long a capture waits for another of its network to end. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400
/** After how many seconds the client should try again. */
const RETRY_SECONDS = 2

const tooManyAtOnce = (): ApiError => tooManyRequests(RETRY_SECONDS, { field: 'payment', code: 'too_many_requests' })

type SlotServices = { readonly db: Database; readonly clock: Clock }

/**
 * Returns once a slot may be free. Many shoppers behind one address wait for the payments under way instead of being refused. Throws if
 * those are declined, and if none ends in time.
 */
async function waitForSlot({ db, clock }: SlotServices, source: DeclineSource, end: number): Promise<void> {
  const demand = buildAttemptDemand(source)
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    if (performance.now() > end) throw tooManyAtOnce()
    await pause(pauseMs)
    const standing = await findDeclineStanding(db, { merchant_id: source.merchant_id }, demand, clock.now())
    throwIfRefused(standing)
    if (!standing.is_full) return
  }
}

/** Repeats `work` while it throws `NoFreeSlot`, each time once a slot may be free. `begunAt`: its start, by `performance.now()`. */
export async function retryUntilSlotIsFree<T>(
  services: SlotServices,
  source: DeclineSource,
  work: (begunAt: number) => Promise<T>,
): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await work(performance.now())
    } catch (error) {
      if (!(error instanceof NoFreeSlot)) throw error
    }
    await waitForSlot(services, source, end)
  }
}
