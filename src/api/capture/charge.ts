// Calls to gateways: never inside a transaction, always within a time, and what fails is told apart by whether money may have moved.

import {
  type ChargeOutcome,
  type Charging,
  type FoundOutcome,
  type GatewayCall,
  GatewayUnavailable,
  type PaymentInput,
  type RefundRequest,
  within,
} from '../../gateways/gateway.ts'
import { findPaymentMethod } from '../payment-methods/store.ts'
import type { CaptureServices } from './reserve.ts'
import type { AttemptRow } from './store.ts'

/** `failed`: nothing was charged, and nothing will be. `open`: nobody knows; the completer finds out. */
export type Answer = ChargeOutcome | { readonly kind: 'failed' } | { readonly kind: 'open'; readonly cause: unknown }

/** How long a question takes whose answer changes nothing. */
const LOOK_UP_MS = 5_000

/** The gateway of an attempt, and the call that names it there. `config` where the caller has it. */
export async function gatewayOf(
  { db, payments }: CaptureServices,
  attempt: Pick<AttemptRow, 'merchant_id' | 'id' | 'gateway' | 'payment_method_id'>,
  config?: GatewayCall['config'],
): Promise<{ charging: Charging; call: Omit<GatewayCall, 'signal'> }> {
  const { merchant_id: merchantId, id: key, gateway, payment_method_id: methodId } = attempt
  const charging = payments.charging(gateway ?? '')
  if (charging === undefined)
    throw new GatewayUnavailable(`This release cannot charge by ${gateway}.`, { isNothingCharged: false })
  const method = config || methodId === null ? null : await findPaymentMethod(db, { merchantId }, methodId)
  return { charging, call: { merchantId, key, config: config ?? method?.config ?? {} } }
}

/**
 * Charges, or goes on with a charge that waited for the shopper. Throws nothing. `startedAt` is when the attempt was written, by
 * `performance.now()`: a gateway has less time than the completer waits, so that it finds nobody in the middle of a charge.
 */
export async function ask(
  { payments }: CaptureServices,
  { charging, call }: Awaited<ReturnType<typeof gatewayOf>>,
  startedAt: number,
  work: (signal: AbortSignal) => Promise<ChargeOutcome>,
): Promise<Answer> {
  const left = () => (payments.settleAfterMs * 2) / 3 - (performance.now() - startedAt)
  if (left() < 1) return { kind: 'open', cause: new Error('Too late to ask the gateway.') }
  try {
    return await within(left(), work)
  } catch (error) {
    if (error instanceof GatewayUnavailable && error.isNothingCharged) return { kind: 'failed' }
    // A gateway that breaks off has often done what was asked, and can say so at once.
    const found = left() < 1 ? null : await lookUp(charging, call, left()).catch(() => null)
    return found === null || found.kind === 'unknown' || found.kind === 'waiting'
      ? { kind: 'open', cause: error }
      : found
  }
}

export const lookUp = (charging: Charging, call: Omit<GatewayCall, 'signal'>, ms = LOOK_UP_MS): Promise<FoundOutcome> =>
  within(Math.min(ms, LOOK_UP_MS), (signal) => charging.lookUp({ ...call, signal }))

export const cancel = (charging: Charging, call: Omit<GatewayCall, 'signal'>) =>
  within(LOOK_UP_MS, (signal) => charging.cancel({ ...call, signal }))

export const refund = (charging: Charging, request: Omit<RefundRequest, 'signal'>) =>
  within(LOOK_UP_MS, (signal) => charging.refund({ ...request, signal }))

/** Of a gateway that cannot be told to, the money is free again by itself after some days. */
export const letGo = (
  { release }: Charging,
  call: Omit<GatewayCall, 'signal'> & { readonly transactionId: string },
): ReturnType<NonNullable<Charging['release']>> =>
  release === undefined
    ? Promise.resolve({ kind: 'released' })
    : within(LOOK_UP_MS, (signal) => release({ ...call, signal }))

/** Which waiting charge of the gateway a payment confirms; null when it confirms none. */
export const confirmationOf = (
  { payments }: CaptureServices,
  { gateway }: Pick<AttemptRow, 'gateway'>,
  payment: PaymentInput | null,
): string | null => (payment && payments.charging(gateway ?? '')?.confirmationOf?.(payment)) ?? null
