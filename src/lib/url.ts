// Parses URLs and host names.

import { isIPv4, isIPv6 } from 'node:net'

/**
 * Null if the text is no absolute URL, nor one relative to `base`. It avoids `URL.canParse`: after many calls in a compiled function,
 * Node 20 returns false for every text with a letter such as ö.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

// Host names from Host headers, URLs and settings: parsing, and a canonical form for comparison.

export type Host = {
  /** In lower case: labels, an IPv4 address, or an IPv6 address in its brackets. */
  readonly name: string
  /** Null if none is given. */
  readonly port: number | null
}

const MAX_NAME_LENGTH = 253
/** With a trailing dot, and a port. */
const MAX_HOST_LENGTH = MAX_NAME_LENGTH + 1 + 6

const HOST_FORMAT = /^(?:\[([\da-f:.]+)\]|([a-z\d_.-]+))(?::(\d{1,5}))?$/i

// Internet names contain no underscore, but names of services in container networks and proxies do.
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/

/** Browsers read a name with such a number as its last label as an IPv4 address, `0x7f000001` too. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/

/** Null if the text is no host name or IP address, with or without a port from 1 to 65535. The trailing dot of a full name is dropped. */
export function readHost(text: string): Host | null {
  const parts = text.length > MAX_HOST_LENGTH ? null : HOST_FORMAT.exec(text)
  if (parts === null) return null
  const [, v6, plain = '', digits] = parts
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) return null
  if (v6 !== undefined) return isIPv6(v6) ? { name: new URL(`http://[${v6}]`).hostname, port } : null
  const name = plain.toLowerCase().replace(/\.$/, '')
  return isName(name) ? { name, port } : null
}

function isName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false
  const labels = name.split('.')
  return NUMBER.test(labels.at(-1) ?? '') ? isIPv4(name) : labels.every((label) => LABEL.test(label))
}

export const hostText = ({ name, port }: Host): string => (port === null ? name : `${name}:${port}`)

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** True if a name refers to the user's own machine, and so to nobody else's. */
export const isLoopbackName = (name: string): boolean => LOOPBACK.test(name)
