// Settings that mean the same at every provider.

import type { GatewayConfig } from '../call.ts'
import { type ConfigField, optionalField } from '../gateway.ts'

/** Whether payments are taken at once. */
export const captureField: ConfigField = {
  ...optionalField('automatic (without it), or manual: payments are set aside, and taken from the order.'),
  oneOf: ['automatic', 'manual'],
}

/** Money is only set aside, until the merchant takes it. */
export const isManual = ({ config }: { readonly config: GatewayConfig }): boolean => config.capture === 'manual'

/**
 * What messages of the provider are known by. Missing, none is believed. While the merchant replaces it there are two, and messages of both
 * come: whoever had to enter the new one at the very moment would lose some.
 */
export const messageField = (description: string, { isSecret }: { isSecret: boolean }): ConfigField => ({
  description: `${description} While one replaces the other both, with a comma or a blank between them.`,
  isRequired: false,
  isSecret,
  mayBeTwo: true,
})

/** What a field that may be two (`mayBeTwo`) holds. */
export const eachIn = (value: string | undefined): readonly string[] =>
  (value ?? '').split(/[\s,]+/).filter((each) => each !== '')
