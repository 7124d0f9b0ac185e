// Goes through the signing secrets of all webhooks: seals with the first key what an older one has sealed, or what lies readable because there
// was no key yet. Each row is changed by itself, and only if it still holds what was read.

import type { Db } from '../../db/db.ts'
import type { CredentialKeys } from '../../keys/credential-keys.ts'
import { type Credentials, sealedText } from '../../keys/credentials.ts'
import { openSecret, sealSecret } from './secret.ts'
import { listSecretsOfAll, replaceSecrets, type StoredSecrets } from './store.ts'

type SecretsContext = {
  readonly db: Db
  readonly credentials: Credentials
  readonly keys: Pick<CredentialKeys, 'list'>
}

const BATCH = 100

async function* everyWebhook(db: Db): AsyncGenerator<StoredSecrets> {
  for (let after = { merchant_id: 0, id: '' }; ; ) {
    const rows = await listSecretsOfAll(db, after, BATCH)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = last
  }
}

const keyOf = ({ merchant_id: merchantId, id: webhookId }: StoredSecrets) => ({ merchantId, webhookId })

/** Webhooks whose secret no key opens: nothing is delivered to them until the key is back, or they have another secret. */
export async function lostSecrets({ db, credentials }: Omit<SecretsContext, 'keys'>): Promise<StoredSecrets[]> {
  const lost: StoredSecrets[] = []
  for await (const row of everyWebhook(db))
    if ((await openSecret(credentials, keyOf(row), row.secret)) === null) lost.push(row)
  return lost
}

/** Gives how many were sealed anew; none where there is no key. What cannot be opened is left as it is: its key may come back. */
export async function resealSecrets({ db, credentials, keys }: SecretsContext): Promise<number> {
  const firstId = (await keys.list())[0]?.id ?? null
  const isCurrent = (stored: string | null) => stored === null || sealedText(stored)?.keyId === firstId
  if (firstId === null) return 0
  let sealed = 0
  for await (const row of everyWebhook(db)) {
    const { secret: stored, previous_secret: previous } = row
    if (isCurrent(stored) && isCurrent(previous)) continue
    const reseal = async (text: string) => {
      const secret = await openSecret(credentials, keyOf(row), text)
      return secret === null ? text : sealSecret(credentials, keyOf(row), secret)
    }
    const next = { secret: await reseal(stored), previous_secret: previous === null ? null : await reseal(previous) }
    if (next.secret === stored && next.previous_secret === previous) continue
    if (await replaceSecrets(db, row, next)) sealed += 1
  }
  return sealed
}
