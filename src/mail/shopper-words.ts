// Text that a shopper has typed, for a mail that may go to somebody else: words, and nothing that a mail program makes a link of.
// Whoever orders for another's address writes into the mail that this person gets, in the name of the shop.

import { oneLine } from '../lib/one-line.ts'

/** Signs that nobody sees, by which `https://` could be written so that it is not found; and the joiners where they join nothing. */
const UNSEEN = /[\u00ad\u180e\u200b\u2060-\u2064]|(?<=[!-~])[\u200c\u200d]+|[\u200c\u200d]+(?=[!-~])/gu

/** `https://`, `anything://`, `file:\\`; and what opens a program without slashes. */
const SCHEME =
  /[a-z][a-z0-9+.-]*:[/\\]+|\b(?:https?|ftps?):|\b(?:file|mailto|tel|sms|mms|callto|facetime|skype|whatsapp|xmpp|sips?|geo|magnet|bitcoin|javascript|vbscript|data|blob|about):(?=\S)/gi

/** What begins an address on this or another machine, without a scheme: `//evil.example`, `\\\\server\share`. */
const SLASHES = /[/\\]{2,}/g

/** A name with dots in it, as of a machine. The dots of other scripts are dots to a browser. */
const DOTTED = /[\p{L}\p{N}_-]+(?:[.\u3002\uff0e\uff61][\p{L}\p{N}_-]+)+/gu
const DOT = /[.\u3002\uff0e\uff61]/g
const NUMBER = /^\d+\.\d+$/

/** Shown as nothing, and no part of a name: mail programs find no `evil.example` in what it stands in. */
const BREAK = '\u200c'

/** One line of it, without schemes. Names that look like those of machines are broken up where nobody sees it. */
export function shopperWords(text: string, longest?: number): string {
  // Cut first: what follows takes its time with a megabyte.
  let words = oneLine(text, longest).replace(UNSEEN, '')
  // Again, as what is left after one may be another: htthttps://ps://
  for (let before = ''; before !== words; ) {
    before = words
    words = words.replace(SCHEME, '').replace(SLASHES, '/')
  }
  return words.trim().replace(DOTTED, (name) => (NUMBER.test(name) ? name : name.replace(DOT, (dot) => dot + BREAK)))
}
