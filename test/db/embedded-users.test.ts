// @proof @alone: it starts PostgreSQL as other users.
// The embedded PostgreSQL started by root, by ordinary users and by users without a name, from packages as npm leaves them.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { copyInto, findPackage } from '../../src/db/embedded/binaries.ts'
import { commandLine } from '../../src/db/embedded/processes.ts'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import {
  chownAll,
  fast,
  isRoot,
  NOBODY,
  outcome,
  packageInside,
  query,
  readyDataDir,
  sandbox,
  startChild,
  stopChild,
  tempFolder,
} from './fixtures/embedded.ts'

const timeout = 180_000
const asRoot = isRoot ? describe : describe.skip
const why = isRoot ? '' : ' (skipped: only root can act as other users)'
const NODE_IS_PUBLIC = isRoot && spawnSync(process.execPath, ['-v'], { ...NOBODY, cwd: '/' }).status === 0
const asOthers = NODE_IS_PUBLIC ? describe : describe.skip
const whyOthers = NODE_IS_PUBLIC ? '' : ' (skipped: other users cannot run this node)'

let home: string
beforeAll(async () => {
  home = await sandbox()
}, timeout)

function ownedFolder(ids: { uid: number; gid: number }): string {
  const folder = tempFolder()
  chownSync(folder, ids.uid, ids.gid)
  return folder
}

asRoot(`started by root${why}`, () => {
  it('keeps running as the user whose database it is, who can then start it without root', { timeout }, async () => {
    const folder = ownedFolder(NOBODY)
    const dataDir = await readyDataDir(folder)
    chownAll(dataDir, NOBODY)
    const server = await startEmbedded({ dataDir, purpose: 'server', settings: fast })
    expect(statSync(`/proc/${server.pid}`).uid).toBe(NOBODY.uid)
    await server.stop()
    if (!NODE_IS_PUBLIC) return
    const child = startChild(home, 'server', dataDir, NOBODY)
    expect(await outcome(child)).toMatchObject({ ready: true })
    await stopChild(child)
  })

  it('takes over a database that root has copied back', { timeout }, async () => {
    const dataDir = await readyDataDir()
    chownAll(dataDir, { uid: 0, gid: 0 })
    chmodSync(join(dataDir, 'postgres'), 0o755)
    const server = await startEmbedded({ dataDir, purpose: 'server', settings: fast })
    expect(await query(server.connection, 'select count(*)::int n from acknowledged')).toEqual([{ n: 0 }])
    await server.stop()
  })

  it('lets no other user connect, not even the one it runs as', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const server = await startEmbedded({ dataDir, purpose: 'server', settings: fast })
    const serverUser = statSync(`/proc/${server.pid}`)
    // Every folder is opened to the world on purpose: what is left is the check of the user's name.
    chmodSync(dataDir, 0o755)
    const tryAs = async (ids: { uid: number; gid: number }) => {
      const child = startChild(home, 'client', dataDir, ids)
      await outcome(child)
      child.send('select 1')
      const { message } = await child.next((found) => found.message !== undefined || found.rows !== undefined)
      child.process.kill('SIGKILL')
      return message
    }
    expect(await tryAs(NOBODY)).toMatch(/EACCES/)
    expect(await tryAs({ uid: serverUser.uid, gid: serverUser.gid })).toMatch(/[Pp]eer authentication failed/)
    chmodSync(join(dataDir, 'postgres'), 0o755)
    expect(await tryAs(NOBODY)).toMatch(/EACCES/)
    chmodSync(join(dataDir, 'postgres', '.s.PGSQL.5432'), 0o777)
    expect(await tryAs(NOBODY)).toMatch(/[Pp]eer authentication failed/)
    chmodSync(join(dataDir, 'postgres'), 0o700)
    await server.stop()
  })

  it('uses no folder of programs that somebody else has put there, and none that is incomplete', { timeout }, () => {
    const { native, version } = findPackage()
    const server = { uid: NOBODY.uid, gid: NOBODY.gid }
    const planted = ownedFolder(NOBODY)
    expect(() => copyInto(planted, native, version, server)).toThrow('belongs to another user')
    const writable = tempFolder(0o777)
    expect(() => copyInto(writable, native, version, server)).toThrow('belongs to another user')

    const cache = tempFolder()
    const copy = copyInto(cache, native, version, server)
    expect(copyInto(cache, native, version, server)).toBe(copy)
    rmSync(join(copy, 'bin', 'postgres'))
    writeFileSync(join(copy, 'bin', 'postgres'), '')
    expect(copyInto(cache, native, version, server)).toBe(copy)
    expect(execFileSync(join(copy, 'bin', 'postgres'), ['--version'], NOBODY).toString()).toContain('PostgreSQL) 18')
  })
})

asOthers(`started by others than root${why || whyOthers}`, () => {
  it('runs as an ordinary user who cannot write the package, first with a copy of it', { timeout }, async () => {
    const folder = ownedFolder(NOBODY)
    const fresh = await sandbox()
    const links = () => readdirSync(join(packageInside(fresh), 'native', 'lib')).filter((name) => name.endsWith('.so'))
    expect(links()).toEqual([])
    // Two at once: both find no copy and make one.
    const [one, two] = [join(folder, 'one'), join(folder, 'one')].map((dataDir, index) =>
      startChild(fresh, index ? 'use' : 'server', dataDir, NOBODY),
    )
    if (!one || !two) throw new Error('unreachable')
    const results = Promise.all([outcome(one), outcome(two).then((result) => stopChild(two).then(() => result))])
    for (const result of await results) expect(result).toMatchObject({ ready: true })
    const { pid = 0 } = (await results)[0]
    expect(statSync(`/proc/${pid}`).uid).toBe(NOBODY.uid)
    expect(commandLine(pid)).toContain(join(folder, 'one', 'binaries'))
    await stopChild(one)
    expect(links()).toEqual([])
  })

  it('makes the missing links in a package it can write', { timeout }, async () => {
    const fresh = await sandbox()
    execFileSync('cp', ['-a', packageInside(fresh), join(fresh, 'own')])
    rmSync(packageInside(fresh), { recursive: true })
    execFileSync('mv', [join(fresh, 'own'), packageInside(fresh)])
    chownAll(packageInside(fresh), NOBODY)
    const dataDir = join(ownedFolder(NOBODY), 'data')
    const child = startChild(fresh, 'server', dataDir, NOBODY)
    const { pid = 0 } = await outcome(child)
    expect(commandLine(pid)).toContain(packageInside(fresh))
    expect(existsSync(join(dataDir, 'binaries'))).toBe(false)
    await stopChild(child)
  })

  it('says that a user needs a name', { timeout }, async () => {
    const ids = { uid: 54321, gid: 54321 }
    const child = startChild(home, 'server', join(ownedFolder(ids), 'data'), ids)
    const { error, message } = await outcome(child)
    expect(error).toBe('EmbeddedError')
    expect(message).toMatch(/user id 54321 has no name .*DATABASE_URL/)
  })

  it('says whose database it is if it belongs to another user', { timeout }, async () => {
    const dataDir = await readyDataDir()
    chmodSync(dataDir, 0o755)
    const child = startChild(home, 'server', dataDir, NOBODY)
    expect((await outcome(child)).message).toMatch(/belongs to another user/)
  })
})

describe('a system without usable programs', () => {
  it('says to set DATABASE_URL if the package is missing', { timeout }, async () => {
    const fresh = await sandbox()
    rmSync(packageInside(fresh), { recursive: true })
    const { error, message } = await outcome(startChild(fresh, 'server', join(tempFolder(), 'data')))
    expect(error).toBe('EmbeddedError')
    expect(message).toMatch(/not installed\): set DATABASE_URL/)
  })

  it('says to set DATABASE_URL if they are built for another kind of system', { timeout }, async () => {
    const fresh = await sandbox()
    const program = join(packageInside(fresh), 'native', 'bin', 'postgres')
    rmSync(program)
    // A loader that does not exist is what a program for glibc meets on musl.
    writeFileSync(program, '#!/lib/ld-missing.so\n', { mode: 0o755 })
    const { error, message } = await outcome(startChild(fresh, 'server', join(tempFolder(), 'data')))
    expect(error).toBe('EmbeddedError')
    expect(message).toMatch(/built for another kind of system\): set DATABASE_URL/)
  })
})
