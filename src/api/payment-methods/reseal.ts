// Goes through the credentials of all merchants: seals those that an earlier release has left readable, seals all anew with another key, or
// tells how they stand. Each row is changed by itself, and only if it still holds what was read: a merchant may be changing it meanwhile. So
// it may be broken off, begun again, and run by several processes at once.

import type { Db } from '../../db/db.ts'
import type { Log } from '../../jobs/job.ts'
import type { CredentialKeys } from '../../keys/credential-keys.ts'
import { type Credentials, sealedText } from '../../keys/credentials.ts'
import { openSecrets, sealSecrets, storedSecrets } from './credentials.ts'
import { findKeptMethod, listMethodsOfAll, replaceConfig, type StoredConfig } from './store.ts'

type ResealContext = {
  readonly db: Db
  readonly credentials: Credentials
  readonly keys: Pick<CredentialKeys, 'list'>
}

/**
 * `current`: sealed with the first key. `older`: with another that is there. `plain`: readable, as an earlier release has left it. `lost`: it
 * cannot be opened, so that it has to be entered again.
 */
export type CredentialState = 'current' | 'older' | 'plain' | 'lost'

type Reseal = {
  /** Gateways whose credentials were sealed by this run. */
  readonly sealed: number
  /** Gateways whose credentials cannot be opened. They are left as they are: the key may come back. */
  readonly lost: readonly StoredConfig[]
  /** Gateways whose credentials are readable still: there is no key to seal with. */
  readonly plain: number
}

const BATCH = 100

/** Every gateway with credentials, of all merchants. */
async function* everyMethod(db: Db): AsyncGenerator<StoredConfig> {
  // The deleted last: one that is deleted meanwhile is not missed.
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
  /** The key that seals; null where there is none yet. */
  readonly firstId: string | null
}

const withFirstKey = async (context: ResealContext): Promise<KeyedContext> => ({
  ...context,
  firstId: (await context.keys.list())[0]?.id ?? null,
})

async function stateOf({ credentials, firstId }: KeyedContext, method: StoredConfig): Promise<CredentialState> {
  const { merchant_id: merchantId, id, code, config } = method
  if ((await openSecrets(credentials, { merchantId, id }, code, config)) === null) return 'lost'
  const sealedWith = storedSecrets(code, config).map(([, stored]) => sealedText(stored)?.keyId ?? null)
  if (sealedWith.includes(null)) return 'plain'
  return sealedWith.every((keyId) => keyId === firstId) ? 'current' : 'older'
}

/** How the credentials of every gateway stand. Changes nothing, and makes no key. */
export async function* inspectCredentials(
  context: ResealContext,
): AsyncGenerator<{ readonly method: StoredConfig; readonly state: CredentialState }> {
  const keyed = await withFirstKey(context)
  for await (const method of everyMethod(context.db)) {
    const state = await stateOf(keyed, method)
    if (!isForgone(method, state)) yield { method, state }
  }
}

/** Of a gateway that its merchant has deleted, nobody can enter them again. */
const isForgone = ({ is_deleted: isDeleted }: StoredConfig, state: string): boolean => isDeleted && state === 'lost'

/** Seals what is in one of `states` with the first key. */
export async function resealCredentials(
  context: ResealContext,
  states: readonly ('older' | 'plain')[],
  signal?: AbortSignal,
): Promise<Reseal> {
  const keyed = await withFirstKey(context)
  let sealed = 0
  let plain = 0
  const lost: StoredConfig[] = []
  for await (const method of everyMethod(context.db)) {
    if (signal?.aborted) break
    const end = await resealMethod(keyed, method, states)
    if (end === 'sealed') sealed++
    if (end === 'plain') plain++
    if (end === 'lost' && !isForgone(method, end)) lost.push(method)
  }
  return { sealed, lost, plain }
}

/** Again, as long as others change it in between: what they wrote may have been sealed with the older key. */
async function resealMethod(
  context: KeyedContext,
  found: StoredConfig,
  states: readonly CredentialState[],
): Promise<CredentialState | 'sealed' | 'gone'> {
  const { db, credentials } = context
  const { merchant_id: merchantId, id, code } = found
  const owner = { merchantId, id }
  for (let method = found; ; ) {
    const { config } = method
    const state = await stateOf(context, method)
    if (!states.includes(state)) return state
    const secrets = await openSecrets(credentials, owner, code, config)
    const sealed = secrets && (await sealSecrets(credentials, owner, secrets))
    // There is no key to seal with.
    if (sealed === null) return state
    if (await replaceConfig(db, { merchantId }, method, { ...config, ...sealed })) return 'sealed'
    const row = await findKeptMethod(db, { merchantId }, id)
    if (row === null) return 'gone'
    method = { ...row, merchant_id: merchantId }
  }
}

export type Sealing = { stop(): Promise<void> }

/** At a start: what an earlier release has stored readable is sealed beside the work of the service, which reads both. */
export function startSealing(context: ResealContext, log: Log): Sealing {
  const stopping = new AbortController()
  const sealing = resealCredentials(context, ['plain'], stopping.signal).then(
    ({ sealed, lost, plain }) => {
      if (sealed > 0) log.info({ gateways: sealed }, 'Credentials that were readable in the database are sealed now.')
      if (plain > 0)
        log.warn(
          { gateways: plain },
          'Credentials are readable in the database, because CREDENTIALS_KEY is not set. Set it, and start again.',
        )
      if (lost.length > 0)
        log.error(
          { gateways: lost.length },
          'Credentials cannot be opened: their key is not among those of this service. cartwright doctor names their gateways.',
        )
    },
    (error: unknown) => log.warn({ err: error }, 'The credentials of gateways could not be looked through.'),
  )
  return {
    async stop() {
      stopping.abort()
      await sealing
    },
  }
}
