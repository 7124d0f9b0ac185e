// Goes through the credentials of all merchants: seals those that an earlier release left plain, seals all of them with another key, or
// reports their state.
// Each row is changed separately, and only if it still holds what was read, because a merchant may be changing it. So a run can be
// interrupted, repeated, and made by several processes at once.

import type { Db } from '../../db/db.ts'
import type { WorkerLog } from '../../jobs/job.ts'
import type { CredentialKeys } from '../../keys/credential-keys.ts'
import { type Credentials, sealedText } from '../../keys/credentials.ts'
import { openSecrets, sealSecrets, storedSecrets } from './credentials.ts'
import { findMethodOrDeleted, listMethodsOfAll, replaceConfig, type StoredConfig } from './store.ts'

type ResealContext = {
  readonly db: Db
  readonly credentials: Credentials
  readonly keys: Pick<CredentialKeys, 'list'>
}

/**
 * `current`: sealed with the first key. `older`: sealed with another available key. `plain`: readable, as an earlier release left it.
 * `lost`: cannot be opened, so it has to be entered again.
 */
export type CredentialState = 'current' | 'older' | 'plain' | 'lost'

type Reseal = {
  /** Number of gateways that this run has sealed. */
  readonly sealed: number
  /** Gateways with credentials that cannot be opened. They stay unchanged, because the key may come back. */
  readonly lost: readonly StoredConfig[]
  /** Number of gateways that stay plain, because there is no key to seal with. */
  readonly plain: number
}

const BATCH = 100

/** Every gateway with credentials, of all merchants. */
async function* everyMethod(db: Db): AsyncGenerator<StoredConfig> {
  // Deleted gateways come last, so that one that is deleted meanwhile is not missed.
  yield* methodsAfter(db, { merchant_id: 0, id: '', is_deleted: false })
  yield* methodsAfter(db, { merchant_id: 0, id: '', is_deleted: true })
}

async function* methodsAfter(db: Db, first: Parameters<typeof listMethodsOfAll>[1]): AsyncGenerator<StoredConfig> {
  for (let after = first; ; ) {
    const methods = await listMethodsOfAll(db, after, BATCH)
    yield* methods.filter(({ code, config }) => storedSecrets(code, config).length > 0)
    const last = methods.at(-1)
    if (last === undefined || methods.length < BATCH) return
    after = last
  }
}

type KeyedContext = ResealContext & {
  /** Id of the key that seals; null if there is none yet. */
  readonly firstId: string | null
}

const withFirstKey = async (context: ResealContext): Promise<KeyedContext> => ({
  ...context,
  firstId: (await context.keys.list())[0]?.id ?? null,
})

async function stateOf({ credentials, firstId }: KeyedContext, method: StoredConfig): Promise<CredentialState> {
  const { merchant_id, id, code, config } = method
  if ((await openSecrets(credentials, { merchant_id, id }, code, config)) === null) return 'lost'
  const sealedWith = storedSecrets(code, config).map(([, stored]) => sealedText(stored)?.keyId ?? null)
  if (sealedWith.includes(null)) return 'plain'
  return sealedWith.every((keyId) => keyId === firstId) ? 'current' : 'older'
}

/** State of the credentials of every gateway. Changes nothing, and makes no key. */
export async function* inspectCredentials(
  context: ResealContext,
): AsyncGenerator<{ readonly method: StoredConfig; readonly state: CredentialState }> {
  const keyContext = await withFirstKey(context)
  for await (const method of everyMethod(context.db)) {
    const state = await stateOf(keyContext, method)
    if (!isGivenUp(method, state)) yield { method, state }
  }
}

/** True for lost credentials of a deleted gateway, because nobody can enter them again. */
const isGivenUp = ({ is_deleted: isDeleted }: StoredConfig, state: string): boolean => isDeleted && state === 'lost'

/** Seals the credentials in one of these states with the first key. */
export async function resealCredentials(
  context: ResealContext,
  states: readonly ('older' | 'plain')[],
  signal?: AbortSignal,
): Promise<Reseal> {
  const keyContext = await withFirstKey(context)
  let sealed = 0
  let plain = 0
  const lost: StoredConfig[] = []
  for await (const method of everyMethod(context.db)) {
    if (signal?.aborted) break
    const end = await resealMethod(keyContext, method, states)
    if (end === 'sealed') sealed++
    if (end === 'plain') plain++
    if (end === 'lost' && !isGivenUp(method, end)) lost.push(method)
  }
  return { sealed, lost, plain }
}

/** Repeats while others change the row in between: they may have sealed it with the older key. */
async function resealMethod(
  context: KeyedContext,
  initialMethod: StoredConfig,
  states: readonly CredentialState[],
): Promise<CredentialState | 'sealed' | 'gone'> {
  const { db, credentials } = context
  const { merchant_id, id, code } = initialMethod
  const owner = { merchant_id, id }
  for (let method = initialMethod; ; ) {
    const { config } = method
    const state = await stateOf(context, method)
    if (!states.includes(state)) return state
    const secrets = await openSecrets(credentials, owner, code, config)
    const sealedSecrets = secrets && (await sealSecrets(credentials, owner, secrets))
    // There is no key to seal with.
    if (sealedSecrets === null) return state
    if (await replaceConfig(db, { merchant_id }, method, { ...config, ...sealedSecrets })) return 'sealed'
    const row = await findMethodOrDeleted(db, { merchant_id }, id)
    if (row === null) return 'gone'
    method = { ...row, merchant_id }
  }
}

export type Sealing = { stop(): Promise<void> }

/** Runs at the start of the service. Seals what an earlier release has stored plain, while the service works; it can read both. */
export function startSealing(context: ResealContext, log: WorkerLog): Sealing {
  const stopping = new AbortController()
  const sealing = resealCredentials(context, ['plain'], stopping.signal).then(
    ({ sealed, lost, plain }) => {
      if (sealed > 0) log.info({ gateways: sealed }, 'Credentials that were stored as plain text are now encrypted.')
      if (plain > 0)
        log.warn(
          { gateways: plain },
          'Credentials are stored as plain text, because CREDENTIALS_KEY is not set. Set it and restart the service.',
        )
      if (lost.length > 0)
        log.error(
          { gateways: lost.length },
          'Credentials cannot be decrypted: this service does not have their key. Run cartwright doctor to list their gateways.',
        )
    },
    (error: unknown) => log.warn({ err: error }, 'The stored credentials of gateways could not be checked.'),
  )
  return {
    async stop() {
      stopping.abort()
      await sealing
    },
  }
}
