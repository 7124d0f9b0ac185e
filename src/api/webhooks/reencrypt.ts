// Encrypts the signing secrets of all webhooks with the first key. Some were encrypted with an older key; others are in plain text, because
// there was no key. Each row is updated by itself, and only if it has not changed since it was read.

import type { Db } from '../../db/db.ts'
import type { CredentialKeys } from '../../keys/credential-keys.ts'
import { type Credentials, sealedText } from '../../keys/credentials.ts'
import { decryptSecret, encryptSecret } from './secret.ts'
import { listSecretsOfAll, replaceSecrets, type StoredSecrets } from './store.ts'

type SecretsContext = {
  readonly db: Db
  readonly credentials: Credentials
  readonly keys: Pick<CredentialKeys, 'list'>
}

const BATCH = 100

async function* readAllSecrets(db: Db): AsyncGenerator<StoredSecrets> {
  for (let after = { merchant_id: 0, id: '' }; ; ) {
    const rows = await listSecretsOfAll(db, after, BATCH)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = last
  }
}

const keyOf = ({ merchant_id, id: webhookId }: StoredSecrets) => ({ merchant_id, webhookId })

/** Webhooks with a secret that no key decrypts. They get no deliveries until the key is back, or they have a new secret. */
export async function listLostSecrets({ db, credentials }: Omit<SecretsContext, 'keys'>): Promise<StoredSecrets[]> {
  const lostSecrets: StoredSecrets[] = []
  for await (const row of readAllSecrets(db))
    if ((await decryptSecret(credentials, keyOf(row), row.secret)) === null) lostSecrets.push(row)
  return lostSecrets
}

/**
 * Returns the number of changed webhooks; 0 if there is no key. Secrets that cannot be decrypted stay unchanged, because their key may come
 * back.
 */
export async function reencryptSecrets({ db, credentials, keys }: SecretsContext): Promise<number> {
  const firstKeyId = (await keys.list())[0]?.id ?? null
  if (firstKeyId === null) return 0
  const isCurrent = (stored: string | null) => stored === null || sealedText(stored)?.keyId === firstKeyId
  let changedWebhooks = 0
  for await (const row of readAllSecrets(db)) {
    const { secret: currentSecret, previous_secret: previousSecret } = row
    if (isCurrent(currentSecret) && isCurrent(previousSecret)) continue
    const reencrypt = async (text: string) => {
      const secret = await decryptSecret(credentials, keyOf(row), text)
      return secret === null ? text : encryptSecret(credentials, keyOf(row), secret)
    }
    const newSecrets = {
      secret: await reencrypt(currentSecret),
      previous_secret: previousSecret === null ? null : await reencrypt(previousSecret),
    }
    if (newSecrets.secret === currentSecret && newSecrets.previous_secret === previousSecret) continue
    if (await replaceSecrets(db, row, newSecrets)) changedWebhooks += 1
  }
  return changedWebhooks
}
