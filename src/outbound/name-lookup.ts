// Two ways from a name to its addresses, neither of which lets slow names hold up more than themselves for long.
// Whether the addresses may be connected to is for guarded-request.ts to say.

import { lookup as addressInfo, type LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { unavailable } from '../lib/errors.ts'

type Answer = Parameters<LookupFunction>[2]

/**
 * Asks the name servers itself. The system's look-up would keep one of the four threads that reading files needs as well, for as long
 * as a foreign name server cares to be silent: two such names, and nobody could fetch anything. It does not read /etc/hosts
 * and adds no search domain, so it is for names of the public internet. `servers` are the machine's own unless given; after `withinMs`
 * the answers that have come are all there will be.
 */
export const nameServerLookup =
  (servers?: readonly string[], withinMs = 3_000): LookupFunction =>
  (hostname, options, callback) => {
    if (isLocalhost(hostname)) return process.nextTick(answer, options.all === true, callback, LOCALHOST)
    // One for each name: it can be cancelled alone, and it knows the machine's name servers as they are now.
    const resolver = new Resolver({ timeout: 1_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const end = setTimeout(() => resolver.cancel(), withinMs)
    Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(([four, six]) => {
      clearTimeout(end)
      const found = [...addresses(four, 4), ...addresses(six, 6)]
      const failed = four.status === 'rejected' ? four.reason : null
      if (found.length === 0) callback(failed ?? new Error('The name has no address.'), '', 0)
      else answer(options.all === true, callback, found)
    })
  }

/** By its standard never asked of a name server, who might be anybody. */
const isLocalhost = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname)

const LOCALHOST: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const addresses = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

function answer(isForAll: boolean, callback: Answer, found: LookupAddress[]) {
  const [first] = found
  if (isForAll || first === undefined) callback(null, found)
  else callback(null, first.address, first.family)
}

/**
 * The system's look-up, which knows the names of this machine and its network. Because it keeps a thread, few are under way at a
 * time; one that nobody waits for any more still counts until it ends. Whoever finds no place in time is told to come again: that
 * is not the fault of the name.
 */
export function systemLookup(lookup: LookupFunction = addressInfo, longestWaitMs = 2_000): LookupFunction {
  const waiting = new Set<() => void>()
  let running = 0

  const next = () => {
    const [start] = waiting
    if (running < LOOKUPS_AT_ONCE) start?.()
  }

  return (hostname, options, callback) => {
    const start = () => {
      clearTimeout(impatience)
      waiting.delete(start)
      running += 1
      lookup(hostname, options, (error, found, family) => {
        running -= 1
        callback(error, found, family)
        next()
      })
    }
    const impatience = setTimeout(() => {
      waiting.delete(start)
      callback(unavailable('Too many addresses are being looked up at the moment.', 5), '', 0)
    }, longestWaitMs)
    waiting.add(start)
    next()
  }
}

const LOOKUPS_AT_ONCE = 2
