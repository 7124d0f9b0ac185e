// Lists the refusals of a checkout and the parameters of their texts. A language that lacks a text does not compile.

import type { ShopperField } from '../../../lib/words/fields.ts'
import type { RefusalCode, refusal } from '../../../lib/words/refusals.ts'

/** Codes that a checkout can meet. Others, such as those of logins, use `refusals.request_not_right`. */
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

/** Parameters of `refusal()`; an empty record if the code has none. */
type ParamsOf<Code extends RefusalCode> =
  Parameters<typeof refusal<Code>> extends [Code, infer Params] ? Params : Readonly<Record<string, never>>

export type RefusalWords = { readonly [Code in CheckoutCode]: (params: ParamsOf<Code>) => string }

/** The provider's reason for a decline. */
export type DeclineReason = 'card_declined' | 'insufficient_funds' | 'expired_card' | 'incorrect_cvc'

/** One sentence for each field of the form. */
export type FieldSentences = Readonly<Record<ShopperField, string>>
