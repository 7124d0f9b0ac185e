// Two ways to look up a name, both limited so that slow names do not block other lookups for long. guarded-request.ts decides which
// addresses may be used.

import { lookup as addressInfo, type LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { unavailable } from '../lib/errors.ts'

type LookupCallback = Parameters<LookupFunction>[2]

/**
 * Queries the name servers directly. The system's lookup blocks one of the four threads that file reads also need. Two names with silent
 * name servers would block all fetches.
 * This lookup ignores /etc/hosts and search domains, so it suits names of the public internet.
 * `servers` are the machine's own by default. After `withinMs` it uses the replies received so far.
 */
export const nameServerLookup =
  (servers?: readonly string[], withinMs = 3_000): LookupFunction =>
  (hostname, options, callback) => {
    if (isLocalhost(hostname)) return process.nextTick(passAddresses, options.all === true, callback, LOCALHOST)
    // One resolver per name: it can be cancelled separately, and it uses the machine's current name servers.
    const resolver = new Resolver({ timeout: 1_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), withinMs)
    Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(([four, six]) => {
      clearTimeout(timer)
      const addressList = [...addresses(four, 4), ...addresses(six, 6)]
      const failure = four.status === 'rejected' ? four.reason : null
      if (addressList.length === 0) callback(failure ?? new Error('The host name has no address.'), '', 0)
      else passAddresses(options.all === true, callback, addressList)
    })
  }

/** The standard forbids asking a name server for localhost, because its operator could return any address. */
const isLocalhost = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname)

const LOCALHOST: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const addresses = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

function passAddresses(isForAll: boolean, callback: LookupCallback, addressList: LookupAddress[]) {
  const [first] = addressList
  if (isForAll || first === undefined) callback(null, addressList)
  else callback(null, first.address, first.family)
}

/**
 * The system's lookup, which knows the names of this machine and its network.
 * Each lookup blocks a thread, so few run at a time; an abandoned one counts until it ends.
 * A lookup that finds no free slot in time fails with a retryable error: the name is not at fault.
 */
export function systemLookup(lookup: LookupFunction = addressInfo, maxWaitMs = 2_000): LookupFunction {
  const waiting = new Set<() => void>()
  let running = 0

  const startNext = () => {
    const [start] = waiting
    if (running < MAX_LOOKUPS) start?.()
  }

  return (hostname, options, callback) => {
    const start = () => {
      clearTimeout(waitTimer)
      waiting.delete(start)
      running += 1
      lookup(hostname, options, (error, result, family) => {
        running -= 1
        callback(error, result, family)
        startNext()
      })
    }
    const waitTimer = setTimeout(() => {
      waiting.delete(start)
      callback(unavailable('Too many host names are being looked up at the moment. Try again soon.', 5), '', 0)
    }, maxWaitMs)
    waiting.add(start)
    startNext()
  }
}

const MAX_LOOKUPS = 2
