// The exclusive lock on a data folder: held by one Node process for its life, and gone the moment that process is.
// The kernel keeps it, so there is no stale lock to recognise and no takeover to race for.

import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { programEnv } from './binaries.ts'
import { codeOf, EmbeddedError } from './errors.ts'
import { type Folders, giveToFolderOwner } from './folders.ts'
import { isAlive } from './processes.ts'

export type Purpose = 'server' | 'command'
export type Lock = {
  release(): void
  /** False when another file lies where the locked one did: the folder was replaced, and nobody is kept out of it. */
  isInPlace(): boolean
}
type Holder = { pid: number; purpose: Purpose }

/** Takes the lock, or returns undefined while another process, or another start in this one, has it. */
export async function tryLock(folders: Folders, purpose: Purpose): Promise<Lock | undefined> {
  const held = process.platform === 'darwin' ? openLocked(folders) : await openAndLock(folders)
  if (!held) return undefined
  writeHolder(held.fd, { pid: process.pid, purpose })
  let released = false
  return {
    isInPlace() {
      const there = statSync(folders.lock, { throwIfNoEntry: false, bigint: true })
      const { dev, ino } = fstatSync(held.fd, { bigint: true })
      return there?.dev === dev && there.ino === ino
    },
    release() {
      // A second release would close a descriptor number that has since become some other file of this process.
      if (released) return
      released = true
      // Emptied first: whoever waits must not read the name of a holder that has let go.
      ftruncateSync(held.fd)
      held.free()
    },
  }
}

/** Who has the lock. Undefined in the instant in which the new holder has not yet written its name. */
export function readHolder(folders: Folders): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(folders.lock, 'utf8'))
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('purpose' in value)) return undefined
    const { pid, purpose } = value
    if (typeof pid !== 'number' || (purpose !== 'server' && purpose !== 'command')) return undefined
    // A killed holder leaves its name behind; its successor is about to write another one over it.
    return isAlive(pid) ? { pid, purpose } : undefined
  } catch {
    return undefined
  }
}

/** The lock is held whether or not its holder's name fits on the disk. */
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
  giveToFolderOwner(folders.lock, folders)
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
 * flock(1) locks the open file it is given, which is ours: the lock stays when the helper has ended, and ends when this
 * process closes the file or dies. It also holds between containers that share the folder, where pids mean nothing.
 */
async function openAndLock(folders: Folders): Promise<LockedFile | undefined> {
  const fd = openFile(folders, 0)
  const { status } = spawnSync('flock', ['-n', '-x', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    env: programEnv,
  })
  if (status === 0) return { fd, free: () => closeSync(fd) }
  const held = status === 1 ? undefined : await bindAbstract(fd)
  if (!held) closeSync(fd)
  return held
}

/** On systems without flock(1): an abstract socket, which only one process can bind and which ends with it. */
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
