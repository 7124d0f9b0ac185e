// Reads addresses and the names of hosts.

import { isIPv4, isIPv6 } from 'node:net'

/**
 * Null when the text is no absolute address, or none from `base` on. Not by `URL.canParse`: once Node 20 has compiled a function that calls
 * it often, it says false of every text with a letter such as ö.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

// Host names, as Host headers, addresses and settings name them: which texts are one, and in which form two are compared.

export type Host = {
  /** In lower case: labels, an IPv4 address, or an IPv6 address in its brackets. */
  readonly name: string
  /** null where none is named. */
  readonly port: number | null
}

const LONGEST_NAME = 253
/** With a dot at the end, and a port. */
const LONGEST_HOST = LONGEST_NAME + 1 + 6

const PARTS = /^(?:\[([\da-f:.]+)\]|([a-z\d_.-]+))(?::(\d{1,5}))?$/i

// An underscore is in no name on the internet, but in those that container networks and proxies give their own services.
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/

/** Browsers read a name whose last label is such a number as an IPv4 address, `0x7f000001` too. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/

/** null when the text is no host name or IP address, with or without a port from 1 to 65535. The dot of a full name is left out. */
export function readHost(text: string): Host | null {
  const parts = text.length > LONGEST_HOST ? null : PARTS.exec(text)
  if (parts === null) return null
  const [, v6, plain = '', digits] = parts
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) return null
  if (v6 !== undefined) return isIPv6(v6) ? { name: new URL(`http://[${v6}]`).hostname, port } : null
  const name = plain.toLowerCase().replace(/\.$/, '')
  return isName(name) ? { name, port } : null
}

function isName(name: string): boolean {
  if (name.length > LONGEST_NAME) return false
  const labels = name.split('.')
  return NUMBER.test(labels.at(-1) ?? '') ? isIPv4(name) : labels.every((label) => LABEL.test(label))
}

export const hostText = ({ name, port }: Host): string => (port === null ? name : `${name}:${port}`)

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a name leads to the machine of whoever uses it, and so to nobody else's. */
export const isLoopbackName = (name: string): boolean => LOOPBACK.test(name)
