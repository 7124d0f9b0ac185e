// Puts the demo shop's pictures and downloads from the package's demo/ folder into the file store.

import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FILE_LIMIT, storeFile } from '../api/assets/file.ts'
import type { StoredFile } from '../api/assets/store.ts'
import { receiveFile } from '../files/receive.ts'
import { newId } from '../lib/ids.ts'
import { ROOT } from '../root.ts'

/** Folders and store of files, as assets use them. */
export type AssetFileServices = Parameters<typeof storeFile>[0]

export type DemoFile = {
  /** Id of the asset that it becomes. */
  readonly id: string
  /** Name used in the demo data; pictures have no extension there. */
  readonly name: string
  readonly filename: string
  readonly isDownload: boolean
  readonly stored: StoredFile
}

export const demoFolder = fileURLToPath(new URL('demo/', ROOT))

/** Number of files stored in parallel, because each waits for the disk or for S3. */
const PARALLEL = 6

/**
 * Stores all files. Adds each to `stored` as soon as it is saved, so that the caller can remove them after an error. If one fails, it waits
 * for the running ones, or they would arrive after that removal.
 */
export async function storeDemoFiles(
  files: AssetFileServices,
  merchant_id: number,
  now: Date,
  stored: DemoFile[],
): Promise<void> {
  const queue = (await listDemoFiles()).values()
  const storeNext = async () => {
    for (const { path, isDownload } of queue) stored.push(await storeOne(files, merchant_id, now, path, isDownload))
  }
  const results = await Promise.allSettled(Array.from({ length: PARALLEL }, storeNext))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function listDemoFiles() {
  const list = async (folder: string, isDownload: boolean) =>
    (await readdir(join(demoFolder, folder))).map((file) => ({ path: join(demoFolder, folder, file), isDownload }))
  return [...(await list('pictures', false)), ...(await list('downloads', true))]
}

async function storeOne(
  files: AssetFileServices,
  merchant_id: number,
  now: Date,
  path: string,
  isDownload: boolean,
): Promise<DemoFile> {
  const id = newId('asset', now)
  const filename = basename(path)
  const file = await receiveFile(await readFile(path), FILE_LIMIT, files.incoming)
  const stored = await storeFile(files, { merchant_id, assetId: id, filename, field: 'contents' }, file)
  return { id, name: isDownload ? filename : basename(path, extname(path)), filename, isDownload, stored }
}

/** Removes files stored for rows that will not exist. A daily sweep removes files that cannot be removed now. */
export async function removeDemoFiles({ store }: AssetFileServices, stored: readonly DemoFile[]): Promise<void> {
  await Promise.allSettled(stored.map(({ stored: { file_key } }) => store.remove(file_key)))
}
