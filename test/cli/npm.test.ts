// @alone
// The service as npm runs it: through a shell, which gets the signals that npm gets.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isAlive, noPostgresOf, postgresOf, signal, until } from './processes.ts'
import { checkout, launch, type Options, run, start, tempFolder, timeout, usedDataDir } from './support.ts'

const SCRIPTS = {
  // A shell that has something left to do stays, whichever shell it is.
  start: 'cartwright start && echo done',
  cartwright: 'cartwright',
  background: 'cartwright start > service.log 2>&1 &',
}

/** A folder with the program installed, as `npm install` leaves it. */
function project(): string {
  const folder = tempFolder()
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: SCRIPTS }))
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(checkout, join(folder, 'node_modules', 'cartwright'))
  symlinkSync('../cartwright/bin/cartwright.js', join(folder, 'node_modules', '.bin', 'cartwright'))
  return folder
}

const holderOf = (dataDir: string): number =>
  JSON.parse(readFileSync(join(dataDir, 'cartwright.lock'), 'utf8') || '{"pid":0}').pid

type Command = NonNullable<Options['command']>

it.each<[string, Command, NodeJS.Signals]>([
  ['npx', ['npx', '--no-install', 'cartwright'], 'SIGTERM'],
  ['npx', ['npx', '--no-install', 'cartwright'], 'SIGHUP'],
  ['npm exec', ['npm', 'exec', '--', 'cartwright'], 'SIGKILL'],
  ['npm start', ['npm'], 'SIGTERM'],
  ['npm run', ['npm', 'run', 'cartwright', '--'], 'SIGHUP'],
])('the service ends in order with %s (%j) that gets %s', { timeout }, async (_, command, name) => {
  const dataDir = await usedDataDir()
  const server = await start({ command, cwd: project(), dataDir })
  const pid = holderOf(dataDir)
  expect(pid).not.toBe(server.pid)
  // To npm only, as `kill` and process managers send it.
  server.process.kill(name)
  expect(await until(() => !isAlive(pid), 60_000)).toBe(true)
  expect((await server.ended).stderr).toContain('"msg":"stopping"')
  expect(postgresOf(dataDir)).toEqual([])
})

it('a service that a script leaves in the background outlives npm', { timeout }, async () => {
  const dataDir = await usedDataDir()
  const cwd = project()
  expect(await run(['run', 'background'], { command: ['npm'], cwd, dataDir })).toMatchObject({ code: 0 })
  const isReady = () => readFileSync(join(cwd, 'service.log'), 'utf8').includes('Cartwright is ready')
  expect(await until(isReady)).toBe(true)
  await expectToStay(dataDir)
})

it('a service outlives a shell that only has the settings of npm', { timeout }, async () => {
  const dataDir = await usedDataDir()
  const log = join(tempFolder(), 'service.log')
  const script = `"$@" > ${log} 2>&1 & echo started; sleep 2`
  const shell = launch([process.execPath, join(checkout, 'bin', 'cartwright.js'), 'start'], {
    // The tests themselves may run below npm; this shell does not.
    command: ['setsid', '--fork', 'sh', '-c', script, 'sh'],
    dataDir,
    env: { npm_lifecycle_event: 'start' },
  })
  expect(await shell.ended).toMatchObject({ code: 0 })
  expect(await until(() => readFileSync(log, 'utf8').includes('Cartwright is ready'))).toBe(true)
  await expectToStay(dataDir)
})

/** Longer than it takes to notice that npm has gone, by far. */
const LONG_MS = 3_000

async function expectToStay(dataDir: string) {
  const pid = holderOf(dataDir)
  await new Promise((resolve) => setTimeout(resolve, LONG_MS))
  expect(isAlive(pid)).toBe(true)
  signal(pid, 'SIGTERM')
  expect(await until(() => !isAlive(pid))).toBe(true)
  expect(await noPostgresOf(dataDir)).toBe(true)
}
