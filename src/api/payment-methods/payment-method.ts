// The rules of the gateways that merchants set up: which may be there once, and for which mode.

import { type Db, type Tx, violates } from '../../db/db.ts'
import { type Gateway, hasCredentials } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { mergedConfig, shownConfig } from './config.ts'
import type { GatewayChanges, GatewayRecord, NewGateway } from './schema.ts'
import {
  insertPaymentMethod,
  lockPaymentMethod,
  type PaymentMethodColumns,
  type PaymentMethodRow,
  updatePaymentMethodRow,
} from './store.ts'

type Merchant = Pick<Caller, 'merchantId' | 'isSandbox'>

export async function createPaymentMethod(
  db: Db,
  clock: Clock,
  { merchantId, isSandbox }: Merchant,
  body: NewGateway,
): Promise<GatewayRecord> {
  const gateway = getGateway(body.code)
  const blank = { is_sandbox: fixedMode(gateway) ?? isSandbox, config: {}, is_enabled: true }
  const columns = merged(gateway, blank, body)
  const now = clock.now()
  const key = { id: newId('gateway', now), code: gateway.code, isSingle: !gateway.isRepeatable }
  const row = await insertPaymentMethod(db, merchantId, key, columns, now)
  if (row === null)
    throw notValid({
      code: [`code must be new: ${modeOf(columns)} ${gateway.code} is set up already. Change that one instead.`],
    })
  return viewPaymentMethod(row)
}

export async function updatePaymentMethod(
  tx: Tx,
  clock: Clock,
  { merchantId }: Merchant,
  id: string,
  body: GatewayChanges,
): Promise<GatewayRecord> {
  const current = await lockPaymentMethod(tx, merchantId, id)
  if (current === null) throw notFound('gateway')
  const gateway = getGateway(current.code)
  if (body.code !== undefined && body.code !== gateway.code)
    throw notValid({ code: [`code cannot be changed from ${gateway.code}; set up the other gateway beside this one.`] })
  const columns = merged(gateway, current, body)
  try {
    return viewPaymentMethod(await updatePaymentMethodRow(tx, merchantId, id, columns, clock.now()))
  } catch (error) {
    if (!violates(error, 'payment_methods_single_unique')) throw error
    throw notValid({ sandbox: [`sandbox must stay: ${modeOf(columns)} ${gateway.code} is set up already.`] })
  }
}

function getGateway(code: string): Gateway {
  const gateway = findGateway(code)
  if (gateway === undefined)
    throw notValid({ code: [`code ${code} names a gateway that only a newer release of this service knows.`] })
  return gateway
}

/** What the method becomes: fields sent replace, fields left out stay. Throws when the result breaks a rule. */
function merged(gateway: Gateway, current: PaymentMethodColumns, body: GatewayChanges): PaymentMethodColumns {
  const malformed: FieldErrors = {}
  const config = mergedConfig(gateway, current.config, body.config ?? {}, malformed)
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)
  const fixed = fixedMode(gateway)
  if (fixed !== null && body.sandbox !== undefined && body.sandbox !== fixed)
    throw notValid({
      sandbox: [
        `sandbox must be ${fixed} for ${gateway.code}, which ${fixed ? 'works in the sandbox only' : 'has no credentials and serves both modes'}.`,
      ],
    })
  return {
    is_sandbox: body.sandbox ?? current.is_sandbox,
    config,
    is_enabled: body.enabled ?? current.is_enabled,
  }
}

/** The mode of a gateway whose config does not depend on it; null where the credentials belong to one. */
function fixedMode(gateway: Gateway): boolean | null {
  if (gateway.isSandboxOnly) return true
  return hasCredentials(gateway) ? null : false
}

const modeOf = ({ is_sandbox }: PaymentMethodColumns) => (is_sandbox ? 'a sandbox' : 'a live')

// A row → the gateway in its newest form, field by field, without its secrets.

export function viewPaymentMethod(row: PaymentMethodRow): GatewayRecord {
  const gateway = findGateway(row.code)
  return {
    id: row.id,
    code: row.code,
    name: gateway?.name ?? row.code,
    enabled: row.is_enabled,
    sandbox: row.is_sandbox,
    // Nothing of one that only a newer release knows: nobody here can tell its secrets.
    config: gateway === undefined ? {} : shownConfig(gateway, row.config),
    created: row.created,
    updated: row.updated,
  }
}
