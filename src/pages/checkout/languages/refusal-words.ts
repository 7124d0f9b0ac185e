// Which refusals a checkout can meet, and what a language is told to say them: the form of that part of the messages. A language that lacks one
// does not compile.

import type { ShopperField } from '../../../lib/words/fields.ts'
import type { RefusalCode, refusal } from '../../../lib/words/refusals.ts'

/** What a checkout cannot meet is left to `refusals.request_not_right`: logins, an account's address. */
export type CheckoutCode = Exclude<
  RefusalCode,
  | 'email_taken'
  | 'category_gone'
  | 'customer_unknown'
  | 'login_link_over'
  | 'login_over'
  | 'too_many_login_links'
  | 'too_many_logins'
  | 'too_many_email_changes'
>

/** Params as `refusal()` takes them; an empty record where it takes none. */
type ParamsOf<Code extends RefusalCode> =
  Parameters<typeof refusal<Code>> extends [Code, infer Params] ? Params : Readonly<Record<string, never>>

export type RefusalWords = { readonly [Code in CheckoutCode]: (params: ParamsOf<Code>) => string }

/** Why a provider has declined, where it says so. */
export type DeclineReason = 'card_declined' | 'insufficient_funds' | 'expired_card' | 'incorrect_cvc'

/** A sentence for each field that a shopper fills in. */
export type FieldSentences = Readonly<Record<ShopperField, string>>
