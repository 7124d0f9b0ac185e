// Reseals the signing secrets of all webhooks with the first key: those sealed with an older key, and those stored in plain text because
// there was no key. Each row is updated separately, and only if it is unchanged since the read.

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

const keyOf = ({ merchant_id, id: webhookId }: StoredSecrets) => ({ merchant_id, webhookId })

/** Webhooks with a secret that no key opens. They get no deliveries until the key is back, or they have a new secret. */
export async function listLostSecrets({ db, credentials }: Omit<SecretsContext, 'keys'>): Promise<StoredSecrets[]> {
  const unreadable: StoredSecrets[] = []
  for await (const row of everyWebhook(db))
    if ((await openSecret(credentials, keyOf(row), row.secret)) === null) unreadable.push(row)
  return unreadable
}

/**
 * Returns the number of resealed webhooks; 0 without a key. Secrets that cannot be opened stay unchanged, because their key may come back.
 */
export async function resealSecrets({ db, credentials, keys }: SecretsContext): Promise<number> {
  const firstId = (await keys.list())[0]?.id ?? null
  const isCurrent = (stored: string | null) => stored === null || sealedText(stored)?.keyId === firstId
  if (firstId === null) return 0
  let resealedCount = 0
  for await (const row of everyWebhook(db)) {
    const { secret: currentSecret, previous_secret: previousSecret } = row
    if (isCurrent(currentSecret) && isCurrent(previousSecret)) continue
    const reseal = async (text: string) => {
      const secret = await openSecret(credentials, keyOf(row), text)
      return secret === null ? text : sealSecret(credentials, keyOf(row), secret)
    }
    const next = {
      secret: await reseal(currentSecret),
      previous_secret: previousSecret === null ? null : await reseal(previousSecret),
    }
    if (next.secret === currentSecret && next.previous_secret === previousSecret) continue
    if (await replaceSecrets(db, row, next)) resealedCount += 1
  }
  return resealedCount
}
