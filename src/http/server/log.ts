// Structured logs, one JSON object per line. Every line passes the redactor as text. So no key, token or card number reaches the log by a
// message, an error's details or a new field. Logs go to standard error, because standard output is for the answers of commands. Also
// creates request ids.

import type { IncomingMessage } from 'node:http'
import { type DestinationStream, type Logger, pino } from 'pino'
import { newId } from '../../lib/ids.ts'
import { redact } from '../../lib/redact.ts'
import type { IsTrusted } from './trusted-proxies.ts'

export type Log = Logger

export function createLog(level: string, write: (line: string) => void = batchingWriter()): Log {
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

/** Writing each line separately would take as long as creating it. */
const BATCH_MS = 20
const BATCH_CHARACTERS = 65_536
/** Lines that somebody may look for at once, and after a crash. */
const URGENT = /^\{"level":"(?:warn|error|fatal)"/

/** Writes lines in batches. The rest is written when the process ends: main.ts turns signals and errors into an exit. */
function batchingWriter(): (line: string) => void {
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
    if (lines.length > BATCH_CHARACTERS || URGENT.test(line)) flush()
    else timer ??= setTimeout(flush, BATCH_MS).unref()
  }
}

/** Limit for nested causes, because two of them may form a ring. */
const MAX_CAUSES = 4

/** Messages of the causes of an error. Several refused addresses of one host have a code but no message. */
function describeCauses(error: Error): string | undefined {
  const sentences: string[] = []
  for (let cause = error.cause; cause instanceof Error && sentences.length < MAX_CAUSES; cause = cause.cause)
    sentences.push(cause.message || ('code' in cause ? String(cause.code) : cause.name))
  return sentences.length === 0 ? undefined : sentences.join(' ')
}

/**
 * Logs only name, message, code, provider, causes and stack. PostgreSQL's `detail` and `where` quote rows, which may hold personal data.
 */
function describeError(error: unknown) {
  // Even String() is unsafe: it throws on an object without a prototype.
  if (!(error instanceof Error))
    return { message: typeof error === 'object' ? Object.prototype.toString.call(error) : String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? String(error.code) : undefined
  const provider = 'provider' in error && error.provider !== null ? String(error.provider) : undefined
  return { name, message, code, provider, cause: describeCauses(error), stack }
}

// Request ids, which appear in answers, in log lines and in the message of a 500.

const SAFE_ID = /^[\w.-]{8,100}$/

export const newRequestId = () => newId('request', new Date())

/** A new id, or that of a trusted proxy, so that both logs can be matched. */
export const requestIds = (isTrusted: IsTrusted) => (request: IncomingMessage) => {
  const proxyId = request.headers['x-request-id']
  const isSafe = typeof proxyId === 'string' && SAFE_ID.test(proxyId)
  return isSafe && isTrusted(request.socket.remoteAddress ?? '', 0) ? proxyId : newRequestId()
}
