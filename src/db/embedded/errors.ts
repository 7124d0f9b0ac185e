// The one kind of failure the embedded PostgreSQL shows to a person: a single sentence, no stack.
// Everything here is about turning what the system says into that sentence.

import { dirname, join, resolve, sep } from 'node:path'

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
  const sentence =
    folderProblem(error, dataDir) ?? `PostgreSQL could not be run in the data folder ${dataDir}: ${error.message}.`
  return new EmbeddedError(sentence, { cause: error })
}

/** What is wrong with a data folder, and what to do about it; undefined where the system complains of something else. */
export function folderProblem(error: Error, dataDir: string): string | undefined {
  const { path: named } = error as NodeJS.ErrnoException
  if (named === undefined) return undefined
  const path = resolve(named)
  if (!isWithin(path, dataDir) && !isWithin(dataDir, path)) return undefined
  const folder = `The data folder ${dataDir}`
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${folder} is not open to this user (${error.message}): let this user write there, or set DATA_DIR to another folder.`
    case 'EEXIST':
    case 'ENOTDIR':
      return `${folder} is a file, or lies below one: set DATA_DIR to a folder.`
    case 'EROFS':
      return `${folder} is on a disk that can only be read: set DATA_DIR to a folder on another.`
    case 'ENOSPC':
    case 'EDQUOT':
      return `${folder} is on a disk that is full: make room there, or set DATA_DIR to a folder on another.`
    case 'ENOENT':
    case 'ENAMETOOLONG':
      // Of what lies deeper, another folder would be the wrong advice: the database is in this one.
      return isWithin(dataDir, path) || dirname(path) === dataDir
        ? `${folder} cannot be used (${error.message}): set DATA_DIR to another.`
        : undefined
    default:
      return undefined
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(join(folder, sep))

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
