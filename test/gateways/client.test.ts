// @unit
// The one way to a provider: what comes back as an answer, and of what does not, whether the provider can have seen the request.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { hasAnswered, providerClient } from '../../src/gateways/provider/client.ts'
import { type Double, type Fault, openDouble } from './doubles/double.ts'

const ask = providerClient('Cartwright/1')
let double: Double
let executed = 0
beforeAll(async () => {
  double = await openDouble(({ path }) => {
    executed++
    if (path === '/refused') return { status: 402, body: { error: 'declined' } }
    if (path === '/refused-without-a-word') return { status: 401 }
    if (path === '/busy') return { status: 429, body: { busy: true } }
    return path === '/none' ? { status: 204 } : { status: 200, body: { fine: true } }
  })
})
afterAll(async () => {
  ask.close()
  await double.close()
})
afterEach(() => {
  double.calm()
  executed = 0
})

const post = (path = '/pay', more: object = {}) =>
  ask({
    method: 'POST',
    url: double.url + path,
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
    body: '{"a":1}',
    signal: AbortSignal.timeout(60_000),
    ...more,
  })

it('gives a success, a refusal and an answer without a body as they are', async () => {
  expect(await post()).toMatchObject({ status: 200, body: { fine: true } })
  expect(await post('/refused')).toMatchObject({ status: 402, body: { error: 'declined' } })
  expect(await post('/none')).toMatchObject({ status: 204, body: undefined })
  const [request] = double.requests
  expect(request).toMatchObject({ text: '{"a":1}', headers: { authorization: 'Bearer secret' } })
  expect(request?.headers['user-agent']).toBe('Cartwright/1')
})

it.each<[Fault, boolean]>([
  ['before', true],
  ['after', true],
  ['half', true],
  ['broken_before', true],
  ['broken_after', true],
  ['html', false],
  ['html_404', false],
  ['empty', false],
  ['redirect', false],
  ['giant', true],
])('%s leaves open what has happened; an outage: %s', async (fault, isOutage) => {
  double.trouble(fault)
  const { signal } = new AbortController()
  const failure = { name: 'GatewayUnavailable', isNothingCharged: false, isOutage }
  await expect(post('/pay', { signal })).rejects.toMatchObject(failure)
  expect(hasAnswered(signal)).toBe(!isOutage)
  expect(await post('/pay', { signal })).toMatchObject({ status: 200 })
  expect(hasAnswered(signal)).toBe(true)
})

it('that lets nobody in has said so, also without JSON', async () => {
  expect(await post('/refused-without-a-word')).toMatchObject({ status: 401, body: undefined })
})

it('that hangs is given up with the signal', async () => {
  double.trouble({ slowMs: 60_000 })
  const open = { isNothingCharged: false, isOutage: true }
  await expect(post('/pay', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject(open)
})

it('that refuses the connection has seen nothing', async () => {
  await double.goDown()
  await expect(post()).rejects.toMatchObject({ isNothingCharged: true, isOutage: true })
  await double.comeBack()
  expect(await post()).toMatchObject({ status: 200 })
})

it('that takes no more requests is asked once again, and has then seen nothing', async () => {
  double.trouble({ retryAfter: 0 })
  expect(await post()).toMatchObject({ status: 200 })
  expect(executed).toBe(1)
  double.trouble({ retryAfter: 0 }, { times: 2 })
  await expect(post()).rejects.toMatchObject({ isNothingCharged: true, isOutage: false })
  expect(executed).toBe(1)
})

it('that is busy with the very payment is not asked again, and leaves it open', async () => {
  const isBusy = ({ body }: { body: unknown }) => (body as { busy?: boolean }).busy === true
  await expect(post('/busy', { isBusy })).rejects.toMatchObject({ isNothingCharged: false, isOutage: false })
  expect(executed).toBe(1)
})

it('leaves open what happened to a request that had waited for a connection', async () => {
  // More than there are connections: the last gets one that others have used.
  const before = Array.from({ length: 64 }, () => post())
  double.trouble('after', { on: /last/ })
  await expect(post('/last')).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: false })
  await Promise.all(before)
})

it('has sent nothing where the settings cannot stand in a request', async () => {
  const headers = { authorization: 'Bearer sk_\nsecret' }
  const refused = post('/pay', { headers })
  await expect(refused).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: true, isOutage: false })
  await expect(refused).rejects.not.toThrow(/secret/)
  expect(executed).toBe(0)
})
