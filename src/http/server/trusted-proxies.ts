// Decides which peers are our proxies, with trusted X-Forwarded-* and X-Request-Id headers. Also warns an operator who has configured none.

import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'

/** `hop` is 0 for the peer itself, 1 for the one before it, and so on. */
export type IsTrusted = (address: string, hop: number) => boolean

const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Accepts addresses, ranges such as 10.0.0.0/8, and the names above. Trusts nothing by default. */
export function trustedProxies(proxies: readonly string[] | IsTrusted | undefined): IsTrusted {
  if (proxies === undefined) return () => false
  if (typeof proxies === 'function') return proxies
  const list = new BlockList()
  for (const range of proxies.flatMap((proxy) => RANGES[proxy] ?? [proxy])) addRange(list, range)
  return (peer) => {
    // A link-local address includes the name of its interface.
    const [address = ''] = String(peer).split('%')
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
}

function addRange(list: BlockList, range: string) {
  const [address = '', bits] = range.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}

const MISSING_SETTING =
  'A request has the header X-Forwarded-For or Forwarded, but TRUST_PROXY names no proxy. All clients behind a proxy then share one limit, and every purchase shows the address of the proxy. Set TRUST_PROXY to the address of your proxy, such as TRUST_PROXY=loopback for one on this machine. If you have no proxy, a client made the header up: leave TRUST_PROXY unset.'

/** Checks the headers of every request while no proxy is configured, and logs the needed setting once. */
export function createProxyWarner(
  isNamed: boolean,
  log: Pick<FastifyBaseLogger, 'warn'>,
): (headers: IncomingHttpHeaders) => void {
  let isLogged = isNamed
  return (headers) => {
    if (isLogged || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    isLogged = true
    log.warn(MISSING_SETTING)
  }
}
