// Captures that wait for the shopper, and the completer: what becomes of an attempt when nobody is at it any more.

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runCapture } from '../../../src/api/capture/capture.ts'
import {
  completeDue,
  startCompleter,
  sweepReleasedAttempts,
  sweepSettledAttempts,
} from '../../../src/api/capture/completer.ts'
import { reserveHold } from '../../../src/api/capture/reserve.ts'
import { hastenAttempt } from '../../../src/api/capture/store.ts'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import { testJournal } from '../../../src/gateways/sandbox/journal-store.ts'
import { gate } from '../../http/harness.ts'
import { holdTimers } from '../../http/held-timers.ts'
import { testApp } from '../../support/app.ts'
import { CARDS, cardPayment, openEngine, otherPayment, preparedOf, SETTLE_MS } from './capture-engine-support.ts'

const app = await testApp()
const engine = await openEngine(app)
const { capture, complete, onPage } = engine
const item = await engine.product(1_000)
const lines = [{ item, quantity: 2 }]
/** After which a gateway is given up that is asked how a payment stands. */
const LOOK_UP_MS = 5_000
const buy = (number: string, token = engine.token()) => ({ token, payment: cardPayment(number), lines })

describe('a capture that waits for the shopper', () => {
  it('is refused with requires_verification, holds what it needs, and is continued by the confirmation', async () => {
    const before = await engine.available(item)
    const bought = buy(CARDS.verify)
    const refused = await capture(bought)
    const param = refused.error?.param ?? ''
    expect(refused).toMatchObject({ status: 402, type: 'requires_verification' })
    expect(param).toMatch(/^atmpt_\w+_secret_\w+$/)
    // The same body is answered the same: nothing was confirmed yet.
    expect((await capture(bought)).error).toMatchObject({ status: 402, param })
    expect(await engine.available(item)).toBe(before - 2)
    await engine.expectOracles()
    const details = { test_gateway: { payment_intent_id: param } }
    const confirmation = { ...bought, payment: { ...bought.payment, details } }
    const paid = await capture(confirmation)
    expect(paid).toMatchObject({ status: 200, order: { status_payment: 'paid', payments: [{ reference: '3220' }] } })
    for (const again of [confirmation, bought]) expect((await capture(again)).order).toEqual(paid.order)
    expect(await capture({ ...bought, body: 'other' })).toMatchObject({ status: 409 })
    await engine.expectOracles()
  })

  it('is given up after 15 minutes, never earlier, with everything given back', async () => {
    const before = await engine.available(item)
    const bought = buy(CARDS.verify)
    await capture(bought)
    await complete(899)
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'waiting' }])
    await complete(1)
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'released' }])
    expect(await engine.available(item)).toBe(before)
    await engine.expectOracles()
  })

  it('is called off when its confirmation fails for sure, so that nobody can confirm it later', async () => {
    const before = await engine.available(item)
    const bought = buy(CARDS.verify)
    const { error } = await capture(bought)
    const details = { test_gateway: { payment_intent_id: error?.param } }
    const confirmation = { ...bought, payment: { ...bought.payment, details } }
    const confirm = () => Promise.reject(new GatewayUnavailable('No.', { isNothingCharged: true }))
    const cancel = () => Promise.reject(new Error('down'))
    expect(await capture(confirmation, engine.gatewayThat({ confirm, cancel }))).toMatchObject({ status: 504 })
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'waiting' }])
    const failed = { status: 402, error: { message: expect.stringContaining('The payment gateway has failed') } }
    expect(await capture(confirmation, engine.gatewayThat({ confirm }))).toMatchObject(failed)
    const [attempt] = await engine.attempts(bought.token)
    // A provider that tells of the payment later is asked by what it has waited for.
    const kept = { kind: 'failed', confirmation: error?.param }
    expect(attempt).toMatchObject({ state: 'released', gateway_state: kept })
    const books = await testJournal(app.db, app.clock).find(engine.shop.id, attempt?.id ?? '')
    expect(books?.state).toBe('cancelled')
    expect(await engine.available(item)).toBe(before)
    await engine.expectOracles()
  })

  it('stays as it is while the gateway cannot be asked', async () => {
    const fail = () => Promise.reject(new Error('down'))
    const down = engine.gatewayThat({ lookUp: fail, cancel: fail })
    const bought = buy(CARDS.verify)
    await capture(bought)
    expect(await capture(bought, down)).toMatchObject({ status: 504, error: { cause: { message: 'down' } } })
    expect(await capture(buy(CARDS.good, bought.token), down)).toMatchObject({ status: 504 })
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'waiting' }])
  })

  it('is sent elsewhere by a gateway that redirects, and made an order once it was approved there', async () => {
    const bought = { ...buy(''), payment: otherPayment('test_redirect') }
    const first = await runCapture(engine.contextOf(), preparedOf(bought), null)
    const [{ id = '' } = {}] = await engine.attempts(bought.token)
    // The path alone is kept; the route puts the request's own address before it.
    const redirect_url = `/test-gateway/${engine.shop.id}/${id}`
    const redirect = { payment_redirect: true, gateway: 'test_redirect', payment_id: id, paykey: id, redirect_url }
    expect(first).toEqual({ kind: 'redirect', redirect })
    // Not approved yet: the same again.
    expect(await capture(bought)).toEqual({ status: 200, redirect: redirect_url })
    await onPage(id, 'approve')
    const back = { ...bought, payment: otherPayment('test_redirect', { test_redirect: { paykey: id } }) }
    const paid = await capture(back)
    expect(paid.status).toBe(200)
    expect(paid.order).toMatchObject({ status_payment: 'paid', payments: [{ gateway: 'test_redirect' }] })
    expect((await capture(bought)).order).toEqual(paid.order)
    await engine.expectOracles()
  })

  it('is declined elsewhere, and everything is given back', async () => {
    const before = await engine.available(item)
    const bought = { ...buy(''), payment: otherPayment('test_redirect') }
    await capture(bought)
    const [{ id = '' } = {}] = await engine.attempts(bought.token)
    await onPage(id, 'decline')
    const back = { ...bought, payment: otherPayment('test_redirect', { test_redirect: { payment_id: id } }) }
    expect(await capture(back)).toMatchObject({ status: 402, error: { message: 'The payment was declined.' } })
    expect(await engine.available(item)).toBe(before)
    await engine.expectOracles()
  })

  it('is finished when it was paid in the last moment: at its end, and against a capture with another body', async () => {
    const { confirm } = engine.services.payments.findAdapter('test_gateway', false) ?? {}
    if (confirm === undefined) throw new Error('The test gateway confirms.')
    const paidLate = engine.gatewayThat({ cancel: (call) => confirm({ ...call, payment: cardPayment(CARDS.verify) }) })
    const expiring = buy(CARDS.verify)
    await capture(expiring)
    app.clock.advance(900)
    await completeDue(paidLate, engine.log)
    expect((await engine.orders(expiring.token)).length).toBe(1)
    const replaced = buy(CARDS.verify)
    await capture(replaced)
    expect(await capture(buy(CARDS.good, replaced.token), paidLate)).toMatchObject({ status: 409 })
    expect((await engine.orders(replaced.token)).length).toBe(1)
  })
})

describe('the completer', () => {
  it('leaves alone what it is told of too early, and comes back when its time is over', async () => {
    const bought = buy(CARDS.hanging)
    await capture(bought)
    const [{ id = '' } = {}] = await engine.attempts(bought.token)
    await hastenAttempt(app.db, { merchant_id: engine.shop.id, id }, app.clock.now())
    expect(await complete(0)).toBe(1)
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'charging' }])
    expect(await complete(0)).toBe(0)
    expect(await complete()).toBe(1)
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'released' }])
  })

  it('does not put off what its gateway has told of while it was being asked', async () => {
    const bought = { ...buy(''), payment: otherPayment('test_redirect') }
    await capture(bought)
    const [{ id = '' } = {}] = await engine.attempts(bought.token)
    const { lookUp } = engine.services.payments.findAdapter('test_redirect', false) ?? {}
    if (lookUp === undefined) throw new Error('Every gateway can be asked.')
    const approvedMeanwhile = engine.gatewayThat({
      async lookUp(call) {
        const found = await lookUp(call)
        await onPage(id, 'approve')
        return found
      },
    })
    await engine.announce(id)
    expect(await completeDue(approvedMeanwhile, engine.log)).toBe(1)
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'waiting' }])
    expect(await complete(0)).toBe(1)
    expect((await engine.orders(bought.token)).length).toBe(1)
    await engine.expectOracles()
  })

  it('tells what it cannot settle, and tries again every 15 seconds', async () => {
    const bought = buy(CARDS.hangingCharged)
    await capture(bought)
    app.clock.advance(SETTLE_MS / 1_000)
    const down = engine.gatewayThat({ lookUp: () => Promise.reject(new Error('down')) })
    expect(await completeDue(down, engine.log)).toBe(1)
    const [{ id = '' } = {}] = await engine.attempts(bought.token)
    expect(engine.errors.splice(0)).toMatchObject([{ attempt: id, err: { message: 'down' } }])
    expect(await complete(14)).toBe(0)
    expect(await complete(1)).toBe(1)
    expect((await engine.orders(bought.token)).length).toBe(1)
    await engine.expectOracles()
  })

  it('waits with no other attempt for one whose gateway hangs', async () => {
    const tokens = Array.from({ length: 40 }, () => engine.token())
    for (const token of tokens) {
      await reserveHold(engine.contextOf(), preparedOf(buy(CARDS.good, token)))
      // The first is due before the others, and taken with the first of them.
      app.clock.advance(0.001)
    }
    const [{ id: hanging = '' } = {}] = await engine.attempts(tokens[0] ?? '')
    const { lookUp } = engine.services.payments.findAdapter('test_gateway', false) ?? {}
    if (lookUp === undefined) throw new Error('Every gateway can be asked.')
    const late = gate()
    const slow = engine.gatewayThat({
      async lookUp(call) {
        if (call.key === hanging) await late.opened
        return lookUp(call)
      },
    })
    app.clock.advance(SETTLE_MS / 1_000)
    // No time passes: a machine that pauses is no gateway that is slow, and the one that hangs is not given up.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => void now.mockRestore())
    holdTimers(LOOK_UP_MS)
    let isEnded = false
    const ending = completeDue(slow, engine.log).finally(() => {
      isEnded = true
    })
    const open = async () => {
      const attempts = await Promise.all(tokens.map((token) => engine.attempts(token)))
      return attempts.flat().filter(({ state }) => state !== 'released')
    }
    await expect.poll(async () => (await open()).map(({ id }) => id)).toEqual([hanging])
    expect(isEnded).toBe(false)
    late.open()
    expect(await ending).toBe(40)
    expect(await open()).toEqual([])
  })

  it('runs by itself until it is stopped, and outlives an outage of the database', async () => {
    const bought = buy(CARDS.good)
    await reserveHold(engine.contextOf(), preparedOf(bought))
    app.clock.advance(SETTLE_MS / 1_000)
    let failures = 1
    const many: typeof app.db.many = (...call) =>
      failures-- > 0 ? Promise.reject(new Error('gone')) : app.db.many(...call)
    const completer = startCompleter({ ...engine.services, db: { ...app.db, many } }, engine.log)
    await expect.poll(() => engine.attempts(bought.token)).toMatchObject([{ state: 'released' }])
    await completer.stop()
    expect(engine.errors.splice(0)).toMatchObject([{ err: { message: 'gone' } }])
  })

  it('lets go of attempts 30 days after they became orders, 90 after they were given up, never of open ones', async () => {
    const [bought, open, declined] = [buy(CARDS.good), buy(CARDS.verify), buy(CARDS.declined)]
    for (const each of [bought, open, declined]) await capture(each)
    const run = async () => {
      const context = { db: app.db, clock: app.clock, signal: new AbortController().signal }
      for (const sweep of [sweepSettledAttempts, sweepReleasedAttempts]) await sweep.run(context)
    }
    app.clock.advance(30 * 86_400)
    await run()
    expect((await engine.attempts(bought.token)).length).toBe(1)
    app.clock.advance(1)
    await run()
    expect(await engine.attempts(bought.token)).toEqual([])
    expect((await engine.attempts(open.token)).length).toBe(1)
    expect((await engine.orders(bought.token)).length).toBe(1)
    app.clock.advance(60 * 86_400 - 1)
    await run()
    expect((await engine.attempts(declined.token)).length).toBe(1)
    app.clock.advance(1)
    await run()
    expect(await engine.attempts(declined.token)).toEqual([])
    await complete(0)
  })
})
