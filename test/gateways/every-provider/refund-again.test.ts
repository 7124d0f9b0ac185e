// @sampled: `npm test` tries one provider.
// A refund whose answer was lost, sent again as the caller is told to: it is given back once under one Idempotency-Key, with each provider.

import { expect, it } from 'vitest'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { isProof } from '../../support/proof.ts'
import { openEveryProvider, openToldShop, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app } = opened
const providers = isProof ? opened.providers : opened.providers.slice(0, 1)
const AMOUNT = { amount: 2 }

it.each(providers.map((provider) => [provider.code, provider] as const))('%s', async (_, provider) => {
  const shop = await openToldShop(opened, provider)
  const order = await shop.buy()
  const given = () => provider.givenBack(paymentOf(order))
  const refund = async (key: string | null) => {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key }
    const path = `/v1/orders/${order.id}/refund`
    const answer = await app.call('POST', path, { key: shop.secret, body: AMOUNT, headers })
    return { status: answer.status, text: answer.text }
  }
  /** Whatever the provider does of it, we do not hear that. */
  const loseAnswers = () => provider.double.trouble('after', { on: /./, times: 50 })

  loseAnswers()
  expect(await refund('first')).toMatchObject({ status: 504, text: expect.stringContaining('Send the same request') })
  provider.calm()
  await shop.runJobs()
  expect(given()).toEqual([200])
  expect((await refund('first')).status).toBe(200)
  expect(given()).toEqual([200])

  // Also where the process dies after all is written down, and while nobody has settled it.
  onCheckpoint((name) => {
    if (name === 'orders.refund_recorded') throw new Error('gone')
  })
  expect((await refund('second')).status).toBe(500)
  onCheckpoint(null)
  expect((await refund('second')).status).toBe(200)
  loseAnswers()
  expect((await refund('third')).status).toBe(504)
  provider.calm()
  expect((await refund('third')).status).toBe(200)
  expect(given()).toEqual([200, 200, 200])

  // Another key, or none, asks for as much again, and whoever sends none is told to look first.
  loseAnswers()
  expect(await refund(null)).toMatchObject({ status: 504, text: expect.stringContaining('look at the order before') })
  provider.calm()
  await shop.runJobs()
  expect((await refund('fourth')).status).toBe(200)
  expect(given()).toEqual([200, 200, 200, 200, 200])
})
