// All that has to do with the files of one installation: where they lie, where they arrive, and how they are fetched.

import { join } from 'node:path'
import { diskStore } from './disk.ts'
import { type Download, downloader } from './download.ts'
import { type S3Settings, s3Store } from './s3.ts'
import type { FileStore } from './store.ts'

/** Where files lie, the folder they arrive in, and how to fetch one from elsewhere. */
export type Files = { readonly store: FileStore; readonly incoming: string; readonly download: Download }

export type FileOptions = {
  /** Where files lie, unless there is an S3 store, and where they arrive in any case. */
  dataDir: string
  s3?: S3Settings | null
  /** Whether files may be fetched from private network addresses. */
  allowPrivateAddresses?: boolean
}

export function filesOf({ dataDir, s3 = null, allowPrivateAddresses = false }: FileOptions): Files {
  const folder = join(dataDir, 'files')
  return {
    store: s3 === null ? diskStore(folder) : s3Store(s3),
    // On the same file system as the store, so that storing a file is a rename.
    incoming: join(folder, 'incoming'),
    download: downloader({ allowPrivateAddresses }),
  }
}
