// Network addresses. Decides which ones are public, before each request to an address that somebody else chose.
// An address that is not clearly public is refused, so forgotten ranges stay closed.
// This file also derives the networks that limits count for a client.

import { BlockList, isIP, isIPv4 } from 'node:net'

/** The complete IANA registry of special-purpose IPv4 addresses. The few reachable entries are relays and sinks, which host no files. */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network; 0.0.0.0 connects to this very host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; metadata of some clouds
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; metadata of some clouds
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT relays
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  // Looks public, but inside Azure it is the platform's own control address.
  '168.63.129.16/32',
]

/**
 * The only range in which IANA assigns global unicast addresses. Mapped, compatible, unique-local, link-local and multicast addresses are
 * outside.
 */
const GLOBAL_V6 = ['2000::/3']

/** Special ranges inside GLOBAL_V6. */
const SPECIAL_V6 = [
  '2001::/23', // protocol assignments: Teredo (which hides an IPv4 address), ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which hides an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the former 6bone, returned to IANA
  '3fff::/20', // documentation
]

/** On networks without IPv4 the resolver puts every IPv4 address behind this prefix (RFC 6052). */
const NAT64 = '64:ff9b::'

const specialV4 = blockList(SPECIAL_V4, 'ipv4')
const globalV6 = blockList(GLOBAL_V6, 'ipv6')
const specialV6 = blockList(SPECIAL_V6, 'ipv6')
const nat64 = blockList([`${NAT64}/96`], 'ipv6')

/** True if an address is on the public internet. It takes addresses from a resolver, or from a URL without the brackets. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !specialV4.check(address, 'ipv4')
  // A zone (`fe80::1%eth0`) names a link of this host; nothing public has one.
  if (family !== 6 || address.includes('%')) return false
  if (nat64.check(address, 'ipv6')) return isPublicAddress(lastFourBytes(address))
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

/** The IPv4 address in the last four bytes of an IPv6 address, in dotted form. */
function lastFourBytes(address: string): string {
  // The URL parser normalises every notation, also `64:ff9b::127.0.0.1`, to hexadecimal groups.
  const [, , ...groups] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  return toDottedIpv4(groups.slice(-2))
}

/** Converts two hexadecimal groups of an IPv6 address to the IPv4 address that they hold. */
function toDottedIpv4(groups: readonly string[]): string {
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Address with a port, as some proxies write it. */
const WITH_PORT = /^(?:\[([\da-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+)):\d{1,5}$/

/** Address from a proxy's header, without a port or a zone. Null if the text is no address. */
export function plainAddress(text: string): string | null {
  // Fast path for nearly every request.
  if (isIPv4(text)) return text
  const [plain = ''] = text.split('%', 1)
  const [, v6, v4] = WITH_PORT.exec(plain) ?? []
  const address = v6 ?? v4 ?? plain
  return isIP(address) === 0 ? null : address
}

/**
 * Networks of a client's address, narrowest first. An IPv4 address is one network.
 * For IPv6 they are the first 64, 56 and 48 bits. A provider gives a home line or a phone 64 or 56 bits, and a rented
 * server often 48. A client chooses the other bits freely, so it may own each of the three networks.
 * Limits therefore count all three. Wider networks have higher limits, because many clients may share them.
 * All invalid addresses from proxies count as one network.
 */
export function networksOf(address: string): string[] {
  const plain = plainAddress(address)
  if (plain === null) return ['unknown']
  return isIPv4(plain) ? [plain] : networksOfV6(plain)
}

/** Limit for each of a client's networks. Each network has twice the limit of the one inside it. */
export const perNetwork = (networks: readonly string[], most: number): { network: string; most: number }[] =>
  networks.map((network, index) => ({ network, most: most * 2 ** index }))

/** Narrowest network of a client's address. */
export const networkOf = (address: string): string => networksOf(address)[0] ?? 'unknown'

function networksOfV6(address: string): string[] {
  // The URL parser writes every notation in one form: hexadecimal groups, the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const headGroups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - headGroups.length - tailGroups.length }, () => '0')
  const groups = [...headGroups, ...zeros, ...tailGroups]
  // A socket for both families writes an IPv4 client as `::ffff:203.0.113.7`, and a network without IPv4 writes it as
  // `64:ff9b::203.0.113.7`.
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' || nat64.check(address, 'ipv6'))
    return [toDottedIpv4(groups.slice(6))]
  const site = groups.slice(0, 3).join(':')
  const subnet = Number.parseInt(groups[3] ?? '0', 16)
  return [`${site}:${groups[3]}::/64`, `${site}:${(subnet & 0xff00).toString(16)}::/56`, `${site}::/48`]
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}
