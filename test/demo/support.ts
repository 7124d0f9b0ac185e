// What the tests of the demo shop share: folders to make it in.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Database } from '../../src/db/db.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { createFileServices } from '../../src/files/files.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { HEAD } from '../../src/versions/index.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** Within a test of a file that has its process for itself. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-seed-'))
  folders.push(folder)
  return folder
}

/** At the top of a file, which may share its process with others. */
export async function folderOfFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-seed-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What a start hands over besides its files. */
export const SEED = { publicUrl: null, version: HEAD }

/** As a start does it, with files in the data folder. */
export const seedInto = (db: Database, clock: Clock, dataDir: string) =>
  seedDemo(db, clock, dataDir, { files: createFileServices({ dataDir }), ...SEED })
