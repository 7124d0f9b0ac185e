// File services of one installation: the store, the folder for incoming files, and the downloader.

import { join } from 'node:path'
import { diskStore } from './disk.ts'
import { createFileDownloader, type FileDownloader } from './download.ts'
import { type S3Settings, s3Store } from './s3.ts'
import type { FileStore } from './store.ts'

export type FileServices = { readonly store: FileStore; readonly incoming: string; readonly download: FileDownloader }

export type FileOptions = {
  /** Folder for stored files, unless there is an S3 store, and for incoming files in any case. */
  dataDir: string
  s3?: S3Settings | null
  /** Allows downloads from private network addresses. */
  allowPrivateAddresses?: boolean
}

export function createFileServices({ dataDir, s3 = null, allowPrivateAddresses = false }: FileOptions): FileServices {
  const folder = join(dataDir, 'files')
  return {
    store: s3 === null ? diskStore(folder) : s3Store(s3),
    // On the same file system as the store, so that storing a file is a rename.
    incoming: join(folder, 'incoming'),
    download: createFileDownloader({ allowPrivateAddresses }),
  }
}
