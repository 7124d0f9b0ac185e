// Findings of `cartwright doctor` about webhooks: failing ones, those switched off for it, and those with a lost secret key.

import { listLostSecrets } from '../../api/webhooks/reencrypt.ts'
import { listFailingWebhooks } from '../../api/webhooks/store.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/db.ts'
import { credentialKeysOf } from '../../keys/credential-keys.ts'
import { createCredentials } from '../../keys/credentials.ts'
import { toOneLine } from '../../lib/text.ts'
import type { Finding } from '../shards.ts'

const MAX_NAMED = 20

type WebhookRow = { readonly merchant_id: number; readonly id: string; readonly is_sandbox: boolean }

const nameOf = ({ merchant_id, id, is_sandbox }: WebhookRow) =>
  `webhook: ${id} of merchant ${merchant_id}, ${is_sandbox ? 'sandbox' : 'live'}`

export async function webhookFindings(db: Db, config: Config): Promise<Finding[]> {
  try {
    return await findings(db, config)
  } catch (error) {
    // The credential findings have already reported a key file without a key.
    if (error instanceof Error && 'isForOperator' in error) return []
    throw error
  }
}

async function findings(db: Db, config: Config): Promise<Finding[]> {
  const failing = (await listFailingWebhooks(db, MAX_NAMED)).map((row): Finding => {
    const where = row.url === null ? '' : ` (${toOneLine(row.url.replace(/[?#].*$/s, ''), 80)})`
    const since = row.failing_since?.toISOString().slice(0, 16).replace('T', ' ') ?? ''
    const end = row.disabled_reason === null ? 'it is retried automatically' : 'it was switched off'
    return { ok: true, isWarning: true, text: `${nameOf(row)}${where}: nothing has arrived since ${since} UTC; ${end}` }
  })
  const lostRows = await listLostSecrets({ db, credentials: createCredentials(credentialKeysOf(config)) })
  const lostFindings = lostRows.slice(0, MAX_NAMED).map(
    (row): Finding => ({
      ok: false,
      text: `${nameOf(row)}: no key decrypts its signing secret; restore the lost key, or rotate the secret`,
    }),
  )
  return [...failing, ...lostFindings]
}
