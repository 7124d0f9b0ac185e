// The one kind of failure the embedded PostgreSQL shows to a person: a single sentence, no stack.
// Everything here is about turning what the system says into that sentence.

/** Something the person who starts Cartwright can understand and act on. The message is one sentence. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
  readonly isForOperator = true
}

/** The `code` of a system error (`EACCES`) or of a PostgreSQL error (`3D000`). */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** A full disk or a folder of another user is not a bug in Cartwright, so the person gets a sentence, not a stack. */
export function asSentence(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedError || !(error instanceof Error) || !('syscall' in error)) return error
  return new EmbeddedError(`PostgreSQL could not be run in the data folder ${dataDir}: ${error.message}.`, {
    cause: error,
  })
}

/** The line of PostgreSQL's output that says why it gave up; it is rarely the very last one. */
export function reasonIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const fatal =
    // A full disk makes more than one step fail, and what is said last is seldom why.
    lines.find((line) => line.includes('No space left on device')) ??
    lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ??
    lines.findLast((line) => /\berror:/i.test(line))
  return (fatal ?? lines.at(-1))?.replace(/^.*?\b(?:FATAL|PANIC|ERROR|error):\s*/, '').trim()
}
