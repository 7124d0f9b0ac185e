// The keys that sign addresses: made when first needed, kept in the database, the same in every process.

import { randomBytes } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { findSecret, insertSecret, readSecret } from './store.ts'

/** The secret of that name. Read once per process: it never changes. */
export type SigningSecrets = (name: string) => Promise<Uint8Array>

const BYTES = 32

export function signingSecrets(db: Db, clock: Clock): SigningSecrets {
  const loaded = new Map<string, Promise<Uint8Array>>()

  async function load(name: string): Promise<Uint8Array> {
    const known = await findSecret(db, name)
    if (known !== null) return known
    await insertSecret(db, name, randomBytes(BYTES), clock.now())
    return readSecret(db, name)
  }

  return (name) => {
    const secret = loaded.get(name)
    if (secret) return secret
    const loading = load(name)
    loaded.set(name, loading)
    // An outage must not be remembered as the secret.
    loading.catch(() => loaded.delete(name))
    return loading
  }
}
