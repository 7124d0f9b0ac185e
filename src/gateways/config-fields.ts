// The settings of a gateway as merchants enter them: fields that gateways declare, and what their values mean.

import type { GatewayConfig } from './call.ts'

/** One setting of a gateway. Every value is text. */
export type GatewayConfigField = {
  /** Label in a form, where the field name would say too little. */
  readonly label?: string
  readonly description: string
  /** Text with several lines. */
  readonly isLong?: true
  readonly isRequired: boolean
  /** Never shown again, not even to the merchant. Any secret key may read the other fields. */
  readonly isSecret: boolean
  /** Prefixes of the values that the processor issues. They reject a secret pasted into a field that shoppers see. */
  readonly beginsWith?: readonly string[]
  /** Allowed values. */
  readonly oneOf?: readonly string[]
  /** The field may hold an old and a new value, separated by a comma or blanks. Both are valid during a replacement. */
  readonly mayBeTwo?: true
}

/** A gateway with credentials serves the mode that they are for: a sandbox order must never charge a real card. */
export const hasCredentials = ({
  config,
}: {
  readonly config: Readonly<Record<string, GatewayConfigField>>
}): boolean => Object.values(config).some(({ isSecret }) => isSecret)

/** `Publishable key` for `publishable_key`. */
export const configFieldLabel = (name: string, { label }: Pick<GatewayConfigField, 'label'>): string => {
  if (label !== undefined) return label
  const words = name.replaceAll('_', ' ').replace(/\b(api|id|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const publicField = (description: string): GatewayConfigField => ({
  description,
  isRequired: true,
  isSecret: false,
})
export const optionalField = (description: string): GatewayConfigField => ({
  description,
  isRequired: false,
  isSecret: false,
})
export const secretField = (description: string): GatewayConfigField => ({
  description,
  isRequired: true,
  isSecret: true,
})

/** Selects automatic or manual capture. The same at every provider. */
export const captureField: GatewayConfigField = {
  label: 'When money is taken',
  ...optionalField('automatic (without it), or manual: payments are set aside, and taken from the order.'),
  oneOf: ['automatic', 'manual'],
}

/** True if money is only set aside until the merchant takes it. */
export const isManualCapture = ({ config }: { readonly config: GatewayConfig }): boolean => config.capture === 'manual'
