// Texts of the checkout pages by language. English defines the keys of all languages. Rules report a refusal by its code, so they contain
// no text.

import type { ShopperRefusal } from '../../../lib/words/refusals.ts'
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
 * Returns the text of a refusal. `params.decline`: the provider's reason by its code. It replaces the provider's own text, which may be
 * in another language.
 */
export function checkoutRefusalText(words: Messages, { code, params }: ShopperRefusal): string {
  const decline = words.declines[params.decline as DeclineReason]
  if (code === 'payment_declined' && decline !== undefined) return decline
  const write = words.refusals[code as CheckoutCode] as ((params: unknown) => string) | undefined
  return write?.(params) ?? words.refusals.request_not_right({})
}
