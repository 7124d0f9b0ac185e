// Chooses the OS user that connects and the OS user that the server runs as. They differ only for root, because PostgreSQL refuses to run
// as root.

import { chownSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { codeOf, EmbeddedError } from './errors.ts'
import type { Folders } from './folders.ts'

/** `server` is set if the server must run as another user than this process. */
export type Users = { client: string; server: UserIds | undefined }
export type UserIds = { uid: number; gid: number }

export function chooseUsers(folders: Folders): Users {
  const client = ownName()
  if (process.geteuid?.() !== 0) {
    refuseForeignFolder(folders)
    return { client, server: undefined }
  }
  return { client, server: serverUser(folders) }
}

/** Peer authentication compares user names, and initdb needs one too, so a bare id is not enough. */
function ownName(): string {
  try {
    return userInfo().username
  } catch {
    throw new EmbeddedError(
      `The user id ${process.geteuid?.()} has no name on this system (no entry in /etc/passwd), which PostgreSQL needs: add one, start as another user, or set DATABASE_URL.`,
    )
  }
}

function refuseForeignFolder(folders: Folders): void {
  const owner = ownerOf(folders.pgdata)
  if (owner === undefined || owner.uid === process.geteuid?.()) return
  throw new EmbeddedError(
    `The database in ${folders.pgdata} belongs to another user (id ${owner.uid}): start Cartwright as the user who started it first.`,
  )
}

function serverUser(folders: Folders): UserIds {
  const entries = passwdEntries()
  const owner = ownerOf(folders.pgdata)
  if (owner && owner.uid !== 0) return owner
  // A data folder prepared for a user, such as a container volume, decides the user.
  const folderOwner = ownerOf(folders.dataDir)
  const user =
    entries.find((entry) => entry.uid === folderOwner?.uid) ??
    entries.find((entry) => entry.name === 'postgres' || entry.name === '_postgres') ??
    entries.find((entry) => entry.name === 'nobody') ??
    entries.find((entry) => /nologin|false/.test(entry.shell)) ??
    entries[0]
  if (user) return { uid: user.uid, gid: user.gid }
  throw new EmbeddedError(
    'PostgreSQL does not run as root and this system has no other user: add one (useradd postgres), start Cartwright as an ordinary user, or set DATABASE_URL.',
  )
}

function passwdEntries(): (UserIds & { name: string; shell: string })[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [name = '', , uid, gid, , , shell = ''] = line.split(':')
    const ids = { uid: Number(uid), gid: Number(gid) }
    // macOS writes nobody as -2, and setuid takes no negative numbers.
    return Number.isInteger(ids.uid) && Number.isInteger(ids.gid) && ids.uid !== 0 && name !== ''
      ? [{ name, shell, uid: ids.uid >>> 0, gid: ids.gid >>> 0 }]
      : []
  })
}

function ownerOf(folder: string): UserIds | undefined {
  try {
    const { uid, gid } = statSync(folder)
    return { uid, gid }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * A database that root restored from a backup belongs to root, and the server could not open it. The folder itself changes owner last, so
 * that the next start notices and repeats an interrupted run.
 */
export function chownToServerUser(folder: string, server: UserIds | undefined): void {
  if (!server || statSync(folder).uid === server.uid) return
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(folder, entry), server.uid, server.gid)
  }
  chownSync(folder, server.uid, server.gid)
}
