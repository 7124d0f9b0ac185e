// Turns failures of the embedded PostgreSQL into one sentence for the operator, without a stack.

import { dirname, join, resolve, sep } from 'node:path'

/** An error that the person who starts Cartwright can understand and act on. The message is one sentence. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
  readonly isForOperator = true
}

/** The `code` of a system error (`EACCES`) or of a PostgreSQL error (`3D000`). */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** A full disk or another user's folder is no bug in Cartwright, so the operator gets a sentence, not a stack. */
export function toOperatorError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedError || !(error instanceof Error) || !('syscall' in error)) return error
  const sentence =
    describeFolderProblem(error, dataDir) ??
    `PostgreSQL could not be run in the data folder ${dataDir}: ${error.message}.`
  return new EmbeddedError(sentence, { cause: error })
}

/** The problem with a data folder and its remedy. Undefined if the error is not about the folder. */
export function describeFolderProblem(error: Error, dataDir: string): string | undefined {
  const { path: errorPath } = error as NodeJS.ErrnoException
  if (errorPath === undefined) return undefined
  const path = resolve(errorPath)
  if (!isWithin(path, dataDir) && !isWithin(dataDir, path)) return undefined
  const folder = `The data folder ${dataDir}`
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${folder} cannot be used by this user (${error.message}): give this user write access, or set DATA_DIR to another folder.`
    case 'EEXIST':
    case 'ENOTDIR':
      return `${folder} is a file, or inside one: set DATA_DIR to a folder.`
    case 'EROFS':
      return `${folder} is on a read-only disk: set DATA_DIR to a folder on another disk.`
    case 'ENOSPC':
    case 'EDQUOT':
      return `${folder} is on a full disk: free some space, or set DATA_DIR to a folder on another disk.`
    case 'ENOENT':
    case 'ENAMETOOLONG':
      // For deeper paths, another folder would be the wrong advice: the database is in this one.
      return isWithin(dataDir, path) || dirname(path) === dataDir
        ? `${folder} cannot be used (${error.message}): set DATA_DIR to another folder.`
        : undefined
    default:
      return undefined
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(join(folder, sep))

/** The line of PostgreSQL's output with the reason why it gave up. It is rarely the last one. */
export function findFailureReason(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const fatal =
    // A full disk makes several steps fail, and the last message is seldom the reason.
    lines.find((line) => line.includes('No space left on device')) ??
    lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ??
    lines.findLast((line) => /\berror:/i.test(line))
  return (fatal ?? lines.at(-1))?.replace(/^.*?\b(?:FATAL|PANIC|ERROR|error):\s*/, '').trim()
}
