// Charges, held money and refunds follow the same rules with every provider.

import { describe, expect, it } from 'vitest'
import { declined, payOn, refundKey } from './bench.ts'
import { openBenches } from './benches.ts'

describe.each(await openBenches())('$name', (bench) => {
  const { provider, adapter, says } = bench

  it('takes a payment once, and tells the same however often it is asked (F1)', async () => {
    const charge = await bench.ready()
    const outcome = await bench.pay(charge)
    expect(outcome).toEqual({ kind: 'charged', amount: 1_234, currency: 'USD', ...bench.paid })
    for (const work of [bench.pay(charge), adapter().lookUp(charge), adapter().cancel(charge)])
      expect(await work).toEqual(outcome)
    expect(provider.takenOf(charge.key)).toBe(1)
    expect((outcome as { transactionId: string }).transactionId).toBe(provider.paymentOf(charge.key))
  })

  it('takes it once where several ask at the same moment (F9)', async () => {
    const charge = await bench.ready()
    const outcomes = await Promise.all([1, 2, 3].map(() => bench.pay(charge)))
    expect(new Set(outcomes.map((each) => JSON.stringify(each))).size).toBe(1)
    expect([outcomes[0]?.kind, provider.takenOf(charge.key)]).toEqual(['charged', 1])
  })

  it('knows nothing of a charge that was never begun, and calls it off (F6)', async () => {
    const charge = bench.request()
    bench.clock.advance(61)
    expect(await adapter().lookUp(charge)).toEqual({ kind: 'unknown' })
    for (const _ of [1, 2]) expect(await adapter().cancel(charge)).toEqual({ kind: 'cancelled' })
  })

  if (bench.steps.cancel.length > 0)
    it('calls off what is not paid: nothing is taken (F6, F7)', async () => {
      const charge = await bench.cancellable()
      for (const _ of [1, 2]) expect(await adapter().cancel(charge)).toMatchObject({ kind: 'cancelled' })
      expect(['charged', 'approved']).not.toContain((await adapter().lookUp(charge)).kind)
      expect(provider.takenOf(charge.key)).toBe(0)
    })

  it('has charged nothing with credentials that are refused, leaves open what was begun, and names no secret (F38, F51)', async () => {
    const { name, revoked } = provider.secret
    const config = { ...provider.config, [name]: revoked }
    const begun = await bench.ready()
    const failed = (work: Promise<unknown>) => work.catch((error: unknown) => error as Error)
    const errors = [
      await failed(adapter().charge(bench.request({ config }))),
      await failed(adapter().lookUp({ ...begun, config })),
    ]
    const message = expect.stringMatching(says.credentials)
    expect(errors[0]).toMatchObject({ name: 'GatewayUnavailable', message, isNothingCharged: true, isOutage: false })
    // PayPal is asked for a token first, and not about the payment.
    const isNothingCharged = provider.code === 'paypal'
    expect(errors[1]).toMatchObject({ name: 'GatewayUnavailable', isNothingCharged })
    for (const error of errors) expect(JSON.stringify([error, String(error)])).not.toContain(revoked)
    expect(await bench.pay(begun)).toMatchObject({ kind: 'charged' })
  })

  if (bench.steps.take.length > 0)
    describe('money that is held', () => {
      const hold = () => payOn(bench, { config: bench.manual })

      it('is told as held, taken once, and not let go of then (F40)', async () => {
        const charge = await bench.ready({ config: bench.manual })
        const held = await bench.pay(charge)
        expect(held).toMatchObject({ kind: 'authorized', amount: 1_234, currency: 'USD' })
        // It is held for an order: calling off does not let it go.
        for (const work of [adapter().lookUp(charge), adapter().cancel(charge)]) expect(await work).toEqual(held)
        const { transactionId } = held as { transactionId: string }
        const taken = await adapter().take({ ...charge, transactionId })
        expect(taken).toMatchObject({ kind: 'charged', amount: 1_234, currency: 'USD' })
        expect(await adapter().take({ ...charge, transactionId })).toEqual(taken)
        bench.forgetKeys()
        expect(await adapter().take({ ...charge, transactionId })).toEqual(taken)
        expect(provider.takenOf(charge.key)).toBe(1)
        expect((await adapter().release?.({ ...charge, transactionId }))?.kind ?? 'declined').toBe('declined')
      })

      it('is taken in part, or wholly or not at all; never more than is held (F42)', async () => {
        const held = await hold()
        const amount = adapter().takesParts ? 9_999 : 1_000
        expect(await adapter().take({ ...held, amount })).toEqual(declined(says.tooMuchTaken))
        expect(provider.takenOf(held.key)).toBe(0)
        if (!adapter().takesParts) return
        expect(await adapter().take({ ...held, amount: 1_000 })).toMatchObject({ kind: 'charged', amount: 1_000 })
        // Another sum is answered with what was taken.
        expect(await adapter().take(held)).toMatchObject({ kind: 'charged', amount: 1_000 })
      })

      it('is let go once, and cannot be taken then; nor when its time is over (F41)', async () => {
        const [released, expired] = [await hold(), await hold()]
        if (adapter().release !== undefined) {
          for (const _ of [1, 2]) expect(await adapter().release?.(released)).toEqual({ kind: 'released' })
          expect(await adapter().take(released)).toEqual(declined(says.notHeld))
        }
        provider.endHold(expired.transactionId)
        expect(await adapter().take(expired)).toEqual(declined(says.notHeld))
      })

      it('is not given back, and what nobody knows is neither taken nor let go', async () => {
        const held = await hold()
        const unknown = { ...held, transactionId: bench.unknownId }
        expect(await adapter().refund({ ...held, key: refundKey(held) })).toEqual(declined())
        expect(await adapter().take(unknown)).toEqual(declined())
        if (adapter().release !== undefined) expect(await adapter().release?.(unknown)).toMatchObject(declined())
      })
    })

  describe('a refund', () => {
    const paid = async () => {
      const charge = await payOn(bench)
      return { ...charge, key: refundKey(charge), charge }
    }

    it('is made in parts until nothing is left, each once under its key, also when that is forgotten (F15, F43)', async () => {
      const { charge, ...refund } = await paid()
      const part = { ...refund, amount: 1_000 }
      const made = await adapter().refund(part)
      expect(made).toEqual({ kind: 'refunded', transactionId: expect.any(String) })
      expect(await adapter().refund(part)).toEqual(made)
      expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged', amount: 1_234 })
      bench.forgetKeys()
      expect(await adapter().refund(part)).toEqual(made)
      expect(await adapter().refund({ ...refund, key: `${refund.key}2`, amount: 235 })).toEqual(declined())
      expect(await adapter().refund({ ...refund, key: `${refund.key}3`, amount: 234 })).toMatchObject({
        kind: 'refunded',
      })
      expect(provider.givenBack(refund.transactionId)).toEqual([1_000, 234])
    })

    it('is declined where all was given back at the provider itself (F44)', async () => {
      const { charge, ...refund } = await paid()
      provider.refundByHand(charge.transactionId, 1_234)
      expect(await adapter().refund(refund)).toEqual(declined(says.refunded))
    })

    it('that has failed is told as failed, and not made anew (F45)', async () => {
      const { charge, ...refund } = await paid()
      await adapter().refund(refund)
      provider.failRefunds(charge.transactionId)
      bench.forgetKeys()
      expect(await adapter().refund(refund)).toEqual(declined())
      expect(provider.givenBack(charge.transactionId)).toEqual([1_234])
    })

    if (says.disputed)
      it('of a payment that is disputed is declined with the reason (F46)', async () => {
        const { charge, ...refund } = await paid()
        provider.dispute(charge.transactionId)
        expect(await adapter().refund(refund)).toEqual(declined(says.disputed))
      })

    it('of a payment that the provider does not know is declined', async () => {
      expect(await adapter().refund({ ...(await paid()), transactionId: bench.unknownId })).toEqual(declined())
    })
  })
})
