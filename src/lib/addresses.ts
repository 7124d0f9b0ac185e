// Network addresses: which belong to the public internet, the one list that guards every request we make for somebody else, and
// which part of one stands for a client. What is not plainly public is refused: a range nobody thought of is closed and not open.

import { BlockList, isIP, isIPv4 } from 'node:net'

/** The IANA IPv4 special-purpose registry, whole: the few entries that are reachable are relays and sinks, not places with files. */
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

/** Only here has IANA given out global unicast addresses. Mapped, compatible, unique-local, link-local, multicast lie outside. */
const GLOBAL_V6 = ['2000::/3']

/** What is special inside it. */
const SPECIAL_V6 = [
  '2001::/23', // protocol assignments: Teredo (which hides an IPv4 address), ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which hides an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the 6bone, handed back
  '3fff::/20', // documentation
]

/** On networks without IPv4 the resolver puts every IPv4 address behind this prefix (RFC 6052). */
const NAT64 = '64:ff9b::'

const specialV4 = blockList(SPECIAL_V4, 'ipv4')
const globalV6 = blockList(GLOBAL_V6, 'ipv6')
const specialV6 = blockList(SPECIAL_V6, 'ipv6')
const nat64 = blockList([`${NAT64}/96`], 'ipv6')

/** Whether an address, as a resolver gives it or as it stands in a URL without its brackets, is on the public internet. */
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
  // The URL parser writes every notation, `64:ff9b::127.0.0.1` too, in one form of hexadecimal groups.
  const [, , ...groups] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  return dotted(groups.slice(-2))
}

/** Two hexadecimal groups of an IPv6 address as the IPv4 address that they hold. */
function dotted(groups: readonly string[]): string {
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** What some proxies write behind an address: its port. */
const WITH_PORT = /^(?:\[([\da-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+)):\d{1,5}$/

/** The address alone of what a proxy hands on, without a port or the zone of a link; null when it is none. */
export function plainAddress(text: string): string | null {
  // What nearly every request has.
  if (isIPv4(text)) return text
  const [plain = ''] = text.split('%', 1)
  const [, v6, v4] = WITH_PORT.exec(plain) ?? []
  const address = v6 ?? v4 ?? plain
  return isIP(address) === 0 ? null : address
}

/**
 * The parts of a client's address that one party may hold, the narrowest first. An IPv4 address is one. Of an IPv6 address these are its
 * first 64, 56 and 48 bits: a line at home or a phone is given 64 or 56, whoever rents a server often 48, and each chooses the rest freely.
 * So whatever is counted is counted under each of them, with a greater height for the wider ones, which many may share. What is no
 * address, as a proxy may send it, is one party.
 */
export function networksOf(address: string): string[] {
  const plain = plainAddress(address)
  if (plain === null) return ['unknown']
  return isIPv4(plain) ? [plain] : networksOfV6(plain)
}

/** How often each of a client's networks may do something: every wider one twice as often as the one inside of it. */
export const perNetwork = (networks: readonly string[], most: number): { network: string; most: number }[] =>
  networks.map((network, index) => ({ network, most: most * 2 ** index }))

/** The narrowest. */
export const networkOf = (address: string): string => networksOf(address)[0] ?? 'unknown'

function networksOfV6(address: string): string[] {
  // The URL parser writes every notation in one form: hexadecimal groups, the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const groups = [...before, ...zeros, ...after]
  // `::ffff:203.0.113.7` is how a socket for both families names an IPv4 client, and `64:ff9b::203.0.113.7` how a network without IPv4 does.
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' || nat64.check(address, 'ipv6'))
    return [dotted(groups.slice(6))]
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
