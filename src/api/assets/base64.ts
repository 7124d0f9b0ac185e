// Reads the `contents` of an upload: base64 as RFC 4648 writes it, in lines or in one piece, alone or as a data: URL.

import { fileTooLarge, unprocessable } from '../../lib/errors.ts'

// What the browser's FileReader gives. The type it names is not believed: the bytes say what they are.
const DATA_URL = /^data:[^,]{0,200};base64,/i

// Searches for what must not be there: matching megabytes of what may would overflow the stack of the regular expression engine.
const FOREIGN = /[^A-Za-z0-9+/]/

/** Buffer.from alone skips whatever it does not know, and a file that was garbled on its way would be stored without a word. */
export function decodeContents(contents: string, limitBytes: number): Buffer {
  const prefix = DATA_URL.exec(contents)?.[0].length ?? 0
  const encoded = prefix === 0 ? contents : contents.slice(prefix)
  const compact = /\s/.test(encoded) ? encoded.replace(/\s+/g, '') : encoded
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const digits = compact.length - padding
  if (FOREIGN.test(padding === 0 ? compact : compact.slice(0, digits))) throw notBase64()
  // One digit of the last four cannot make a byte; padding, where there is some, fills the four up.
  if (digits % 4 === 1 || (padding > 0 && compact.length % 4 !== 0)) throw notBase64()
  if (digits === 0) throw unprocessable({ contents: ['contents must not be empty.'] })
  if (Math.floor((digits * 3) / 4) > limitBytes) throw fileTooLarge(limitBytes)
  return Buffer.from(compact, 'base64')
}

const notBase64 = () =>
  unprocessable({
    contents: ['contents must be the file in base64: the letters A-Z and a-z, the digits, +, / and = at the end.'],
  })
