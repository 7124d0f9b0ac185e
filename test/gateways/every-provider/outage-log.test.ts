// What is logged of a provider that refuses connections, by whoever asks it: one line, which says whose failure it is and why, without the steps
// of ours that led there.

import { afterEach, expect, it } from 'vitest'
import { openShopOf } from './shop.ts'
import { openSquareProvider } from './square.ts'

const { app, provider: square, shop } = await openShopOf(openSquareProvider)
const { bought: first, body: pay } = await shop.ready()
const order = await shop.order(first, pay)
await square.close()

const BY_SQUARE = { name: 'GatewayUnavailable', provider: 'square (sandbox)' }
const refused = () => ({
  ...BY_SQUARE,
  message: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached\.$/),
  cause: expect.stringMatching(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/),
})

/** Of all that was logged of failures since, in order. */
const failures = () => app.logged.splice(0).flatMap((line) => (JSON.parse(line) as { err?: object }).err ?? [])

afterEach(() => void app.logged.splice(0))

it('a capture, a refund, and a capture while Square is left alone', async () => {
  const bought = await shop.token()
  app.logged.splice(0)
  const capture = async () => (await shop.capture(bought, pay)).status
  expect([await capture(), (await shop.refund(order)).status]).toEqual([402, 504])
  expect(failures()).toEqual([refused(), refused()])
  expect([await capture(), await capture(), await capture(), await capture()]).toEqual([402, 402, 402, 503])
  const alone = { message: expect.stringMatching(/^The provider is down; calls resume in \d+ s\.$/) }
  expect(failures()).toEqual([refused(), refused(), refused(), { ...BY_SQUARE, ...alone }])
})

it('the test of the gateway, which tells it in its answer', async () => {
  const { id } = shop.gateway
  expect(await shop.succeed(200, 'POST', `gateways/${id}/test`, {}, shop.secret)).toMatchObject({
    usable: false,
    message: expect.stringMatching(
      /^The credentials of Square could not be checked: 127\.0\.0\.1:\d+ could not be reached\./,
    ),
  })
  expect(failures()).toEqual([])
})

it('jobs', async () => {
  app.clock.advance(31)
  const worker = app.startJobs()
  await expect.poll(() => app.logged.filter((line) => line.includes('"err"')).length).toBeGreaterThan(1)
  await worker.stop()
  const told = failures()
  expect(told).toContainEqual({
    ...BY_SQUARE,
    message: 'A gateway has not answered about a refund.',
    cause: expect.stringMatching(/The provider is down|ECONNREFUSED/),
  })
  expect(JSON.stringify(told)).not.toContain('stack')
})
