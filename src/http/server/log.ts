// Structured logs, one JSON object a line. Every line passes the redactor as text, so that a key, token or card number cannot
// reach the log by any road: a message, an error's details or a field somebody adds later.
// Logs go to standard error: standard output is what a command answers. Also the ids by which requests are found in them.

import type { IncomingMessage } from 'node:http'
import { type DestinationStream, type Logger, pino } from 'pino'
import { newId } from '../../lib/ids.ts'
import { redact } from '../../lib/redact.ts'
import type { IsTrusted } from './trusted-proxies.ts'

export type Log = Logger

export function createLog(level: string, write: (line: string) => void = gatheringWriter()): Log {
  const stream: DestinationStream = { write: (line) => write(redact(line)) }
  return pino(
    {
      level,
      base: undefined,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    stream,
  )
}

/** A write for each line would take as long as making it. */
const GATHER_MS = 20
const GATHER_CHARACTERS = 65_536
/** Whoever looks for these may look at once, and after a crash. */
const URGENT = /^\{"level":"(?:warn|error|fatal)"/

/** Lines go out together, those that wait also when the process ends: by a signal or an error, which main.ts turns into an exit. */
function gatheringWriter(): (line: string) => void {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = lines
    lines = ''
    if (text !== '') process.stderr.write(text)
  }
  process.on('exit', flush)
  return (line) => {
    lines += line
    if (lines.length > GATHER_CHARACTERS || URGENT.test(line)) flush()
    else timer ??= setTimeout(flush, GATHER_MS).unref()
  }
}

/** So many causes of causes: somebody may have tied two into a ring. */
const MOST_CAUSES = 4

/** What has caused an error, and what caused that. Several refused addresses of one host have a code and no sentence. */
function causesOf(error: Error): string | undefined {
  const sentences: string[] = []
  for (let cause = error.cause; cause instanceof Error && sentences.length < MOST_CAUSES; cause = cause.cause)
    sentences.push(cause.message || ('code' in cause ? String(cause.code) : cause.name))
  return sentences.length === 0 ? undefined : sentences.join(' ')
}

/**
 * Name, message, code, whose failure it is, and the stack where it has one: PostgreSQL's `detail` and `where` quote the row, which may be anybody's
 * address.
 */
function describeError(error: unknown) {
  // Not even String() can be relied on: it throws on an object without a prototype.
  if (!(error instanceof Error))
    return { message: typeof error === 'object' ? Object.prototype.toString.call(error) : String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? String(error.code) : undefined
  const provider = 'provider' in error && error.provider !== null ? String(error.provider) : undefined
  return { name, message, code, provider, cause: causesOf(error), stack }
}

// The id of a request: in its answer, in its log lines, and in the words of a 500.

const SAFE_ID = /^[\w.-]{8,100}$/

export const newRequestId = () => newId('request', new Date())

/** Ours, or the proxy's own where the peer is a proxy we trust, so that its log and ours can be read together. */
export const requestIds = (isTrusted: IsTrusted) => (request: IncomingMessage) => {
  const proxyId = request.headers['x-request-id']
  const isGood = typeof proxyId === 'string' && SAFE_ID.test(proxyId)
  return isGood && isTrusted(request.socket.remoteAddress ?? '', 0) ? proxyId : newRequestId()
}
