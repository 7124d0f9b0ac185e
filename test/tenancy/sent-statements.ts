// The statements that reached PostgreSQL during a run, read from its JSON log (see test/support/global-setup.ts).

import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** `name` is the one it was prepared under; null for a text that was sent as it is. */
export type Sent = { name: string | null; text: string }

/** What src/db/pool.ts connects as. Migrations and the tests' own connections have other names. */
const SERVICE = 'cartwright'

/** Each statement of the service once, however often it was sent, of every log in the folder. */
export async function readSent(folder: string): Promise<Sent[]> {
  const sent = new Map<string, Sent>()
  for (const log of await readdir(folder)) {
    const input = createReadStream(join(folder, log))
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const statement = sentIn(line)
      if (statement) sent.set(`${statement.name}: ${statement.text}`, statement)
    }
  }
  return [...sent.values()]
}

/** The statement of the service that a line of the log tells of, if it does. */
export function sentIn(line: string): Sent | null {
  const entry: { application_name?: string; message?: string } = JSON.parse(line)
  if (entry.application_name !== SERVICE || entry.message === undefined) return null
  const [, text] = /^statement: (.*)$/s.exec(entry.message) ?? []
  if (text !== undefined) return { name: null, text }
  const [, name = '', prepared] = /^execute (?:fetch from )?(\S+?)(?:\/\S+)?: (.*)$/s.exec(entry.message) ?? []
  if (prepared === undefined) return null
  return { name: name === '<unnamed>' ? null : name, text: prepared }
}
