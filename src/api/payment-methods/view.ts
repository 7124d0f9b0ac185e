// A row → the gateway in its newest form, field by field, without its secrets.

import { findGateway } from '../../gateways/index.ts'
import { shownConfig } from './config.ts'
import type { GatewayRecord } from './schema.ts'
import type { PaymentMethodRow } from './store.ts'

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
