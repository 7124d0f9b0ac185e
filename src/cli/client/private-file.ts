// A small file of secrets that a command makes for itself: JSON, readable by whoever runs the command alone, replaced whole or not at all.

import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { foldersOf, giveToFolderOwner, makeDataDir } from '../../db/embedded/folders.ts'

/** What is not there, or not ours, counts as empty. */
export async function readPrivate(file: string): Promise<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(await readFile(file, 'utf8'))
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : {}
  } catch (error) {
    // One that may not be read must not be taken for one that is not there: it would be written anew.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

export async function writePrivate(file: string, content: Record<string, unknown>): Promise<void> {
  const folders = foldersOf(dirname(file))
  makeDataDir(folders)
  const written = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await writeFile(written, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    giveToFolderOwner(written, folders)
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}

export const fileInDataDir = ({ dataDir }: Pick<Config, 'dataDir'>, name: string): string => join(dataDir, name)

/** For services elsewhere: there the data folder is on another machine. */
export const fileOfUser = (name: string, environment: NodeJS.ProcessEnv = process.env): string =>
  join(environment.XDG_CONFIG_HOME?.trim() || join(homedir(), '.config'), 'cartwright', name)
