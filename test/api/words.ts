// What is wrong, as the two audiences hear it: routes open to shoppers say a sentence of the one table, with its code; those of secret keys
// alone say what programmers need. Both name the fields in `errors` in the same words.

import { equals } from '@vitest/expect'
import { REFUSAL_CODES, type RefusalCode, shopperSentence } from '../../src/lib/words/refusals.ts'

type InnerError = {
  type: string
  message: string
  code?: RefusalCode
  params?: Record<string, unknown>
  errors?: Record<string, string[]>
  param?: string
}

/** What is not as a shopper should hear it; null when all is well. */
export function notForShoppers({ message, code, params = {} }: InnerError): string | null {
  if (code === undefined || !REFUSAL_CODES.includes(code)) return `${code} is not in the table of refusals`
  if (message !== shopperSentence({ code, params })) return `"${message}" is not the sentence of ${code}`
  if (message.length > 120) return `"${message}" is longer than 120 characters`
  if (!message.endsWith('.')) return `"${message}" does not end with a full stop`
  if (/[a-z]{4,5}_[A-Za-z0-9]/.test(message)) return `"${message}" holds an id`
  if (/[a-z]_[a-z]|[a-z]\.[a-z]|\[\w*\]/i.test(message)) return `"${message}" holds the name of a field`
  return null
}

/**
 * The inside of an error body: as programmers are told it, or, with the same `errors`, as shoppers are. `said` is the sentence that a shopper
 * hears, where a test knows it.
 */
export const toldOf = (told: InnerError, said?: string): InnerError =>
  ({
    $$typeof: Symbol.for('jest.asymmetricMatcher'),
    asymmetricMatch: (other: unknown) => isTold(other as InnerError, told, said),
    toString: () => 'ToldOf',
    toAsymmetricMatcher: () => JSON.stringify(said === undefined ? told : { ...told, said }),
  }) as unknown as InnerError

function isTold(other: InnerError, told: InnerError, said: string | undefined): boolean {
  if (typeof other !== 'object' || other === null) return false
  const { code, params, ...rest } = other
  if (code === undefined) return said === undefined && params === undefined && equals(rest, told)
  // Where programmers are told no fields, shoppers' errors say the same under one.
  const errors = told.errors ?? (rest.errors && { [Object.keys(rest.errors)[0] ?? '']: [told.message] })
  const isSame = equals(rest, { ...told, message: rest.message, ...(errors && { errors }) })
  return isSame && notForShoppers(other) === null && (said === undefined || said === other.message)
}
