// A second witness: Square's own client for Node goes through the same payments at the double. It would read Square's answers as it reads the
// double's. A signature that it has made is in history.test.ts. Release 39 is the last that comes alone: those after it bring it along beside a
// second client, in sixteen thousand files.

import { Client, Environment } from 'square'
import { expect, it } from 'vitest'
import { SQUARE_CONFIG } from '../doubles/square.ts'
import { MANUAL, openSquareBench, PAID } from './bench.ts'

const { square, adapter, request } = await openSquareBench()
const { paymentsApi, locationsApi } = new Client({
  environment: Environment.Custom,
  customUrl: square.url,
  squareVersion: '2025-08-20',
  bearerAuthCredentials: { accessToken: SQUARE_CONFIG.access_token },
})

it('sees what our adapter has made, and our adapter what it has taken and called off', async () => {
  const [taken, held] = [request({ config: MANUAL }), request({ config: MANUAL })]
  const ids = []
  for (const charge of [taken, held]) {
    const { transactionId } = (await adapter().charge(charge)) as { transactionId: string }
    expect((await paymentsApi.getPayment(transactionId)).result.payment).toMatchObject({
      status: 'APPROVED',
      referenceId: charge.key,
      totalMoney: { amount: 1_234n, currency: 'USD' },
    })
    ids.push(transactionId)
  }
  await paymentsApi.completePayment(ids[0] ?? '', {})
  await paymentsApi.cancelPayment(ids[1] ?? '')
  expect(await adapter().lookUp(taken)).toEqual(PAID)
  expect(await adapter().lookUp(held)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  const { location } = (await locationsApi.retrieveLocation(SQUARE_CONFIG.location_id)).result
  expect(location).toMatchObject({ currency: 'USD', status: 'ACTIVE' })
})
