// What a provider says of the account that is set up, as which currency it takes: asked for by a job when a gateway is set up or changed, so that
// nobody waits for a provider that is down, and a capture that cannot be paid there is refused before anything is held. Until it is known the
// provider itself refuses.

import type { Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import type { GatewayConfig } from '../../gateways/call.ts'
import type { Gateway } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { askProvider, keepLearned } from './check.ts'
import { findPaymentMethod, type PaymentMethodRow } from './store.ts'

const LEARN = 'gateways.learn'

type LearnPayload = { id: string }

/** What is known of the account, of a config as it is stored. */
export const learnedIn = ({ learned = [] }: Gateway, config: GatewayConfig): GatewayConfig =>
  Object.fromEntries(learned.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])))

/** Has the provider asked for what is not known yet; not where payments are made up. */
export async function learnLater(
  tx: Tx,
  { merchantId }: Shop,
  gateway: Gateway,
  { id, is_simulated: isSimulated, config }: PaymentMethodRow,
  now: Date,
): Promise<void> {
  const isKnown = Object.keys(learnedIn(gateway, config)).length === (gateway.learned?.length ?? 0)
  if (isSimulated || isKnown) return
  // In the place of one that is asking for what was set up before.
  await enqueue(tx, {
    merchantId,
    kind: LEARN,
    key: id,
    payload: { id } satisfies LearnPayload,
    provider: gateway.code,
    runAt: now,
    replaces: true,
  })
}

export const learn = ({ payments }: Pick<Services, 'payments'>): JobHandler => ({
  kind: LEARN,
  lane: 'provider',
  async handle({ db, payload, merchantId }) {
    const { id } = payload as LearnPayload
    const method = await findPaymentMethod(db, { merchantId }, id)
    if (method === null || method.is_simulated) return
    // Tried again where it throws. Credentials that are not known are the merchant's to mend, and then asked with anew.
    const { learned } = await askProvider({ payments }, merchantId, method)
    await keepLearned(db, { merchantId }, method, learned)
  },
})
