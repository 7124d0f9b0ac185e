// @unit
// What one client may cost: how much at once, how much for good, who shares it, and that the memory for it does not grow.

import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type ClientMeter,
  costOf,
  createClientMeter,
  type MeteredClient,
  type MeteredVisit,
  type MeterRefusal,
} from '../../src/http/endpoint/client-meter.ts'
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

const client = (address: string, scope = '1 sandbox'): MeteredClient => ({ networks: networksOf(address), scope })
const HOME = client('203.0.113.7')

const isBegun = (visit: MeteredVisit | MeterRefusal): visit is MeteredVisit => 'leave' in visit

/** The seconds to wait; null when it was served. */
function ask(meter: ClientMeter, who: MeteredClient, cost: number, thing = 'cart_1'): number | null {
  const visit = meter.enter(who, { thing })
  if (!isBegun(visit)) return visit.retryAfterSeconds
  visit.leave(cost)
  return null
}

/** How many requests of this cost are served before one is refused. */
function served(meter: ClientMeter, who: MeteredClient, cost: number, thing?: string): number {
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
    expect(ask(meter, HOME, 500, 'chkt_1')).toBeNull()
    advance(60)
    const running = Array.from({ length: 1_000 }, () => meter.enter(HOME, { thing: 'chkt_1' }))
    expect(running.filter(isBegun)).toHaveLength(BURST / 500)
  })

  test('cannot begin more than a hundred at once, when nobody knows yet what they cost', () => {
    const { meter } = meterAt()
    const running = Array.from({ length: 1_000 }, (_, n) => meter.enter(HOME, { thing: `cart_${n}` }))
    expect(running.filter(isBegun)).toHaveLength(BURST / 40)
  })

  test('that has little left is refused what is expensive and still served what is small', () => {
    const { meter, advance } = meterAt()
    served(meter, HOME, 500, 'chkt_large')
    advance(1)
    expect(ask(meter, HOME, 1, 'cart_small')).toBeNull()
    expect(ask(meter, HOME, 500, 'chkt_large')).not.toBeNull()
  })

  test('is taken to ask for something expensive until it has cost little for a while: one token costs little and much by turns', () => {
    const { meter, advance } = meterAt()
    const begun = () => Array.from({ length: 1_000 }, () => meter.enter(HOME, { thing: 'chkt_1' })).filter(isBegun)
    ask(meter, HOME, 500, 'chkt_1')
    ask(meter, HOME, 1, 'chkt_1')
    advance(60)
    const few = begun()
    expect(few).toHaveLength(Math.floor(BURST / 450))
    for (const visit of few) visit.leave(1)
    for (let n = 0; n < 30; n++) ask(meter, HOME, 1, 'chkt_1')
    advance(60)
    expect(begun()).toHaveLength(BURST / 40)
  })

  test('cannot begin more of what it has just made than it could pay for', () => {
    const { meter, advance } = meterAt()
    const visit = meter.enter(HOME, { thing: 'cart_1' })
    if (isBegun(visit)) visit.leave(500, 'chkt_1')
    advance(60)
    const running = Array.from({ length: 1_000 }, () => meter.enter(HOME, { thing: 'chkt_1' }))
    expect(running.filter(isBegun)).toHaveLength(BURST / 500)
  })

  test('pays for a request once, however often that ends', () => {
    const { meter } = meterAt()
    const visit = meter.enter(HOME, { thing: 'cart_1' })
    if (!isBegun(visit)) throw new Error('It was refused.')
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

describe('the requests of one client', () => {
  const AT_ONCE = 8
  afterEach(() => vi.useRealTimers())

  /** So many requests for carts of their own, all at once. */
  const begin = (meter: ClientMeter, count: number, who = HOME) =>
    Array.from({ length: count }, (_, n) => meter.enter(who, { thing: `cart_${n}` })).filter(isBegun)
  /** What has become of those that wait. */
  async function turnsOf(visits: readonly MeteredVisit[]) {
    const turns: (MeterRefusal | null | undefined)[] = visits.map(() => undefined)
    for (const [index, { turn }] of visits.entries())
      if (turn === null) turns[index] = null
      else void turn.then((outcome) => (turns[index] = outcome))
    return { turns, settled: () => new Promise((resolve) => setImmediate(resolve)) }
  }

  test('run eight at once; each that ends gives its turn to the one that has waited longest', async () => {
    const { meter } = meterAt()
    const visits = begin(meter, AT_ONCE + 3)
    const { turns, settled } = await turnsOf(visits)
    await settled()
    expect(turns).toEqual([...Array(AT_ONCE).fill(null), undefined, undefined, undefined])
    visits[3]?.leave(1)
    await settled()
    expect(turns.slice(AT_ONCE)).toEqual([null, undefined, undefined])
    for (const visit of visits.slice(0, AT_ONCE)) visit.leave(1)
    await settled()
    expect(turns).toEqual(visits.map(() => null))
    for (const visit of visits) visit.leave(1)
    expect(begin(meter, AT_ONCE).every(({ turn }) => turn === null)).toBe(true)
  })

  test('that wait are refused, all of them, when those before them have cost everything; and cost nothing', async () => {
    const { meter, advance } = meterAt()
    const visits = begin(meter, 100)
    expect(visits).toHaveLength(100)
    const { turns, settled } = await turnsOf(visits)
    for (const visit of visits.slice(0, AT_ONCE)) visit.leave(600)
    await settled()
    await settled()
    expect(turns.slice(AT_ONCE).every((turn) => (turn?.retryAfterSeconds ?? 0) > 0)).toBe(true)
    advance(40)
    // What the eight owed has come back, and the others are not there any more.
    const others = Array.from({ length: AT_ONCE }, (_, n) => meter.enter(HOME, { thing: `other_${n}` }))
    expect(others.map((visit) => isBegun(visit) && visit.turn)).toEqual(Array(AT_ONCE).fill(null))
  })

  test('that wait too long are told to come again, and no turn is lost', async () => {
    vi.useFakeTimers()
    const { meter } = meterAt()
    const visits = begin(meter, AT_ONCE + 1)
    const waiting = visits[AT_ONCE]?.turn
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await waiting).toEqual({ retryAfterSeconds: 1 })
    const later = meter.enter(HOME, { thing: 'cart_later' })
    visits[0]?.leave(1)
    expect(isBegun(later) && (await later.turn)).toBeNull()
  })

  test('that wait for somebody else themselves neither wait for a turn nor take one', () => {
    const { meter } = meterAt()
    const captures = Array.from({ length: 50 }, (_, n) => meter.enter(HOME, { thing: `chkt_${n}`, isLong: true }))
    expect(captures.every((visit) => isBegun(visit) && visit.turn === null)).toBe(true)
    expect(begin(meter, AT_ONCE).every(({ turn }) => turn === null)).toBe(true)
  })

  test('of others are not waited for', () => {
    const { meter } = meterAt()
    begin(meter, 50)
    expect(begin(meter, AT_ONCE, client('203.0.113.8')).every(({ turn }) => turn === null)).toBe(true)
  })

  test('that are left while they wait leave no trace', async () => {
    const { meter } = meterAt()
    const visits = begin(meter, AT_ONCE + 2)
    visits[AT_ONCE]?.leave(1)
    visits[0]?.leave(1)
    expect(await visits[AT_ONCE + 1]?.turn).toBeNull()
    for (const visit of visits) visit.leave(1)
    expect(begin(meter, AT_ONCE).every(({ turn }) => turn === null)).toBe(true)
  })
})

describe('whoever else asks', () => {
  test('from another address, in the other mode or at another shop is served as if nothing were', () => {
    const { meter } = meterAt()
    served(meter, HOME, 1)
    const others = [client('203.0.113.8'), client('203.0.113.7', '1 live'), client('203.0.113.7', '2 sandbox')]
    for (const other of others) expect(served(meter, other, 1)).toBe(BURST - 39)
  })

  test('within the same /64 of IPv6 is one client; a /56 may spend twice as much, and a /48 four times', () => {
    const all = (addresses: (n: number) => string, count: number) => {
      const { meter } = meterAt()
      return Array.from({ length: count }, (_, n) => served(meter, client(addresses(n)), 100)).reduce((a, b) => a + b)
    }
    const hex = (n: number) => n.toString(16)
    const most = BURST / 100
    expect(all((n) => `2001:db8:1:1::${hex(n + 1)}`, 20)).toBe(most)
    expect(all((n) => `2001:db8:1:${hex(0xab00 + n)}::1`, 20)).toBe(2 * most)
    expect(all((n) => `2001:db8:1:${hex(n << 8)}::1`, 40)).toBe(4 * most)
    expect(all((n) => `2001:db8:${hex(n + 1)}:1::1`, 20)).toBe(20 * most)
  })

  test('comes from very many networks finds a memory that has not grown, and a neighbour who is still counted', () => {
    const { meter } = meterAt()
    served(meter, HOME, 1)
    for (let n = 0; n < 150_000; n++) {
      ask(meter, { networks: [`network ${n}`], scope: '1 sandbox' }, 1, `cart_${n}`)
      if (n % 10_000 === 0) expect(ask(meter, HOME, 1)).not.toBeNull()
    }
    expect(meter.remembered).toBeLessThanOrEqual(100_000)
  })
})
