// The exclusive lock on a data folder. One Node process holds it for its life, and it ends with that process. The kernel keeps it, so there
// are no stale locks and no races to take one over.

import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { programEnv } from './binaries.ts'
import { codeOf, EmbeddedError } from './errors.ts'
import { chownToFolderOwner, type Folders } from './folders.ts'
import { isAlive } from './processes.ts'

export type Purpose = 'server' | 'command'
export type Lock = {
  release(): void
  /** False if another file is in the place of the locked one: the folder was replaced, and the lock protects nothing. */
  isInPlace(): boolean
}
type Holder = { pid: number; purpose: Purpose }

/** Takes the lock. Undefined while another process, or another start in this one, has it. */
export async function tryLock(folders: Folders, purpose: Purpose): Promise<Lock | undefined> {
  const lockedFile = process.platform === 'darwin' ? openLocked(folders) : await openAndLock(folders)
  if (!lockedFile) return undefined
  writeHolder(lockedFile.fd, { pid: process.pid, purpose })
  let isReleased = false
  return {
    isInPlace() {
      const currentFile = statSync(folders.lock, { throwIfNoEntry: false, bigint: true })
      const { dev, ino } = fstatSync(lockedFile.fd, { bigint: true })
      return currentFile?.dev === dev && currentFile.ino === ino
    },
    release() {
      // A second release could close a descriptor number that another file of this process has meanwhile.
      if (isReleased) return
      isReleased = true
      // Clear it first: waiting processes must not read the name of a former holder.
      ftruncateSync(lockedFile.fd)
      lockedFile.free()
    },
  }
}

/** The holder of the lock. Undefined in the moment before a new holder has written its name. */
export function readHolder(folders: Folders): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(folders.lock, 'utf8'))
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('purpose' in value)) return undefined
    const { pid, purpose } = value
    if (typeof pid !== 'number' || (purpose !== 'server' && purpose !== 'command')) return undefined
    // A killed holder leaves its name behind until its successor overwrites it.
    return isAlive(pid) ? { pid, purpose } : undefined
  } catch {
    return undefined
  }
}

/** A full disk does not matter: the lock is held even without the holder's name. */
function writeHolder(fd: number, holder: Holder): void {
  try {
    ftruncateSync(fd)
    writeSync(fd, JSON.stringify(holder), 0)
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error
  }
}

type LockedFile = { fd: number; free(): void }

function openFile(folders: Folders, flags: number): number {
  const fd = openSync(folders.lock, constants.O_RDWR | constants.O_CREAT | flags, 0o600)
  chownToFolderOwner(folders.lock, folders)
  return fd
}

/** macOS takes the lock while opening. The number is O_EXLOCK of its fcntl.h, which Node does not name. */
function openLocked(folders: Folders): LockedFile | undefined {
  try {
    const fd = openFile(folders, 0x20 | constants.O_NONBLOCK)
    return { fd, free: () => closeSync(fd) }
  } catch (error) {
    if (codeOf(error) === 'EAGAIN' || codeOf(error) === 'EWOULDBLOCK') return undefined
    throw error
  }
}

/**
 * flock(1) locks our open file. The lock survives the helper and ends when this process closes the file or dies. It also works between
 * containers that share the folder, where pids mean nothing.
 */
async function openAndLock(folders: Folders): Promise<LockedFile | undefined> {
  const fd = openFile(folders, 0)
  const { status } = spawnSync('flock', ['-n', '-x', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    env: programEnv,
  })
  if (status === 0) return { fd, free: () => closeSync(fd) }
  const lockedFile = status === 1 ? undefined : await bindAbstract(fd)
  if (!lockedFile) closeSync(fd)
  return lockedFile
}

/** For systems without flock(1): an abstract socket. Only one process can bind it, and it ends with that process. */
export function bindAbstract(fd: number): Promise<LockedFile | undefined> {
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref()
    server.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined)
      else reject(new EmbeddedError(`The data folder could not be locked: ${error.message}.`, { cause: error }))
    })
    server.listen(`\0cartwright-${dev}-${ino}`, () => {
      const free = () => {
        server.close()
        closeSync(fd)
      }
      resolve({ fd, free })
    })
  })
}
