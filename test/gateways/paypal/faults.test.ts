// Everything that goes wrong between PayPal and us, at each step: then looking it up tells the truth, and asking again does nothing twice.

import { expect, it } from 'vitest'
import { BREAKS, timesToBreak } from '../doubles/double.ts'
import { again, openAdapter } from './support.ts'

const { adapter, paypal, config, request, approved, paid } = await openAdapter()

const ordersOf = (key: string) => [...paypal.books.orders.values()].filter(({ invoice_id }) => invoice_id === key)

it.each(BREAKS)('%s, when the order is made: nothing is charged, and again it is one order', async (_, fault) => {
  const asked = request()
  paypal.trouble(fault, { on: /^POST \/v2\/checkout\/orders$/, times: timesToBreak(fault) })
  await expect(adapter.charge(asked)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: true })
  expect(await adapter.lookUp(asked)).toEqual({ kind: 'unknown' })
  expect(await adapter.charge(asked)).toMatchObject({ kind: 'redirect' })
  expect(ordersOf(asked.key)).toHaveLength(1)
})

it.each(BREAKS)('%s, when the token is fetched: nothing is charged', async (_, fault) => {
  paypal.endTokens()
  paypal.trouble(fault, { on: /oauth2/, times: timesToBreak(fault) })
  const asked = request()
  await expect(adapter.charge(asked)).rejects.toMatchObject({ isNothingCharged: true })
  expect(await adapter.charge(asked)).toMatchObject({ kind: 'redirect' })
})

it.each(BREAKS)('%s, when it is taken: open, and looking it up tells whether it was', async (_, fault, isDone) => {
  const { call, order } = await approved()
  paypal.trouble(fault, { on: /\/capture$/, times: timesToBreak(fault) })
  await expect(adapter.confirm({ ...call, payment: null })).rejects.toMatchObject({
    name: 'GatewayUnavailable',
    isNothingCharged: false,
  })
  expect(order.captures).toHaveLength(isDone ? 1 : 0)
  expect(await adapter.lookUp(call)).toMatchObject({ kind: isDone ? 'charged' : 'approved' })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'charged' })
  expect(order.captures).toHaveLength(1)
})

it.each(BREAKS)('%s, when it is called off: asked again, it is called off or told as paid', async (_, fault) => {
  const { call, order } = await approved()
  paypal.trouble(fault, { on: /^PATCH/, times: timesToBreak(fault) })
  await expect(adapter.cancel(call)).rejects.toMatchObject({ name: 'GatewayUnavailable' })
  expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'declined' })
  expect(order.captures).toEqual([])
})

it.each(BREAKS)('%s, when it is given back: once under one key', async (_, fault, isDone) => {
  const { call, order, transactionId } = await paid()
  const refund = { ...call, key: `${call.key}_refund`, transactionId }
  paypal.trouble(fault, { on: /\/refund$/, times: timesToBreak(fault) })
  await expect(adapter.refund(refund)).rejects.toMatchObject({ name: 'GatewayUnavailable' })
  expect(order.refunds).toHaveLength(isDone ? 1 : 0)
  expect(await adapter.refund(refund)).toEqual({ kind: 'refunded', transactionId: order.refunds[0]?.id })
  expect(order.refunds).toHaveLength(1)
})

it.each(BREAKS)('%s, when held money is taken: once', async (_, fault) => {
  const { call, order, transactionId } = await paid({ config: { ...config, capture: 'manual' } })
  paypal.trouble(fault, { on: /authorizations\/\w+\/capture$/, times: timesToBreak(fault) })
  await expect(adapter.take({ ...call, transactionId })).rejects.toMatchObject({ name: 'GatewayUnavailable' })
  expect(await adapter.take({ ...call, transactionId })).toMatchObject({ kind: 'charged', amount: 1_234 })
  expect(order.captures).toHaveLength(1)
})

it.each(BREAKS)('%s, when it is looked up: nobody knows, and the next answer counts', async (_, fault) => {
  const { call } = await paid()
  paypal.trouble(fault, { on: /^GET/, times: timesToBreak(fault) })
  await expect(adapter.lookUp(call)).rejects.toMatchObject({ name: 'GatewayUnavailable' })
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged' })
})

it('what arrives twice is done once', async () => {
  const { call, order } = await approved()
  paypal.trouble('twice', { on: /\/capture$/ })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'charged' })
  paypal.trouble('twice', { on: /\/refund$/ })
  const transactionId = order.captures[0]?.id ?? ''
  expect(await adapter.refund({ ...call, key: `${call.key}_refund`, transactionId })).toMatchObject({
    kind: 'refunded',
  })
  expect([order.captures.length, order.refunds.length]).toEqual([1, 1])
})

it('what hangs is given up with the signal, and is found later', async () => {
  const { call, order } = await approved()
  paypal.trouble({ slowMs: 30_000 }, { on: /\/capture$/ })
  const hasty = { ...call, signal: AbortSignal.timeout(3_000) }
  await expect(adapter.confirm({ ...hasty, payment: null })).rejects.toMatchObject({
    isNothingCharged: false,
    isOutage: true,
  })
  expect(['approved', 'charged']).toContain((await adapter.lookUp(again(call))).kind)
  expect(await adapter.confirm({ ...again(call), payment: null })).toMatchObject({ kind: 'charged' })
  expect(order.captures).toHaveLength(1)
})

it('a PayPal that is down is an outage: nothing was charged by a beginning, and an approved one waits', async () => {
  const { call } = await approved()
  await paypal.goDown()
  await expect(adapter.charge(request())).rejects.toMatchObject({ isNothingCharged: true, isOutage: true })
  await expect(adapter.confirm({ ...call, payment: null })).rejects.toMatchObject({
    isNothingCharged: false,
    isOutage: true,
  })
  await paypal.comeBack()
  expect(await adapter.lookUp(again(call))).toEqual({ kind: 'approved' })
})

it('a limit that is lifted in time is waited for', async () => {
  paypal.trouble({ retryAfter: 0 }, { on: /^POST \/v2\/checkout\/orders$/ })
  expect(await adapter.charge(request())).toMatchObject({ kind: 'redirect' })
})
