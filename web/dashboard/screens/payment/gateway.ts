// Payment methods on the screens: types that can be set up, as the API describes them, and methods that are set up. No gateway is known by
// name here.

import type { GatewayRecord, GatewayType, GatewayTypes } from '../../../../src/api/payment-methods/schema.ts'
import type { Mode } from '../../api.ts'
import type { Tone } from '../../parts/show/values.tsx'
import { type Query, useQuery } from '../../use-query.ts'

export const LIST = '/dashboard/payment'
export const BACK = { href: LIST, label: 'Payment' }

export const useGatewayTypes = (): Query<GatewayTypes> => useQuery<GatewayTypes>('/v1/gateways/types')

/** Name given by the merchant if there may be several, else the name of the gateway. */
export const gatewayName = ({ config, name }: GatewayRecord, type: GatewayType | undefined): string =>
  (type?.is_repeatable ? config.name : null) ?? name

export const gatewayMode = ({ sandbox }: GatewayRecord): Mode => (sandbox ? 'sandbox' : 'live')

export function gatewayStatus({ enabled, simulated }: GatewayRecord): readonly [tone: Tone, text: string] {
  if (!enabled) return ['calm', 'Off']
  return simulated ? ['open', 'Simulated'] : ['good', 'On']
}

/** True if the type can be set up in this mode and is not yet. */
export const isMissing = (type: GatewayType, gateways: readonly GatewayRecord[], mode: Mode): boolean =>
  type.modes.includes(mode) &&
  !type.works_unset &&
  (type.is_repeatable || !gateways.some((gateway) => gateway.code === type.code && gatewayMode(gateway) === mode))
