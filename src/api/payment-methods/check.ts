// Checks if the provider of a gateway knows the credentials that a merchant has just entered. No money moves.

import type { Db, Shop } from '../../db/db.ts'
import { type GatewayConfig, GatewayUnavailable, tagProviderErrors, withDeadline } from '../../gateways/call.ts'
import type { PaymentGateways } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import type { CredentialsCheck } from '../../gateways/provider/history.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import type { GatewayTest } from './schema.ts'
import { findPaymentMethod, replaceConfig, type StoredConfig } from './store.ts'

const ANSWER_MS = 10_000

/** Services that a check needs. */
type CheckServices = { readonly payments: Pick<PaymentGateways, 'findAdapter' | 'credentials'> }

export async function testPaymentMethod(
  context: CheckServices & Pick<Context, 'db' | 'caller'>,
  id: string,
): Promise<GatewayTest> {
  const { db, caller } = context
  const method = await findPaymentMethod(db, caller, id)
  if (method === null) throw notFound('gateway')
  const { isUsable, message, learned } = await checkPaymentMethod(context, caller.merchant_id, method)
  await saveAccountFacts(db, caller, method, learned)
  return { id, code: method.code, sandbox: method.is_sandbox, usable: isUsable, message }
}

type MethodToCheck = Omit<StoredConfig, 'merchant_id' | 'is_deleted'>

/** Describes the result in one sentence, also if the check fails. */
export async function checkPaymentMethod(
  services: CheckServices,
  merchant_id: number,
  method: MethodToCheck,
): Promise<CredentialsCheck> {
  try {
    return await checkAtProvider(services, merchant_id, method)
  } catch (error) {
    if (!(error instanceof GatewayUnavailable)) throw error
    const name = findGateway(method.code)?.name ?? method.code
    return {
      isUsable: false,
      message: `The credentials of ${name} could not be checked: ${error.message} Try again in a moment.`,
    }
  }
}

/** Throws `GatewayUnavailable` if the provider cannot be reached. */
export async function checkAtProvider(
  { payments }: CheckServices,
  merchant_id: number,
  { id: methodId, code, is_sandbox, is_simulated: isSimulated, config: storedConfig }: MethodToCheck,
): Promise<CredentialsCheck> {
  const name = findGateway(code)?.name ?? code
  if (isSimulated) return { isUsable: true, message: `Payments by ${name} are simulated: no credentials are needed.` }
  const adapter = payments.findAdapter(code, isSimulated)
  if (adapter === undefined) return { isUsable: false, message: `${name} cannot take payments here.` }
  const { history } = adapter
  if (history === undefined) return { isUsable: true, message: `${name} needs no credentials.` }
  return tagProviderErrors({ gateway: code, is_sandbox }, async () => {
    const config = await payments.credentials.open({ merchant_id, methodId, gateway: code }, storedConfig)
    return withDeadline(ANSWER_MS, (signal) => history.checkCredentials({ merchant_id, is_sandbox, config, signal }))
  })
}

/** Saves the result only if the config has not changed since the check started. It may not be true of a newer config. */
export async function saveAccountFacts(
  db: Db,
  shop: Shop,
  { id, config }: Pick<StoredConfig, 'id' | 'config'>,
  learned: GatewayConfig = {},
): Promise<void> {
  if (Object.entries(learned).every(([name, value]) => config[name] === value)) return
  await replaceConfig(db, shop, { id, config, is_deleted: false }, { ...config, ...learned })
}
