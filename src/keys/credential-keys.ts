// The keys that seal the credentials of payment gateways. Never in the database that they protect: they are the operator's setting
// CREDENTIALS_KEY, or, beside the embedded database, a file in the data folder that is made when the first credentials are entered.
// The first key seals, all of them open.

import { createHash, randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { foldersOf, giveToFolderOwner, makeDataDir } from '../db/embedded/folders.ts'
import { KEY_BYTES, keysFrom } from '../lib/credentials/keys.ts'

/** `id` tells which key has sealed a text, and nothing of the key. */
export type CredentialKey = { readonly id: string; readonly bytes: Uint8Array }

export type CredentialKeys = {
  /** As they are; none is made. The first seals. */
  list(): Promise<readonly CredentialKey[]>
  /** The key to seal with, made where it may be; null where the operator has to set one. */
  first(): Promise<CredentialKey | null>
  /** The key of that id; null when it is not there, or not any more. */
  find(id: string): Promise<CredentialKey | null>
}

/** Changing this loses every sealed credential: stored texts name their key by it. */
export const keyOf = (bytes: Uint8Array): CredentialKey => ({
  id: createHash('sha256').update('cartwright credentials key\n').update(bytes).digest('base64url').slice(0, 12),
  bytes,
})

/** What the settings say of the keys. */
export type KeySettings = {
  /** CREDENTIALS_KEY. */
  readonly credentialsKeys: readonly Uint8Array[] | null
  readonly databaseUrl: string | null
  readonly dataDir: string
}

/**
 * Beside a database of the operator's there may be several machines, each with a data folder of its own: a file in one of them would seal what
 * the others cannot open. So there it is the setting, or none.
 */
export function credentialKeysOf({ credentialsKeys, databaseUrl, dataDir }: KeySettings): CredentialKeys {
  if (credentialsKeys !== null) return keysOfSetting(credentialsKeys)
  return databaseUrl === null ? keysInFile(dataDir) : keysOfSetting([])
}

export function keysOfSetting(setting: readonly Uint8Array[]): CredentialKeys {
  const keys = setting.map(keyOf)
  return {
    list: async () => keys,
    first: async () => keys[0] ?? null,
    find: async (id) => keys.find((key) => key.id === id) ?? null,
  }
}

export const credentialKeysFile = (dataDir: string) => join(dataDir, 'credentials.key')

/** The same words as in CREDENTIALS_KEY, on one line or several. */
export function keysInFile(dataDir: string): CredentialKeys {
  const file = credentialKeysFile(dataDir)
  let known: readonly CredentialKey[] = []

  async function read(): Promise<readonly CredentialKey[]> {
    const text = await readFile(file, 'utf8').catch(nullIfMissing)
    if (text === null) return []
    const keys = keysFrom(text)
    if (keys === null) throw new UnusableKeyFile(file)
    known = keys.map(keyOf)
    return known
  }

  return {
    list: read,
    async first() {
      const [first] = known.length > 0 ? known : await read()
      if (first !== undefined) return first
      await makeFile(dataDir, file)
      return (await read())[0] ?? null
    },
    async find(id) {
      const isOfId = (key: CredentialKey) => key.id === id
      // Another process may have made the file, or the operator may have added a key to it.
      return known.find(isOfId) ?? (await read()).find(isOfId) ?? null
    },
  }
}

/**
 * Whole or not at all, and only where there is none: of two processes that come here at once the second finds the file of the first. It is on
 * the disk before anything is sealed with it: credentials must not outlive their key in a power cut.
 */
async function makeFile(dataDir: string, file: string): Promise<void> {
  const folders = foldersOf(dataDir)
  makeDataDir(folders)
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    giveToFolderOwner(draft, folders)
    await link(draft, file).catch(unlessThere)
  } finally {
    await rm(draft, { force: true })
  }
  const folder = await open(dataDir, 'r')
  await folder.sync().finally(() => folder.close())
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code

const nullIfMissing = (error: unknown): null => {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

const unlessThere = (error: unknown): void => {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** Its content is not repeated: most of it may be a key. */
class UnusableKeyFile extends Error {
  override readonly name = 'UnusableKeyFile'
  readonly isForOperator = true

  constructor(file: string) {
    super(`${file} must hold keys of 32 bytes in base64 or hex, one on each line; bring back the one that was there.`)
  }
}
