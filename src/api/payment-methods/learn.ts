// Learns facts about the configured account from its provider, such as its currency.
// A job asks for them when a gateway is set up or changed, so that nobody waits for a provider that is down. A capture that cannot be paid
// there is then refused before anything is held. Until the facts are known, the provider itself refuses.

import type { Shop, Tx } from '../../db/db.ts'
import type { GatewayConfig } from '../../gateways/call.ts'
import type { GatewayDefinition } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { checkAtProvider, saveAccountFacts } from './check.ts'
import { findPaymentMethod, type PaymentMethodRow } from './store.ts'

const LEARN = 'gateways.learn'

type LearnPayload = { id: string }

/** Known facts about the account, from a config as it is stored. */
export const knownAccountFacts = ({ accountFacts = [] }: GatewayDefinition, config: GatewayConfig): GatewayConfig =>
  Object.fromEntries(accountFacts.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])))

/** Enqueues the job if facts are unknown, but not for simulated payments. */
export async function scheduleAccountFacts(
  tx: Tx,
  { merchant_id }: Shop,
  gateway: GatewayDefinition,
  { id, is_simulated: isSimulated, config }: PaymentMethodRow,
  now: Date,
): Promise<void> {
  const isKnown = Object.keys(knownAccountFacts(gateway, config)).length === (gateway.accountFacts?.length ?? 0)
  if (isSimulated || isKnown) return
  // Replaces a job that asks about the previous setup.
  await enqueue(tx, {
    merchant_id,
    kind: LEARN,
    key: id,
    payload: { id } satisfies LearnPayload,
    provider: gateway.code,
    runAt: now,
    replaces: true,
  })
}

export const fetchAccountFacts = ({ payments }: Pick<Services, 'payments'>): JobHandler => ({
  kind: LEARN,
  lane: 'provider',
  async handle({ db, payload, merchant_id }) {
    const { id } = payload as LearnPayload
    const method = await findPaymentMethod(db, { merchant_id }, id)
    if (method === null || method.is_simulated) return
    // Retried if it throws. The merchant has to correct unknown credentials, and the job then runs again.
    const { learned } = await checkAtProvider({ payments }, merchant_id, method)
    await saveAccountFacts(db, { merchant_id }, method, learned)
  },
})
