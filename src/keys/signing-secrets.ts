// The keys that sign addresses: made when first needed, kept in the database, the same in every process.

import { randomBytes } from 'node:crypto'
import { type Db, statement } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

/** The secret of that name. Read once per process: it never changes. */
export type SigningSecrets = (name: string) => Promise<Uint8Array>

const find = statement<{ secret: Buffer }>('signing_secrets.find', 'select secret from signing_secrets where name = $1')

// Of two processes that make it at once, the first wins and both read its secret.
const make = statement(
  'signing_secrets.make',
  'insert into signing_secrets (name, secret, created_at) values ($1, $2, $3) on conflict (name) do nothing',
)

const BYTES = 32

export function signingSecrets(db: Db, clock: Clock): SigningSecrets {
  const known = new Map<string, Promise<Uint8Array>>()

  async function load(name: string): Promise<Uint8Array> {
    const found = await db.maybe(find, [name])
    if (found) return found.secret
    await db.run(make, [name, randomBytes(BYTES), clock.now()])
    return (await db.one(find, [name])).secret
  }

  return (name) => {
    const secret = known.get(name)
    if (secret) return secret
    const loading = load(name)
    known.set(name, loading)
    // An outage must not be remembered as the secret.
    loading.catch(() => known.delete(name))
    return loading
  }
}
