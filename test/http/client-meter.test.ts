// What one client may cost: how much at once, how much for good, who shares it, and that the memory for it does not grow.

import { describe, expect, test } from 'vitest'
import { type Client, type ClientMeter, costOf, createClientMeter } from '../../src/http/client-meter.ts'
import { networksOf } from '../../src/lib/addresses.ts'

const RATE = 100
/** What a client that has spent nothing may spend at once. */
const BURST = 4_000

function meterAt(perSecond = RATE) {
  let moment = 0
  const meter = createClientMeter(perSecond, () => moment)
  return {
    meter,
    advance: (seconds: number) => {
      moment += seconds * 1_000
    },
  }
}

const client = (address: string, scope = '1 sandbox'): Client => ({ networks: networksOf(address), scope })
const HOME = client('203.0.113.7')

/** The seconds to wait; null when it was served. */
function ask(meter: ClientMeter, who: Client, cost: number, thing = 'carts.get cart_1'): number | null {
  const visit = meter.enter(who, thing)
  if ('retryAfterSeconds' in visit) return visit.retryAfterSeconds
  visit.leave(cost)
  return null
}

/** How many requests of this cost are served before one is refused. */
function served(meter: ClientMeter, who: Client, cost: number, thing?: string): number {
  let count = 0
  while (ask(meter, who, cost, thing) === null) if (++count > 100_000) throw new Error('Nothing is ever refused.')
  return count
}

describe('what a request costs', () => {
  test('is about that of one for a small cart, and goes by its lines and the size of its answer', () => {
    expect(costOf({ lines: 0, bytes: 0 })).toBe(1)
    expect(costOf({ lines: 5, bytes: 8_192 })).toBe(2)
    expect(costOf({ lines: 300, bytes: 7_372_800 })).toBe(481)
  })
})

describe('a client', () => {
  test('may spend a burst at once, then as much as comes back each second', () => {
    const { meter, advance } = meterAt()
    // The last forty are held back for what a request may turn out to cost.
    expect(served(meter, HOME, 1)).toBe(BURST - 39)
    advance(1)
    expect(served(meter, HOME, 1)).toBe(RATE)
    advance(3_600)
    expect(served(meter, HOME, 1)).toBe(BURST - 39)
  })

  test('that is refused hears in how many seconds it is served again, and then it is', () => {
    const { meter, advance } = meterAt()
    served(meter, HOME, 1_000)
    const seconds = ask(meter, HOME, 1_000)
    expect(seconds).toBeGreaterThan(1)
    advance((seconds ?? 0) - 1)
    expect(ask(meter, HOME, 1_000)).not.toBeNull()
    advance(1)
    expect(ask(meter, HOME, 1_000)).toBeNull()
  })

  test('is never refused for less than a second', () => {
    const { meter } = meterAt(1_000_000)
    served(meter, HOME, 1_000_000)
    expect(ask(meter, HOME, 1_000_000)).toBe(1)
  })

  test('cannot begin more at once than it could pay for, when what it asks for was expensive before', () => {
    const { meter, advance } = meterAt()
    expect(ask(meter, HOME, 500, 'checkouts.get chkt_1')).toBeNull()
    advance(60)
    const running = Array.from({ length: 1_000 }, () => meter.enter(HOME, 'checkouts.get chkt_1'))
    expect(running.filter((visit) => 'leave' in visit)).toHaveLength(BURST / 500)
  })

  test('cannot begin more than a hundred at once, when nobody knows yet what they cost', () => {
    const { meter } = meterAt()
    const running = Array.from({ length: 1_000 }, (_, n) => meter.enter(HOME, `carts.get cart_${n}`))
    expect(running.filter((visit) => 'leave' in visit)).toHaveLength(BURST / 40)
  })

  test('that has little left is refused what is expensive and still served what is small', () => {
    const { meter } = meterAt()
    served(meter, HOME, 500, 'checkouts.get chkt_large')
    expect(ask(meter, HOME, 500, 'checkouts.get chkt_large')).not.toBeNull()
    expect(ask(meter, client('198.51.100.1'), 1)).toBeNull()
    const { meter: other, advance } = meterAt()
    served(other, HOME, 500, 'checkouts.get chkt_large')
    advance(1)
    expect(ask(other, HOME, 1, 'carts.get cart_small')).toBeNull()
    expect(ask(other, HOME, 500, 'checkouts.get chkt_large')).not.toBeNull()
  })

  test('is not taken for expensive any more when its cart has been emptied', () => {
    const { meter, advance } = meterAt()
    ask(meter, HOME, 3_000)
    advance(60)
    ask(meter, HOME, 1)
    const running = Array.from({ length: 3 }, () => meter.enter(HOME, 'carts.get cart_1'))
    expect(running.filter((visit) => 'leave' in visit)).toHaveLength(3)
  })

  test('pays for a request once, however often that ends', () => {
    const { meter } = meterAt()
    const visit = meter.enter(HOME, 'carts.get cart_1')
    if (!('leave' in visit)) throw new Error('It was refused.')
    visit.leave(10)
    visit.leave(1_000_000)
    expect(served(meter, HOME, 1)).toBe(BURST - 10 - 39)
  })

  test('that has spent nothing is served also what costs more than a burst', () => {
    const { meter, advance } = meterAt()
    expect(ask(meter, HOME, 10 * BURST)).toBeNull()
    expect(ask(meter, HOME, 10 * BURST)).not.toBeNull()
    // What it owes has an end, too.
    advance(80)
    expect(ask(meter, HOME, 10 * BURST)).toBeNull()
  })
})

describe('whoever else asks', () => {
  test('from another address, in the other mode or at another shop is served as if nothing were', () => {
    const { meter } = meterAt()
    served(meter, HOME, 1)
    const others = [client('203.0.113.8'), client('203.0.113.7', '1 live'), client('203.0.113.7', '2 sandbox')]
    for (const other of others) expect(served(meter, other, 1)).toBe(BURST - 39)
  })

  test('within the same /64 of IPv6 is one client; a /56 may spend four times as much, and a /48 sixteen times', () => {
    const all = (addresses: (n: number) => string, count: number) => {
      const { meter } = meterAt()
      return Array.from({ length: count }, (_, n) => served(meter, client(addresses(n)), 100)).reduce((a, b) => a + b)
    }
    const hex = (n: number) => n.toString(16)
    const most = BURST / 100
    expect(all((n) => `2001:db8:1:1::${hex(n + 1)}`, 20)).toBe(most)
    expect(all((n) => `2001:db8:1:${hex(0xab00 + n)}::1`, 20)).toBe(4 * most)
    expect(all((n) => `2001:db8:1:${hex(n << 8)}::1`, 40)).toBe(16 * most)
    expect(all((n) => `2001:db8:${hex(n + 1)}:1::1`, 20)).toBe(20 * most)
  })

  test('comes from a million networks finds a memory that has not grown, and a neighbour who is still counted', () => {
    const { meter } = meterAt()
    served(meter, HOME, 1)
    for (let n = 0; n < 1_000_000; n++) {
      ask(meter, { networks: [`network ${n}`], scope: '1 sandbox' }, 1, `carts.get cart_${n}`)
      if (n % 10_000 === 0) expect(ask(meter, HOME, 1)).not.toBeNull()
    }
    expect(meter.remembered).toBeLessThanOrEqual(100_000)
  })
})
