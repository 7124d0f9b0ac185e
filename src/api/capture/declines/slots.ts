// Rules of declined payments: the counters that each counts in, and the answer to a capture that may not begin (docs/decisions/0088). The modes
// count apart, as a test must not block those who buy.

import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Scope } from '../../../db/db.ts'
import { findGateway } from '../../../gateways/index.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type ApiError, checkoutSpent, tooManyRequests } from '../../../lib/errors.ts'
import type { OrderDraft } from '../../orders/make.ts'
import type { AttemptRow } from '../store.ts'
import {
  type CountedDecline,
  type DeclineStanding,
  findDeclineStanding,
  MOST_OF_TOKEN,
  type SlotDemand,
} from './store.ts'

const modeOf = ({ isSandbox }: Pick<Scope, 'isSandbox'>): string => (isSandbox ? 'sandbox' : 'live')

const tokenSubject = (scope: Pick<Scope, 'isSandbox'>, checkoutId: string): string =>
  `${modeOf(scope)} in ${checkoutId}`

const networkSubjects = (scope: Pick<Scope, 'isSandbox'>, networks: readonly string[]): string[] =>
  networks.map((network) => `${modeOf(scope)} from ${network}`)

/** `networks`: as `Context.clientNetworks`. */
export const slotDemand = (
  scope: Pick<Scope, 'isSandbox'>,
  checkoutId: string,
  networks: readonly string[],
): SlotDemand => ({ tokenSubject: tokenSubject(scope, checkoutId), slots: networkSubjects(scope, networks) })

export const NO_DEMAND: SlotDemand = { tokenSubject: '', slots: [] }

type Payer = Pick<AttemptRow, 'is_sandbox' | 'checkout_id' | 'gateway'> & { readonly draft: OrderDraft }

/** Networks of whoever has begun the attempt. An older release has not noted them. */
const networksIn = ({ is_sandbox: isSandbox, draft }: Payer): string[] =>
  networkSubjects({ isSandbox }, draft.captured_by?.networks ?? [])

/** None where nobody declines: nothing is due, or it is paid by hand. */
export const demandOf = (payer: Payer): SlotDemand =>
  canDecline(payer.gateway)
    ? { tokenSubject: tokenSubject({ isSandbox: payer.is_sandbox }, payer.checkout_id), slots: networksIn(payer) }
    : NO_DEMAND

/** `code`: of a gateway; null where nothing is due. */
export const canDecline = (code: string | null): boolean => code !== null && findGateway(code)?.page.kind !== 'details'

/** `slots`: those that the attempt holds. */
export const declineOf = (payer: Payer, slots: readonly string[]): CountedDecline => ({
  tokenSubject: tokenSubject({ isSandbox: payer.is_sandbox }, payer.checkout_id),
  shopSubject: modeOf({ isSandbox: payer.is_sandbox }),
  networks: networksIn(payer),
  slots,
})

/** Thrown in the transaction that begins an attempt: a slot is missing, and everything is rolled back. */
export class NoFreeSlot extends Error {
  override readonly name = 'NoFreeSlot'
}

/** Throws where the token has spent its declines, or a network has to wait. */
export function refuseAfterDeclines({ token_declines, wait }: DeclineStanding): void {
  if (token_declines >= MOST_OF_TOKEN) throw checkoutSpent()
  if (wait !== null) throw tooManyRequests(Math.max(1, wait), { field: 'payment', code: 'too_many_declines' })
}

/** How long a capture waits for another of its network to end. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400
/** After how many seconds it is worth another try. */
const RETRY_SECONDS = 2

const tooManyAtOnce = (): ApiError => tooManyRequests(RETRY_SECONDS, { field: 'payment', code: 'too_many_requests' })

/**
 * Returns once a slot may be free. As long as those under way are not declined, the rest of a crowd behind one address waits for them and is not
 * refused. Throws where they were declined, and where none ends in time.
 */
async function waitForSlot(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  scope: Pick<Scope, 'merchantId'>,
  demand: SlotDemand,
  end: number,
): Promise<void> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    if (performance.now() > end) throw tooManyAtOnce()
    await pause(wait)
    const standing = await findDeclineStanding(db, scope, demand, clock.now())
    refuseAfterDeclines(standing)
    if (!standing.is_full) return
  }
}

/** Runs `work` again whenever it throws `NoFreeSlot` and a slot may be free since. It is told when it began, by `performance.now()`. */
export async function onceSlotIsFree<T>(
  context: { readonly db: Database; readonly clock: Clock },
  scope: Pick<Scope, 'merchantId'>,
  demand: SlotDemand,
  work: (begunAt: number) => Promise<T>,
): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await work(performance.now())
    } catch (error) {
      if (!(error instanceof NoFreeSlot)) throw error
    }
    await waitForSlot(context, scope, demand, end)
  }
}
