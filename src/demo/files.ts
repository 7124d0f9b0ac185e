// The demo shop's files: pictures and downloads from the package's demo/ folder, brought into the file store.

import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FILE_LIMIT, storeFile } from '../api/assets/file.ts'
import type { StoredFile } from '../api/assets/store.ts'
import { receive } from '../files/receive.ts'
import { newId } from '../lib/ids.ts'
import { ROOT } from '../root.ts'

/** Where files lie and where they arrive, as assets know it. */
export type Files = Parameters<typeof storeFile>[0]

export type DemoFile = {
  /** The id of the asset that it becomes. */
  readonly id: string
  /** What the data calls it: pictures without their ending. */
  readonly name: string
  readonly filename: string
  readonly isDownload: boolean
  readonly stored: StoredFile
}

export const demoFolder = fileURLToPath(new URL('demo/', ROOT))

/** Side by side, because each waits for the disk or for an S3 store. */
const LANES = 6

/**
 * Stores all files. Each is added to `stored` as soon as it is there, so that whoever gives up knows what to take back. When one
 * fails, those under way are waited for: they would arrive after everything had been taken back.
 */
export async function storeDemoFiles(files: Files, merchantId: number, now: Date, stored: DemoFile[]): Promise<void> {
  const waiting = (await listDemoFiles()).values()
  const lane = async () => {
    for (const { path, isDownload } of waiting) stored.push(await storeOne(files, merchantId, now, path, isDownload))
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const result of lanes) if (result.status === 'rejected') throw result.reason
}

async function listDemoFiles() {
  const list = async (folder: string, isDownload: boolean) =>
    (await readdir(join(demoFolder, folder))).map((file) => ({ path: join(demoFolder, folder, file), isDownload }))
  return [...(await list('pictures', false)), ...(await list('downloads', true))]
}

async function storeOne(
  files: Files,
  merchantId: number,
  now: Date,
  path: string,
  isDownload: boolean,
): Promise<DemoFile> {
  const id = newId('asset', now)
  const filename = basename(path)
  const received = await receive(await readFile(path), FILE_LIMIT, files.incoming)
  const stored = await storeFile(files, { merchantId, assetId: id, filename, field: 'contents' }, received)
  return { id, name: isDownload ? filename : basename(path, extname(path)), filename, isDownload, stored }
}

/** Takes back what was stored for rows that will not be. What cannot be removed now is swept a day later. */
export async function removeDemoFiles({ store }: Files, stored: readonly DemoFile[]): Promise<void> {
  await Promise.allSettled(stored.map(({ stored: { file_key } }) => store.remove(file_key)))
}
