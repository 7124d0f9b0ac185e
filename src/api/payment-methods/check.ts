// Checks if the provider of a gateway knows the credentials that a merchant has just entered. No money moves.

import type { Db } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { type GatewayConfig, GatewayUnavailable, tagProviderErrors, withDeadline } from '../../gateways/call.ts'
import type { PaymentGateways } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import type { CredentialsCheck } from '../../gateways/provider/story.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import type { GatewayTest } from './schema.ts'
import { findPaymentMethod, replaceConfig, type StoredConfig } from './store.ts'

const ANSWER_MS = 10_000

/** Services that a check needs. */
type CheckServices = { readonly payments: Pick<PaymentGateways, 'charging' | 'credentials'> }

export async function testPaymentMethod(
  context: CheckServices & Pick<Context, 'db' | 'caller'>,
  id: string,
): Promise<GatewayTest> {
  const { db, caller } = context
  const method = await findPaymentMethod(db, caller, id)
  if (method === null) throw notFound('gateway')
  const { isUsable, message, learned } = await checkPaymentMethod(context, caller.merchantId, method)
  await saveAccountFacts(db, caller, method, learned)
  return { id, code: method.code, sandbox: method.is_sandbox, usable: isUsable, message }
}

type MethodToCheck = Omit<StoredConfig, 'merchant_id' | 'is_deleted'>

/** Describes the result in one sentence, also if the check fails. */
export async function checkPaymentMethod(
  services: CheckServices,
  merchantId: number,
  method: MethodToCheck,
): Promise<CredentialsCheck> {
  try {
    return await checkAtProvider(services, merchantId, method)
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
  merchantId: number,
  { id: methodId, code, is_sandbox: isSandbox, is_simulated: isSimulated, config: storedConfig }: MethodToCheck,
): Promise<CredentialsCheck> {
  const name = findGateway(code)?.name ?? code
  if (isSimulated) return { isUsable: true, message: `Payments by ${name} are simulated: no credentials are needed.` }
  const charging = payments.charging(code, isSimulated)
  if (charging === undefined) return { isUsable: false, message: `${name} cannot take payments here.` }
  const { history } = charging
  if (history === undefined) return { isUsable: true, message: `${name} needs no credentials.` }
  return tagProviderErrors({ gateway: code, isSandbox }, async () => {
    const config = await payments.credentials.open({ merchantId, methodId, gateway: code }, storedConfig)
    return withDeadline(ANSWER_MS, (signal) => history.checkCredentials({ merchantId, isSandbox, config, signal }))
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
