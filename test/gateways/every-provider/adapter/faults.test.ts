// @sampled: every fault of a network, at every request to a provider.
// An adapter claims no more than it knows. Looking up tells the truth afterwards, calling off closes, and a repeated request moves money once.

import { describe, expect, it } from 'vitest'
import type { ChargeRequest } from '../../../../src/gateways/gateway.ts'
import { isProof } from '../../../support/proof.ts'
import { BREAKS, type DoubleRequest, type Fault, timesToBreak } from '../../doubles/double.ts'
import { again, payOn, refundKey } from './bench.ts'
import { openBenches } from './benches.ts'

const FAULTS = isProof ? BREAKS : BREAKS.filter(([, fault]) => ['before', 'after'].includes(String(fault)))
/** Square's lists are behind by up to a minute. */
const BEHIND_SECONDS = 61
const UNAVAILABLE = { name: 'GatewayUnavailable' }

const isLimit = (fault: Fault) => typeof fault === 'object'

describe.each(await openBenches())('$name', (bench) => {
  const { provider, adapter, clock, steps } = bench
  const spoil = (fault: Fault, on: RegExp) => provider.double.trouble(fault, { on, times: timesToBreak(fault) })
  const takenOf = (charge: ChargeRequest) => provider.takenOf(charge.key)

  /** The completer's next step: take a payment that was approved, give up one that is not there. */
  async function settle(charge: ChargeRequest) {
    const found = await adapter().lookUp(again(charge))
    if (found.kind === 'approved') return adapter().confirm({ ...again(charge), payment: null })
    return found.kind === 'unknown' ? adapter().cancel(again(charge)) : found
  }

  describe.each(FAULTS)('%s', (_, fault, isDone) => {
    const isUnsent = isLimit(fault) && bench.tellsUnsent === true
    const OPEN = { ...UNAVAILABLE, isNothingCharged: isUnsent }

    if (steps.begin.length > 0)
      it('while a payment is begun: nothing was charged, nor will be (F10, F50)', async () => {
        for (const { on, done, undone } of steps.begin) {
          bench.forgetTokens?.()
          const charge = bench.request()
          spoil(fault, on)
          await expect(adapter().charge(charge)).rejects.toMatchObject({ ...UNAVAILABLE, isNothingCharged: true })
          expect((await adapter().lookUp(charge)).kind).toBe(isDone ? done : undone)
          expect(await adapter().cancel(charge)).toMatchObject({ kind: 'cancelled' })
          expect(takenOf(charge)).toBe(0)
        }
      })

    it('while it is paid: open, and settled as the books have it, once (F11, F12, F50)', async () => {
      for (const { on, done, undone, isNothingChargedByLimit } of steps.pay) {
        const charge = await bench.ready()
        spoil(fault, on)
        const isNothingCharged = isLimit(fault) && isNothingChargedByLimit === true
        await expect(bench.pay(charge)).rejects.toMatchObject({ ...UNAVAILABLE, isNothingCharged })
        clock.advance(BEHIND_SECONDS)
        const { kind } = await adapter().lookUp(charge)
        expect([on, kind]).toEqual([on, isDone ? done : undone])
        expect(takenOf(charge)).toBe(kind === 'charged' ? 1 : 0)
        const end = await settle(charge)
        expect(end).toMatchObject(kind === 'unknown' ? { kind: 'cancelled' } : { kind: 'charged', amount: 1_234 })
        const later = await settle(charge)
        if (kind === 'unknown') expect(['cancelled', 'declined']).toContain(later.kind)
        else expect(later).toEqual(end)
        expect(takenOf(charge)).toBe(kind === 'unknown' ? 0 : 1)
      }
    })

    it('while it is looked up: nobody knows, and the next answer counts', async () => {
      const charge = await payOn(bench)
      spoil(fault, /^GET/)
      await expect(adapter().lookUp(charge)).rejects.toMatchObject(OPEN)
      expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged' })
      spoil(fault, /^GET/)
      await expect(adapter().history.getPaymentState(charge)).rejects.toMatchObject(UNAVAILABLE)
      bench.forgetTokens?.()
      spoil(fault, /./)
      await expect(adapter().history.checkCredentials(charge)).rejects.toMatchObject(UNAVAILABLE)
    })

    it('while it is called off: asked again, it is, and nothing was taken', async () => {
      for (const on of steps.cancel) {
        const charge = await bench.cancellable()
        spoil(fault, on)
        await expect(adapter().cancel(charge)).rejects.toMatchObject(OPEN)
        expect(await adapter().cancel(charge)).toMatchObject({ kind: 'cancelled' })
        expect(['charged', 'approved']).not.toContain((await adapter().lookUp(charge)).kind)
        expect(takenOf(charge)).toBe(0)
      }
    })

    it('while it is given back: once under its key (F43)', async () => {
      for (const on of steps.refund) {
        const charge = await payOn(bench)
        const refund = { ...charge, key: refundKey(charge) }
        spoil(fault, on)
        await expect(adapter().refund(refund)).rejects.toMatchObject(OPEN)
        expect(await adapter().refund(refund)).toMatchObject({ kind: 'refunded' })
        expect(provider.givenBack(charge.transactionId)).toEqual([1_234])
      }
    })

    if (steps.take.length > 0)
      it('while held money is taken, wholly or in part: once (F40)', async () => {
        const inPart = adapter().takesParts ? [...steps.take, ...(steps.part ?? [])] : []
        const takes = [...steps.take.map((on) => [on, 1_234] as const), ...inPart.map((on) => [on, 1_000] as const)]
        for (const [on, amount] of takes) {
          const held = await payOn(bench, { config: bench.manual })
          spoil(fault, on)
          await expect(adapter().take({ ...held, amount })).rejects.toMatchObject(UNAVAILABLE)
          expect(await adapter().take({ ...held, amount })).toMatchObject({ kind: 'charged', amount })
          expect(takenOf(held)).toBe(1)
        }
      })

    if (steps.release !== null)
      it('while held money is let go: asked again, it is', async () => {
        const held = await payOn(bench, { config: bench.manual })
        spoil(fault, steps.release as RegExp)
        await expect(adapter().release?.(held)).rejects.toMatchObject(UNAVAILABLE)
        expect(await adapter().release?.(held)).toEqual({ kind: 'released' })
        expect(takenOf(held)).toBe(0)
      })
  })

  it('does once what arrives twice', async () => {
    const charge = await bench.ready()
    provider.double.trouble('twice', { times: 10 })
    const paid = await bench.pay(charge)
    expect(paid).toMatchObject({ kind: 'charged', amount: 1_234 })
    const { transactionId } = paid as { transactionId: string }
    expect(await adapter().refund({ ...charge, key: refundKey(charge), transactionId })).toMatchObject({
      kind: 'refunded',
    })
    expect([takenOf(charge), provider.givenBack(transactionId)]).toEqual([1, [1_234]])
  })

  it('gives up what hangs with the signal, and finds it later (F13)', async () => {
    for (const { on } of steps.pay) {
      const charge = await bench.ready()
      const time = new AbortController()
      // Its time is over as soon as the provider has the request.
      const isHanging = ({ method, path }: DoubleRequest) => {
        if (on.test(`${method} ${path}`)) time.abort(new DOMException('Its time is over.', 'TimeoutError'))
        return time.signal.aborted
      }
      provider.double.trouble({ slowMs: 60_000 }, { on: isHanging })
      const open = { isNothingCharged: false, isOutage: true }
      await expect(bench.pay({ ...charge, signal: time.signal })).rejects.toMatchObject(open)
      expect(await settle(charge)).toMatchObject({ kind: 'charged' })
      expect(takenOf(charge)).toBe(1)
    }
  })

  it('asks once more where the provider takes no more requests (F39)', async () => {
    for (const { on } of steps.pay) {
      const charge = await bench.ready()
      provider.double.trouble({ retryAfter: 0 }, { on })
      expect(await bench.pay(charge)).toMatchObject({ kind: 'charged' })
    }
  })

  it('has charged nothing where it cannot connect, and does not pretend to know (F14)', async () => {
    const charge = await bench.ready()
    await provider.double.goDown()
    // A kept connection that was just cut cannot tell whether a request got there.
    bench.ports.http.close()
    try {
      const begun = adapter().charge(bench.request())
      await expect(begun).rejects.toMatchObject({ isNothingCharged: true, isOutage: true })
      for (const work of [adapter().lookUp(charge), adapter().cancel(charge)])
        await expect(work).rejects.toMatchObject({ isNothingCharged: bench.tellsUnsent === true, isOutage: true })
    } finally {
      await provider.double.comeBack()
    }
    expect(await bench.pay(charge)).toMatchObject({ kind: 'charged' })
    expect(takenOf(charge)).toBe(1)
  })
})
