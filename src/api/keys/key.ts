// Rules of API keys in the dashboard: how they are shown, and who may make or revoke which. The keys themselves are in
// merchants/merchant.ts.
// Any key can be revoked, even the last one, because the dashboard works without.

import { databaseOf } from '../../db/db.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { forbidden, notFound } from '../../lib/errors.ts'
import { Problems } from '../../lib/problems.ts'
import { createKey, revokeKey } from '../merchants/merchant.ts'
import { type ActiveKeyRow, findActiveKey, listActiveKeys, lockMerchant } from '../merchants/store.ts'
import type { ApiKey, NewKeyBody } from './schema.ts'

type KeyContext = Pick<Context, 'db' | 'clock' | 'caller'>

/** Far more than any shop has servers and pages. */
const MAX_KEYS = 100

export async function listKeys({ db, caller }: KeyContext): Promise<{ data: ApiKey[] }> {
  const rows = await listActiveKeys(db, caller)
  return { data: rows.map(viewKey) }
}

/** The reply is not stored for a repeated Idempotency-Key, because it contains the key. A request that is sent again makes another key. */
export async function createApiKey(
  context: KeyContext & Pick<Context, 'markNotFinal'>,
  { type, sandbox }: NewKeyBody,
): Promise<ApiKey> {
  context.markNotFinal()
  refuseLive(context.caller, sandbox, 'make')
  const { db, clock, caller } = context
  const now = clock.now()
  const { id, text } = await db.transaction(async (tx) => {
    // If two requests make the last key at once, the second waits here and then sees the first one's key.
    await lockMerchant(tx, caller)
    const problems = new Problems()
    if ((await listActiveKeys(tx, caller)).length >= MAX_KEYS)
      problems.refused('type', `cannot be added: the shop has ${MAX_KEYS} keys. Revoke the keys that nobody uses`)
    problems.throwIfAny()
    return createKey({ db: databaseOf(tx), clock: { now: () => now } }, caller.merchant_id, {
      isSecret: type === 'secret',
      is_sandbox: sandbox,
    })
  })
  return { id, type, sandbox, key: text, last_four: text.slice(-4), created: unixSeconds(now), last_used: null }
}

/** Every process refuses the key within a second. */
export async function revokeApiKey(context: KeyContext, id: string): Promise<undefined> {
  const { db, caller } = context
  const row = await findActiveKey(db, caller, id)
  if (row === null) throw notFound('key')
  refuseLive(caller, row.is_sandbox, 'revoke')
  await revokeKey(context, caller.merchant_id, id)
}

/** Only the owner may use live keys: anybody else who could make one would gain all that the owner has. */
function refuseLive({ account }: KeyContext['caller'], is_sandbox: boolean, verb: 'make' | 'revoke') {
  if (!is_sandbox && account?.role !== 'owner') throw forbidden(`Only an owner of the shop may ${verb} live keys.`)
}

const viewKey = (row: ActiveKeyRow): ApiKey => ({
  id: row.id,
  type: row.is_secret ? 'secret' : 'public',
  sandbox: row.is_sandbox,
  key: row.public_key,
  last_four: row.last_four,
  created: row.created,
  last_used: row.last_used,
})
