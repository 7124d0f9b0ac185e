// Makes text from a shopper safe for a mail to somebody else, so that no mail program turns any of it into a link. Anybody can order with
// another person's address, and so put text into a mail that the person gets from the shop.

import { toOneLine } from '../lib/text.ts'

/**
 * Invisible characters that could hide `https://` or a host name from the patterns below: soft hyphens, variation selectors, tags,
 * fillers.
 */
const UNSEEN = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu
/** Persian and emoji need these joiners. */
const JOINERS = /[\u200c\u200d]+/g
const JOINED_TO_NOTHING = /[!-~]/

/** Removes invisible characters, and joiners that have an ASCII character beside them, where they join nothing. */
function removeInvisible(text: string): string {
  const visible = text.replace(UNSEEN, '')
  return visible.replace(JOINERS, (run, at: number) => {
    const around = visible.charAt(at - 1) + visible.charAt(at + run.length)
    return JOINED_TO_NOTHING.test(around) ? '' : run
  })
}

/** `https://`, `anything://`, `file:\\`, and schemes that open a program without slashes. */
const SCHEME =
  /[a-z][a-z0-9+.-]*:[/\\]+|\b(?:https?|ftps?):|\b(?:file|mailto|tel|sms|mms|callto|facetime|skype|whatsapp|xmpp|sips?|geo|magnet|bitcoin|javascript|vbscript|data|blob|about):(?=\S)/gi

/** Start of an address on this or another machine without a scheme: `//evil.example`, `\\\\server\share`. */
const SLASHES = /[/\\]{2,}/g

const WORD = /\S+/gu
/**
 * A dot inside a word, where a host name may continue. Host names have letters of every script, marks and emoji. Browsers treat the dots
 * of other scripts as dots. Excluded are dots before the end of a sentence or a bracket, and dots that are already broken up.
 */
const DOT = /(?<=.)[.\u2024\u3002\ufe52\uff0e\uff61](?=[^.,;:!?)\]}"'\u200c])/gu
/** A word that is only a number: `3.5`, `($3.50)`. */
const NUMBER = /^[^\p{L}\p{M}\p{N}\p{So}_.]*\d+\.\d+[^\p{L}\p{M}\p{N}\p{So}_.]*$/u

/** An invisible character that host names cannot contain. Mail programs find no `evil.example` in a text with it. */
const BREAK = '\u200c'

/** Returns the text as one line without schemes. An invisible character breaks up words that look like host names. */
export function safeShopperText(text: string, longest?: number): string {
  // Cut first, because the rest would be slow for a megabyte of text.
  let words = removeInvisible(toOneLine(text, longest))
  // Repeat, because removing one scheme may leave another: htthttps://ps://
  for (let before = ''; before !== words; ) {
    before = words
    words = words.replace(SCHEME, '').replace(SLASHES, '/')
  }
  return words.trim().replace(WORD, (word) => (NUMBER.test(word) ? word : word.replace(DOT, (dot) => dot + BREAK)))
}
