// @unit
// A provider that is down is noticed, left alone for a moment, and tried by one.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { GatewayUnavailable } from '../../src/gateways/call.ts'
import { openBreaker } from '../../src/gateways/provider/breaker.ts'
import { openAccountSlots } from '../../src/gateways/provider/call-slots.ts'
import { gate } from '../support/waiting.ts'

const OUTAGE = { isNothingCharged: false, isOutage: true }

function opened() {
  const time = { ms: 0 }
  const breaker = openBreaker(() => time.ms)
  let asked = 0
  const ask = (outcome: 'answers' | 'out' | 'declines', name = 'a') =>
    breaker.run(name, async () => {
      asked++
      if (outcome === 'answers') return 'fine'
      throw outcome === 'out'
        ? new GatewayUnavailable('out', OUTAGE)
        : new GatewayUnavailable('wrong credentials', { isNothingCharged: true })
    })
  const fail = async (times: number, name?: string) => {
    for (let n = 0; n < times; n++) await expect(ask('out', name)).rejects.toThrow('out')
  }
  return { time, breaker, ask, fail, asked: () => asked }
}

describe('a provider', () => {
  it('that fails four times in a row is still asked, and after the fifth time nobody is sent there', async () => {
    const { breaker, ask, fail, asked } = opened()
    await fail(4)
    expect(breaker.secondsUntilTry('a')).toBeNull()
    await fail(1)
    expect(breaker.secondsUntilTry('a')).toBe(10)
    await expect(ask('answers')).rejects.toMatchObject({ isNothingCharged: true, isOutage: false })
    expect(asked()).toBe(5)
  })

  it('that answers in between begins anew; declines and wrong credentials are answers', async () => {
    const { breaker, ask, fail } = opened()
    for (const between of ['answers', 'declines'] as const) {
      await fail(4)
      await ask(between).catch(() => undefined)
    }
    await fail(4)
    expect(breaker.secondsUntilTry('a')).toBeNull()
  })

  it('that was not asked is as it was, however the work ended; the next one tries', async () => {
    const { time, breaker, ask, fail, asked } = opened()
    const nobodyIsAsked = [() => Promise.resolve('known'), () => Promise.reject(new Error('There is nothing to ask.'))]
    for (const work of nobodyIsAsked) {
      await fail(3)
      await breaker.run('a', work, () => false).catch(() => undefined)
      await fail(2)
      expect(breaker.secondsUntilTry('a')).toBe(10)
      time.ms += 10_000
      await breaker.run('a', work, () => false).catch(() => undefined)
      expect(breaker.secondsUntilTry('a')).toBeNull()
      await fail(1)
      expect(breaker.secondsUntilTry('a')).toBe(10)
      time.ms += 10_000
      expect(await ask('answers')).toBe('fine')
    }
    expect(asked()).toBe(14)
  })

  it('that takes too long for looks which nobody waits for is still asked for payments; nobody looks while it is down', async () => {
    const { breaker, ask, fail, asked } = opened()
    const look = () => breaker.runUnrecorded('a', () => Promise.reject(new GatewayUnavailable('out', OUTAGE)))
    for (let n = 0; n < 6; n++) await expect(look()).rejects.toThrow('out')
    expect([breaker.secondsUntilTry('a'), await ask('answers')]).toEqual([null, 'fine'])
    await fail(5)
    await expect(look()).rejects.toThrow('The provider is down')
    expect(asked()).toBe(6)
  })

  it('is down by itself: others are asked', async () => {
    const { ask, fail } = opened()
    await fail(5)
    expect(await ask('answers', 'b')).toBe('fine')
  })

  it('is tried by one after the pause; who answers is open for all, who fails is left alone again', async () => {
    const { time, breaker, ask, fail, asked } = opened()
    await fail(5)
    time.ms += 10_000
    expect(breaker.secondsUntilTry('a')).toBeNull()
    const answer = gate()
    const probe = breaker.run('a', () => answer.opened)
    expect(breaker.secondsUntilTry('a')).toBe(1)
    await expect(ask('answers')).rejects.toMatchObject({ isNothingCharged: true })
    answer.open()
    await probe
    expect(await ask('answers')).toBe('fine')
    await fail(5)
    time.ms += 10_000
    const before = asked()
    await fail(1)
    expect(breaker.secondsUntilTry('a')).toBe(10)
    expect(asked()).toBe(before + 1)
  })

  it('is tried again soon after a try that has hung, and one that was sent before all this delays nothing', async () => {
    const { time, breaker, fail } = opened()
    const hanging = () => {
      let end: () => void = () => undefined
      const ended = breaker.run(
        'a',
        () => new Promise<void>((_, reject) => (end = () => reject(new GatewayUnavailable('out', OUTAGE)))),
      )
      return { ended, end: () => end() }
    }
    const early = hanging()
    await fail(5)
    time.ms += 10_000
    const probe = hanging()
    time.ms += 9_000
    early.end()
    await expect(early.ended).rejects.toThrow('out')
    // Nobody else is sent there beside the one that tries.
    expect(breaker.secondsUntilTry('a')).toBe(1)
    probe.end()
    await expect(probe.ended).rejects.toThrow('out')
    expect(breaker.secondsUntilTry('a')).toBe(2)
    time.ms += 2_000
    expect(breaker.secondsUntilTry('a')).toBeNull()
  })

  it('that was out long ago is not held to it', async () => {
    const { time, breaker, fail } = opened()
    await fail(4)
    time.ms += 100_000
    await fail(1)
    expect(breaker.secondsUntilTry('a')).toBeNull()
  })
})

describe('the places of one account among the jobs of a provider', () => {
  afterEach(() => vi.useRealTimers())

  it('are waited for while those before answer, and refused once they hang; another account has its own', async () => {
    vi.useFakeTimers()
    const places = openAccountSlots()
    let begun = 0
    const ends: (() => void)[] = []
    const hang = () =>
      places.run('a', () => {
        begun++
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const first = Array.from({ length: 8 }, hang)
    const turnedAway = Promise.allSettled(first.slice(-1))
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toBe(6)
    ends.shift()?.()
    await vi.advanceTimersByTimeAsync(200)
    expect(begun).toBe(7)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await turnedAway).toMatchObject([
      { status: 'rejected', reason: { isNothingCharged: true, isOutage: false } },
    ])
    await expect(hang()).rejects.toThrow('is retried later')
    expect(await places.run('b', async () => 'fine')).toBe('fine')
    for (const end of ends) end()
    await Promise.all(first.slice(0, -1))
    expect(await places.run('a', async () => 'fine')).toBe('fine')
  })
})
