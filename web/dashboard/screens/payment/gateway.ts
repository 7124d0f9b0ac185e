// Payment methods on the screens: types that can be set up, as the API describes them, and methods that are set up. No gateway is known by
// name here.

import type { Mode } from '../../api.ts'
import type { Tone } from '../../parts/show/values.tsx'

export type ConfigField = {
  readonly name: string
  readonly label: string
  readonly help: string
  readonly is_required: boolean
  readonly is_secret: boolean
  readonly is_long: boolean
  readonly options: readonly string[] | null
}

export type GatewayType = {
  readonly code: string
  readonly name: string
  readonly description: string
  readonly modes: readonly Mode[]
  readonly has_credentials: boolean
  readonly can_be_simulated: boolean
  readonly is_repeatable: boolean
  readonly works_unset: boolean
  readonly works_without_scripting: boolean
  readonly fields: readonly ConfigField[]
}

export type Gateway = {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly enabled: boolean
  readonly sandbox: boolean
  readonly simulated: boolean
  readonly config: Readonly<Record<string, string | null>>
  readonly webhook_path: string | null
  readonly created: number
}

export const LIST = '/dashboard/payment'
export const GATEWAYS = '/v1/gateways?limit=200'
export const GATEWAY_TYPES_PATH = '/v1/gateways/types'

/** Name given by the merchant if there may be several, else the name of the gateway. */
export const gatewayName = ({ config, name }: Gateway, type: GatewayType | undefined): string =>
  (type?.is_repeatable ? config.name : null) ?? name

export const gatewayMode = ({ sandbox }: Gateway): Mode => (sandbox ? 'sandbox' : 'live')

export function gatewayStatus({ enabled, simulated }: Gateway): readonly [tone: Tone, text: string] {
  if (!enabled) return ['calm', 'Off']
  return simulated ? ['open', 'Simulated'] : ['good', 'On']
}

/** True if the type can be set up in this mode and is not yet. */
export const isMissing = (type: GatewayType, gateways: readonly Gateway[], mode: Mode): boolean =>
  type.modes.includes(mode) &&
  !type.works_unset &&
  (type.is_repeatable || !gateways.some((gateway) => gateway.code === type.code && gatewayMode(gateway) === mode))
