// Text that a shopper has typed, for a mail that may go to somebody else: words, and nothing that a mail program makes a link of.
// Whoever orders for another's address writes into the mail that this person gets, in the name of the shop.

import { oneLine } from '../lib/text.ts'

/**
 * Signs that nobody sees, by which `https://` or a name could be written so that it is not found: soft hyphens, variation selectors, tags,
 * fillers and the like.
 */
const UNSEEN = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu
/** Persian and emoji need them. */
const JOINERS = /[\u200c\u200d]+/g
const JOINED_TO_NOTHING = /[!-~]/

/** Without unseen signs, and without those joiners that join nothing, beside a letter of ASCII. */
function withoutUnseen(text: string): string {
  const seen = text.replace(UNSEEN, '')
  return seen.replace(JOINERS, (run, at: number) => {
    const around = seen.charAt(at - 1) + seen.charAt(at + run.length)
    return JOINED_TO_NOTHING.test(around) ? '' : run
  })
}

/** `https://`, `anything://`, `file:\\`; and what opens a program without slashes. */
const SCHEME =
  /[a-z][a-z0-9+.-]*:[/\\]+|\b(?:https?|ftps?):|\b(?:file|mailto|tel|sms|mms|callto|facetime|skype|whatsapp|xmpp|sips?|geo|magnet|bitcoin|javascript|vbscript|data|blob|about):(?=\S)/gi

/** What begins an address on this or another machine, without a scheme: `//evil.example`, `\\\\server\share`. */
const SLASHES = /[/\\]{2,}/g

const WORD = /\S+/gu
/**
 * A dot inside of a word, where a name may go on: names of machines have letters of every script, marks and emoji. The dots of other
 * scripts are dots to a browser. None before what ends a sentence or a bracket, nor one that is broken up already.
 */
const DOT = /(?<=.)[.\u2024\u3002\ufe52\uff0e\uff61](?=[^.,;:!?)\]}"'\u200c])/gu
/** `3.5`, `($3.50)`: nothing else in the word. */
const NUMBER = /^[^\p{L}\p{M}\p{N}\p{So}_.]*\d+\.\d+[^\p{L}\p{M}\p{N}\p{So}_.]*$/u

/** Shown as nothing, and no part of a name: mail programs find no `evil.example` in what it stands in. */
const BREAK = '\u200c'

/** One line of it, without schemes. Names that look like those of machines are broken up where nobody sees it. */
export function shopperWords(text: string, longest?: number): string {
  // Cut first: what follows takes its time with a megabyte.
  let words = withoutUnseen(oneLine(text, longest))
  // Again, as what is left after one may be another: htthttps://ps://
  for (let before = ''; before !== words; ) {
    before = words
    words = words.replace(SCHEME, '').replace(SLASHES, '/')
  }
  return words.trim().replace(WORD, (word) => (NUMBER.test(word) ? word : word.replace(DOT, (dot) => dot + BREAK)))
}
