// What the pages of the checkout say, by language. English is the form that all others have; what refuses something is said by its code,
// so that a rule never writes a sentence.

import type { Refusal } from '../../../lib/words/refusals.ts'
import type { Language } from '../model.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'
import type { CheckoutCode, DeclineReason } from './refusal-words.ts'

export type Messages = typeof en

const BY_LANGUAGE: Readonly<Record<Language, Messages>> = { en, de, fr, es, it, nl, pt, pl, ja }

export const messagesIn = (language: Language): Messages => BY_LANGUAGE[language]

/**
 * The sentence of a refusal. `params.decline`: the provider's reason, by which it is said in languages that the provider's own sentence is not
 * written in.
 */
export function say(words: Messages, { code, params }: Refusal): string {
  const decline = words.declines[params.decline as DeclineReason]
  if (code === 'payment_declined' && decline !== undefined) return decline
  const written = words.refusals[code as CheckoutCode] as ((params: unknown) => string) | undefined
  return written?.(params) ?? words.refusals.request_not_right({})
}
