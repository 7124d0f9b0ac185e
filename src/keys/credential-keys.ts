// Keys that seal the credentials of payment gateways. They are never in the database that they protect.
// They come from the operator's setting CREDENTIALS_KEY. With the embedded database they can be a file in the data folder, created with the
// first credentials.
// The first key seals, and every key can open.

import { createHash, randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chownToFolderOwner, foldersOf, makeDataDir } from '../db/embedded/folders.ts'
import { KEY_BYTES, parseCredentialKeys } from '../lib/credentials/keys.ts'

/** `id` identifies the key that sealed a text, and reveals nothing about the key. */
export type CredentialKey = { readonly id: string; readonly bytes: Uint8Array }

export type CredentialKeys = {
  /** Existing keys, without creating one. The first one seals. */
  list(): Promise<readonly CredentialKey[]>
  /** Key for sealing, created if allowed. Null if the operator must set one. */
  first(): Promise<CredentialKey | null>
  /** Key with that id; null if it is missing. */
  find(id: string): Promise<CredentialKey | null>
}

/** Changing this loses every sealed credential: stored texts name their key by this id. */
export const toCredentialKey = (bytes: Uint8Array): CredentialKey => ({
  id: createHash('sha256').update('cartwright credentials key\n').update(bytes).digest('base64url').slice(0, 12),
  bytes,
})

/** Settings of the keys. */
export type KeySettings = {
  /** Value of CREDENTIALS_KEY. */
  readonly credentialsKeys: readonly Uint8Array[] | null
  readonly databaseUrl: string | null
  readonly dataDir: string
}

/**
 * An external database may have several machines with separate data folders. A key file on one machine would seal texts that the others
 * cannot open. So an external database requires the setting.
 */
export function credentialKeysOf({ credentialsKeys, databaseUrl, dataDir }: KeySettings): CredentialKeys {
  if (credentialsKeys !== null) return keysOfSetting(credentialsKeys)
  return databaseUrl === null ? keysInFile(dataDir) : keysOfSetting([])
}

export function keysOfSetting(keyBytes: readonly Uint8Array[]): CredentialKeys {
  const keys = keyBytes.map(toCredentialKey)
  return {
    list: async () => keys,
    first: async () => keys[0] ?? null,
    find: async (id) => keys.find((key) => key.id === id) ?? null,
  }
}

export const credentialKeysFile = (dataDir: string) => join(dataDir, 'credentials.key')

/** The file has the same format as CREDENTIALS_KEY, on one line or several. */
export function keysInFile(dataDir: string): CredentialKeys {
  const file = credentialKeysFile(dataDir)
  let loadedKeys: readonly CredentialKey[] = []

  async function read(): Promise<readonly CredentialKey[]> {
    const text = await readFile(file, 'utf8').catch(nullIfMissing)
    if (text === null) return []
    const keys = parseCredentialKeys(text)
    if (keys === null) throw new UnusableKeyFile(file)
    loadedKeys = keys.map(toCredentialKey)
    return loadedKeys
  }

  return {
    list: read,
    async first() {
      const [first] = loadedKeys.length > 0 ? loadedKeys : await read()
      if (first !== undefined) return first
      await makeFile(dataDir, file)
      return (await read())[0] ?? null
    },
    async find(id) {
      const isOfId = (key: CredentialKey) => key.id === id
      // Another process may have created the file, or the operator may have added a key to it.
      return loadedKeys.find(isOfId) ?? (await read()).find(isOfId) ?? null
    },
  }
}

/**
 * Creates the file atomically, and only if there is none: of two concurrent processes the second uses the file of the first.
 * The key is synced to disk before it seals anything: credentials must not outlive their key after a power cut.
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
    chownToFolderOwner(draft, folders)
    await link(draft, file).catch(ignoreExisting)
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

const ignoreExisting = (error: unknown): void => {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** The message does not repeat the content, which may be a key. */
class UnusableKeyFile extends Error {
  override readonly name = 'UnusableKeyFile'
  readonly isForOperator = true

  constructor(file: string) {
    super(`${file} must hold keys of 32 bytes in base64 or hex, one on each line. Restore the file that was there.`)
  }
}
