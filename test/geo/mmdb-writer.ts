// Writes small databases in MaxMind's format, for tests. The format is public: https://maxmind.github.io/MaxMind-DB/

import { isIPv4 } from 'node:net'

export type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

export type Mmdb = {
  /** Network such as `192.0.2.0/24` → its record. */
  networks: Readonly<Record<string, Value>>
  type?: string
  ipVersion?: 4 | 6
}

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** Size of half a node. */
const RECORD_BITS = 24
/** Between the tree and the data. */
const SEPARATOR = Buffer.alloc(16)

/** The number of a node, the offset of a record, or nothing. */
type Child = { readonly node: number } | { readonly data: number } | null
type Node = [zero: Child, one: Child]

export function mmdb({ networks, type = 'Test-City', ipVersion = 6 }: Mmdb): Buffer {
  const nodes: Node[] = [[null, null]]
  const records: Buffer[] = []
  let offset = 0
  for (const [network, record] of Object.entries(networks)) {
    insert(nodes, bitsOf(network, ipVersion), { data: offset })
    const bytes = encode(record)
    records.push(bytes)
    offset += bytes.length
  }
  const numberOf = (child: Child) => {
    if (child === null) return nodes.length
    return 'node' in child ? child.node : nodes.length + SEPARATOR.length + child.data
  }
  const tree = nodes.map(([zero, one]) => pair(numberOf(zero), numberOf(one)))
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: type,
    description: { en: 'Made by a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: RECORD_BITS,
  })
  return Buffer.concat([...tree, SEPARATOR, ...records, MARKER, metadata])
}

function insert(nodes: Node[], bits: readonly number[], leaf: Child) {
  let number = 0
  bits.forEach((bit, depth) => {
    const node = nodes[number] as Node
    if (depth === bits.length - 1) {
      node[bit as 0 | 1] = leaf
      return
    }
    const next = node[bit as 0 | 1]
    if (next !== null && 'node' in next) {
      number = next.node
      return
    }
    node[bit as 0 | 1] = { node: nodes.length }
    number = nodes.push([null, null]) - 1
  })
}

/** The bits of a network's prefix. In a tree of IPv6, IPv4 stands behind 96 zeros. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length = ''] = network.split('/')
  const isV4 = isIPv4(address)
  const bytes = isV4 ? address.split('.').map(Number) : bytesOfV6(address)
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, index) => (byte >> (7 - index)) & 1))
  const before = isV4 && ipVersion === 6 ? Array<number>(96).fill(0) : []
  return [...before, ...bits.slice(0, Number(length))]
}

function bytesOfV6(address: string): number[] {
  const [left = '', right = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [first, last] = [groups(left), groups(right)]
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return all.flatMap((group) => [group >> 8, group & 0xff])
}

function pair(zero: number, one: number): Buffer {
  const node = Buffer.alloc(RECORD_BITS / 4)
  node.writeUIntBE(zero, 0, RECORD_BITS / 8)
  node.writeUIntBE(one, RECORD_BITS / 8, RECORD_BITS / 8)
  return node
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([control(2, bytes.length), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value as { readonly [key: string]: Value })
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)])])
}

/** Type and size. Types past 7 stand in a byte of their own, and so does the rest of a size past 28. */
function control(type: number, size: number): Buffer {
  if (size >= 29 + 256) throw new RangeError('The test writer knows no such long values.')
  const [short, rest] = size < 29 ? [size, []] : [29, [size - 29]]
  return Buffer.from(type > 7 ? [short, type - 7, ...rest] : [(type << 5) | short, ...rest])
}
