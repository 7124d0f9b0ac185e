// The statements that reached PostgreSQL during a run, read from its JSON log (see test/support/global-setup.ts).

import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** `name` is the one it was prepared under; null for a text that was sent as it is. */
export type Sent = { name: string | null; text: string }

/** What src/db/pool.ts connects as. Migrations and the tests' own connections have other names. */
const SERVICE = 'cartwright'

/** A statement of the service, by the connection that sent it. */
export type SentBy = { session: string; sent: Sent }

/** What the service has sent, in its order, log after log of the folder; a part of a log at a time, since all of them are some gigabytes. */
export async function* readLogs(folder: string): AsyncGenerator<SentBy[]> {
  for (const log of await readdir(folder)) {
    let rest = ''
    for await (const part of createReadStream(join(folder, log), { encoding: 'utf8', highWaterMark: 1_048_576 })) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      yield lines.flatMap((line) => sentBy(line, log) ?? [])
    }
    const last = sentBy(rest, log)
    if (last !== null) yield [last]
  }
}

const known = new Map<string, Sent | null>()

/**
 * Most lines tell of a statement that another has told of: their texts are compared as they stand, and read once. In JSON a quote within a text
 * has a stroke before it, so that these three characters end one.
 */
function sentBy(line: string, log: string): SentBy | null {
  const start = line.indexOf('"message":"')
  const end = line.indexOf('","', start + 11)
  if (start === -1 || end === -1 || !line.includes(`"application_name":"${SERVICE}"`, end)) return null
  const text = line.slice(start, end)
  const read = known.get(text)
  const sent = read === undefined ? sentIn(line) : read
  // A copy: a piece of the log would keep all of its part in memory.
  if (read === undefined) known.set(Buffer.from(text).toString(), sent)
  if (sent === null) return null
  const [, session = ''] = /"session_id":"([^"]*)"/.exec(line.slice(0, start)) ?? []
  // Logs of several servers may have connections of the same name.
  return { session: `${log} ${session}`, sent }
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
