// Stores files in a folder of this machine: <folder>/<merchant>/<id>, readable only by this user. Each file is renamed into place after its
// bytes are on the disk. So a crash leaves the whole file or none.

import { copyFile, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { discard, removeAbandoned, temporaryPath } from './receive.ts'
import { checkKey, type FileStore, isErrno, isKey, type ReceivedFile, storeFailure } from './store.ts'

export function diskStore(folder: string): FileStore {
  const pathOf = (key: string): string => {
    checkKey(key)
    return join(folder, key)
  }

  return {
    async put(key, file) {
      try {
        await storeFile(file, pathOf(key), folder)
      } finally {
        await discard(file)
      }
    },

    async open(key, range) {
      const file = await open(pathOf(key), 'r').catch((error) => {
        if (isErrno(error, 'ENOENT')) return null
        throw storeFailure(error)
      })
      if (!file) return null
      try {
        const { size } = await file.stat()
        return { stream: file.createReadStream(range ?? {}), size }
      } catch (error) {
        await file.close()
        throw storeFailure(error)
      }
    },

    async remove(key) {
      await unlink(pathOf(key)).catch((error) => {
        if (!isErrno(error, 'ENOENT')) throw storeFailure(error)
      })
    },

    async listOlderThan(moment, afterKey, limit) {
      const keys: string[] = []
      for (const merchant of await sortedNames(folder)) {
        // All files of this merchant come before `afterKey`.
        if (afterKey !== null && `${merchant}/` < afterKey && !afterKey.startsWith(`${merchant}/`)) continue
        for (const name of await sortedNames(join(folder, merchant))) {
          const key = `${merchant}/${name}`
          if (!isKey(key) || (afterKey !== null && key <= afterKey)) continue
          if (!(await isOlder(join(folder, key), moment))) continue
          keys.push(key)
          if (keys.length === limit) return keys
        }
      }
      return keys
    },

    async removeUnfinished(moment) {
      try {
        return await removeAbandoned(folder, moment)
      } catch (error) {
        throw storeFailure(error)
      }
    },
  }
}

async function storeFile(file: ReceivedFile, path: string, folder: string): Promise<void> {
  try {
    if (await makeFolder(dirname(path))) await syncFolder(folder)
    await syncFile(file.path)
    await moveInto(path, file, temporaryPath(folder))
    await syncFolder(dirname(path))
  } catch (error) {
    throw storeFailure(error)
  }
}

/** True if it created the folder: its parent must then be synced. */
async function makeFolder(path: string): Promise<boolean> {
  return (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined
}

async function moveInto(path: string, file: ReceivedFile, copy: string): Promise<void> {
  try {
    await rename(file.path, path)
  } catch (error) {
    if (!isErrno(error, 'EXDEV')) throw error
    // The temporary folder is on another file system. The copy's name is no valid key, so nobody ever sees it half written.
    // `removeUnfinished` deletes copies that a killed process left.
    try {
      await copyFile(file.path, copy)
      await syncFile(copy)
      await rename(copy, path)
    } catch (failure) {
      await unlink(copy).catch(() => undefined)
      throw failure
    }
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Without it, a power cut could undo the rename of a file after its row was committed. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Sorted like the keys: with the slash after the merchant, `1/` comes before `10/`. */
async function sortedNames(path: string): Promise<string[]> {
  const names = await readdir(path).catch((error) => {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return []
    throw storeFailure(error)
  })
  return names.sort((one, other) => (`${one}/` < `${other}/` ? -1 : 1))
}

async function isOlder(path: string, moment: Date): Promise<boolean> {
  try {
    return (await stat(path)).mtime < moment
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false
    throw storeFailure(error)
  }
}
