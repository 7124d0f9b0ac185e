// A small file of secrets that a command creates for itself. It is JSON, readable only by the command's user, and always replaced as a
// whole.

import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { chownToFolderOwner, foldersOf, makeDataDir } from '../../db/embedded/folders.ts'

/** A missing or unreadable JSON file counts as empty. */
export async function readPrivateFile(file: string): Promise<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'))
    return typeof content === 'object' && content !== null && !Array.isArray(content) ? { ...content } : {}
  } catch (error) {
    // A file without read permission must not count as missing: it would be overwritten.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

export async function writePrivateFile(file: string, content: Record<string, unknown>): Promise<void> {
  const folders = foldersOf(dirname(file))
  makeDataDir(folders)
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    chownToFolderOwner(draft, folders)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

export const fileInDataDir = ({ dataDir }: Pick<Config, 'dataDir'>, name: string): string => join(dataDir, name)

/** For services elsewhere: their data folder is on another machine. */
export const userConfigFile = (name: string, environment: NodeJS.ProcessEnv = process.env): string =>
  join(environment.XDG_CONFIG_HOME?.trim() || join(homedir(), '.config'), 'cartwright', name)
