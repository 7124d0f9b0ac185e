// The gateways that a merchant can choose from, those that a checkout may offer, and what a shopper may see of each.

import { configFieldLabel, hasCredentials } from '../../gateways/config-fields.ts'
import { canCharge, type GatewayDefinition } from '../../gateways/gateway.ts'
import { gateways } from '../../gateways/index.ts'
import type { AvailableGateways, GatewayType, OfferedGateway } from './schema.ts'
import type { OfferRow } from './store.ts'

/** `rows` are all gateways that the merchant has set up, as `offerRowsJson` returns them. */
export function availableGateways(rows: readonly OfferRow[], is_sandbox: boolean): AvailableGateways {
  const selectable = gateways.filter((gateway) => !gateway.isOptIn || rows.some(({ code }) => code === gateway.code))
  const offers = selectable.map((gateway) => [gateway.code, viewOffer(gateway, rows, is_sandbox)] as const)
  const usable = offers.filter((entry): entry is [string, OfferedGateway] => entry[1] !== null)
  return {
    available: Object.fromEntries(offers.map(([code, offered]) => [code, offered !== null])),
    available_count: usable.length,
    ...Object.fromEntries(usable),
  }
}

/** Null if the gateway cannot be used. */
function viewOffer(gateway: GatewayDefinition, rows: readonly OfferRow[], is_sandbox: boolean): OfferedGateway | null {
  const serving = findUsableRows(gateway, rows, is_sandbox)
  if (serving === null) return null
  return {
    type: gateway.type,
    settings: gateway.isRepeatable
      ? serving.map(({ id, config }) => ({ id, ...gateway.publicSettings(config) }))
      : gateway.publicSettings(serving[0]?.config ?? {}),
    ...(gateway.type === 'card' ? { cards_accepted: [...gateway.cardsAccepted] } : {}),
    ...(serving.some((row) => row.is_simulated) ? { simulated: true as const } : {}),
  }
}

/**
 * The merchant's rows of a gateway for this mode, oldest first. Null if the gateway cannot be used; one that works without setup may have
 * no rows.
 * A gateway that cannot take money yet is never offered, because the shopper could not pay.
 */
export function findUsableRows(
  gateway: GatewayDefinition,
  rows: readonly OfferRow[],
  is_sandbox: boolean,
): OfferRow[] | null {
  const own = rows.filter(({ code, is_simulated }) => code === gateway.code && canCharge(gateway, is_simulated))
  const ofMode = own.filter((row) => row.is_sandbox === is_sandbox)
  // A live gateway without credentials is safe in the sandbox, so that a shop need not describe its bank account twice.
  const isLent = is_sandbox && ofMode.length === 0 && !hasCredentials(gateway)
  const serving = (isLent ? own : ofMode).filter((row) => row.is_enabled)
  const isOn = gateway.isSandboxOnly
    ? is_sandbox && own.every((row) => row.is_enabled) && (worksUnset(gateway) || own.length > 0)
    : serving.length > 0
  return isOn ? serving : null
}

/** A test gateway needs no row, unless it is opt-in; a row can only switch it off. */
const worksUnset = ({ isSandboxOnly, isOptIn }: GatewayDefinition): boolean => isSandboxOnly && isOptIn !== true

/** In the order in which they are offered. Contains no data of a merchant. */
export const listGatewayTypes = (is_sandbox: boolean): GatewayType[] =>
  gateways.map((gateway) => ({
    code: gateway.code,
    name: gateway.name,
    description: gateway.description,
    modes: gateway.isSandboxOnly ? ['sandbox'] : ['sandbox', 'live'],
    has_credentials: hasCredentials(gateway),
    can_be_simulated: gateway.createSimulation !== undefined,
    is_repeatable: gateway.isRepeatable,
    works_unset: worksUnset(gateway),
    works_without_scripting: gateway.page.kind !== 'script',
    hosts: hostsOf(gateway, is_sandbox),
    fields: Object.entries(gateway.config).map(([name, field]) => ({
      name,
      label: configFieldLabel(name, field),
      help: field.description,
      is_required: field.isRequired,
      is_secret: field.isSecret,
      is_long: field.isLong ?? false,
      options: field.oneOf === undefined ? null : [...field.oneOf],
    })),
  }))

const hostsOf = ({ page }: GatewayDefinition, is_sandbox: boolean): string[] =>
  page.kind === 'script' ? [...new Set(Object.values(page.hosts(is_sandbox)).flat())] : []
