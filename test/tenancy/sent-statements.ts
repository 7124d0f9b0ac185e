// The statements that reached PostgreSQL during a run, read from its log (see test/support/global-setup.ts).

import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** `name` is its prepared name; null for a text that was sent unprepared. */
export type Sent = { name: string | null; text: string }

/** Application name of src/db/pool.ts. Migrations and the tests' own connections use other names. */
const SERVICE = 'cartwright'

/** A statement of the service, with its connection. */
export type SentBy = { session: string; sent: Sent }

/** The beginning of each entry: the session and the name that the client connected as. */
export const LINE_PREFIX = '%c %a '

/** Yields the service's statements in their order, log after log of the folder. Reads in parts: all logs are some gigabytes. */
export async function* readLogs(folder: string): AsyncGenerator<SentBy[]> {
  for (const log of await readdir(folder)) {
    let rest = ''
    for await (const part of createReadStream(join(folder, log), { encoding: 'utf8', highWaterMark: 1_048_576 })) {
      // PostgreSQL begins each further line of an entry with a tab.
      const entries = (rest + part).split(/\n(?!\t|$)/)
      rest = entries.pop() ?? ''
      yield entries.flatMap((entry) => sentBy(entry, log) ?? [])
    }
    const last = sentBy(rest.trimEnd(), log)
    if (last !== null) yield [last]
  }
}

const known = new Map<string, Sent | null>()

/** Most entries repeat the text of an earlier one, and each text is read once. */
function sentBy(entry: string, log: string): SentBy | null {
  const [, session = '', client] = /^(\S+) (\S+) LOG:/.exec(entry) ?? []
  if (client !== SERVICE) return null
  const text = entry.slice(session.length)
  const read = known.get(text)
  const sent = read === undefined ? sentIn(entry) : read
  // A copy: a piece of the log would keep all of its part in memory.
  if (read === undefined) known.set(Buffer.from(text).toString(), sent)
  // Logs of several servers may have connections of the same name.
  return sent && { session: `${log} ${session}`, sent }
}

/** The statement of the service in an entry of the log, or null. */
export function sentIn(entry: string): Sent | null {
  const message = entry.replaceAll('\n\t', '\n')
  const [, text] = new RegExp(`^\\S+ ${SERVICE} LOG: {2}statement: (.*)$`, 's').exec(message) ?? []
  if (text !== undefined) return { name: null, text }
  const pattern = `^\\S+ ${SERVICE} LOG: {2}execute (?:fetch from )?(\\S+?)(?:/\\S+)?: (.*)$`
  const [, name = '', prepared] = new RegExp(pattern, 's').exec(message) ?? []
  if (prepared === undefined) return null
  return { name: name === '<unnamed>' ? null : name, text: prepared }
}
