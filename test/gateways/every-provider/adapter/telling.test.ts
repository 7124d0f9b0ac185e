// Messages of providers are believed only if they are signed. Providers say how a payment, its refunds and its disputes stand, and whether
// credentials work.

import { describe, expect, it } from 'vitest'
import { MESSAGE_URL } from '../../doubles/square.ts'
import type { Told } from '../provider.ts'
import { payOn, readerOf, refundKey } from './bench.ts'
import { openBenches } from './benches.ts'

const USD = { amount: 1_234, currency: 'USD' }

describe.each(await openBenches())('$name', (bench) => {
  const { provider, adapter, telling } = bench
  const { config } = provider
  const { signing } = telling

  const read = readerOf(bench)
  const REFUSED = { kind: 'refused', reason: expect.stringMatching(/./) }

  if (signing !== null)
    describe('a message', () => {
      it('is believed by the bytes that came, again under the same id, and by no others (F19, F22, F23)', async () => {
        const { transactionId: id } = await payOn(bench)
        const message = provider.message('disputed', { key: null, id }, MESSAGE_URL)
        const event = await read(message)
        expect(event).toMatchObject({ kind: 'event', subject: { key: null, transactionId: id } })
        expect(await read(message)).toEqual(event)
        const text = message.body.toString()
        const asked = provider.double.requests.length
        for (const refused of [
          { ...message, headers: {} },
          { ...message, body: Buffer.from(`${text} `) },
          { ...message, body: Buffer.from(JSON.stringify(JSON.parse(text), null, 1)) },
          { ...message, body: Buffer.from(text.replace(id, 'ANOTHER')) },
        ])
          expect(await read(refused)).toEqual(REFUSED)
        const [name = '', value = ''] =
          Object.entries(message.headers).find(([each]) => /sig(?:nature)?$/.test(each)) ?? []
        for (const other of ['', 'x', 'é'.repeat(64), value.slice(1), value.toUpperCase().replace(/[A-F]/, '0')])
          expect(await read({ ...message, headers: { ...message.headers, [name]: other } })).toEqual(REFUSED)
        expect(provider.double.requests).toHaveLength(asked)
      })

      it('is believed as it is written, and refused where it is no event', async () => {
        for (const text of ['', '[]', '7', 'null', '{}', 'no JSON'])
          expect(await read(signing.sign(Buffer.from(text)))).toEqual(REFUSED)
      })

      it('is believed by either secret while one replaces another, and by none without (F22)', async () => {
        const { field } = signing
        const message = provider.message('moved', { key: null, id: bench.unknownId }, MESSAGE_URL)
        const secret = config[field] ?? ''
        for (const both of [`${secret} next`, `next\n${secret}`, `next,${secret}`, ` next , ${secret} `])
          expect(await read(message, { config: { ...config, [field]: both } })).toMatchObject({ kind: 'event' })
        for (const none of ['next', ' ', ',', ''])
          expect(await read(message, { config: { ...config, [field]: none } })).toEqual(REFUSED)
        const { [field]: _, ...without } = config
        expect(await read(message, { config: without })).toEqual(REFUSED)
      })

      it.each<Told>(['moved', 'failed', 'refunded', 'disputed'])(
        'that tells of "%s" names the payment',
        async (told) => {
          const { transactionId: id, key } = await payOn(bench)
          const about = { id, key: told === 'refunded' ? refundKey({ key }) : key, refund: 'R1' }
          const answer = await read(provider.message(told, about, MESSAGE_URL))
          expect(answer).toMatchObject({ kind: 'event', subject: { transactionId: id } })
          const { subject } = answer as { subject: { key: string | null; keyAt?: string } }
          const found =
            subject.keyAt === undefined ? subject.key : await adapter().history.keyOf?.(bench.request(), subject.keyAt)
          const isUnknown = told === 'disputed' || (bench.name === 'Razorpay, by a payment' && told !== 'refunded')
          expect(found).toBe(isUnknown ? null : about.key)
        },
      )
    })

  describe('the standing of a payment', () => {
    const NOTHING = { ...USD, refunds: [], disputes: [] }

    it('has every refund, from here by its key and by hand, and tells which have failed (F44, F45)', async () => {
      const charge = await payOn(bench)
      const { transactionId } = charge
      const standing = () => adapter().history.getPaymentState(charge)
      expect(await standing()).toEqual({ ...NOTHING, charge: 'complete' })
      const key = refundKey(charge)
      const made = (await adapter().refund({ ...charge, key, amount: 200 })) as { transactionId: string }
      const byHand = provider.refundByHand(transactionId, 34)
      const expectRefunds = async (status: string) => {
        const { refunds, ...rest } = await standing()
        expect(rest).toMatchObject({ charge: 'complete', ...USD })
        expect(refunds).toHaveLength(2)
        expect(refunds).toContainEqual({ id: made.transactionId, key, amount: 200, status })
        expect(refunds).toContainEqual({ id: byHand, key: null, amount: 34, status })
      }
      await expectRefunds('accepted')
      provider.failRefunds(transactionId)
      await expectRefunds('failed')
    })

    if (bench.steps.take.length > 0)
      it('is held, released, or taken in part (F41, F42)', async () => {
        const [held, part] = [
          await payOn(bench, { config: bench.manual }),
          await payOn(bench, { config: bench.manual }),
        ]
        expect(await adapter().history.getPaymentState(held)).toEqual({ ...NOTHING, charge: 'held' })
        provider.endHold(held.transactionId)
        expect(await adapter().history.getPaymentState(held)).toEqual({ ...NOTHING, charge: 'released' })
        if (!adapter().takesParts) return
        await adapter().take({ ...part, amount: 1_000 })
        const { charge, amount, refunds } = await adapter().history.getPaymentState(part)
        expect([charge, amount, refunds]).toEqual(['complete', 1_000, []])
      })

    it('has its own disputes, by their states (F47)', async () => {
      const other = await payOn(bench)
      for (const [state, status] of telling.disputes) {
        const charge = await payOn(bench)
        const { id, reason } = telling.dispute(charge.transactionId, state)
        const { disputes } = await adapter().history.getPaymentState(charge)
        expect([state, disputes]).toEqual([state, [{ id, amount: 1_234, reason, status }]])
      }
      expect((await adapter().history.getPaymentState(other)).disputes).toEqual([])
    })

    it('is not told where the provider does not know the payment', async () => {
      const unknown = { ...bench.request(), transactionId: bench.unknownId }
      await expect(adapter().history.getPaymentState(unknown)).rejects.toMatchObject({ name: 'GatewayUnavailable' })
    })

    if (telling.hideDisputes !== null)
      it('comes without disputes where the credentials may not see them', async () => {
        const charge = await payOn(bench)
        provider.dispute(charge.transactionId)
        telling.hideDisputes?.()
        expect(await adapter().history.getPaymentState(charge)).toMatchObject({ charge: 'complete', disputes: [] })
      })
  })

  it.each(telling.checks)(
    'says of credentials with %j, sandbox %s, that they are usable: %s',
    async (more, is_sandbox, isUsable, sentence) => {
      const call = { ...bench.request(), is_sandbox, config: { ...config, ...more } }
      const check = await adapter().history.checkCredentials(call)
      expect(check).toMatchObject({ isUsable, message: expect.stringMatching(sentence) })
      for (const secret of Object.values(more)) expect(check.message).not.toContain(secret)
    },
  )
})
