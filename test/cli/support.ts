// Runs the real command as a process of its own, in its own folders. All processes and folders are removed when the test file ends.

import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject } from 'vitest'
import { isAlive, postgresOf, signal } from './processes.ts'

export const checkout = fileURLToPath(new URL('../../', import.meta.url))
export const isRoot = process.geteuid?.() === 0
/** For tests and hooks: machines are noisy, and nothing here is about speed. */
export const timeout = 180_000

const folders: string[] = []
const programs = new Set<Program>()

/** For durable data. A folder in memory (`inMemory`) is for what need not outlive a power loss. */
export function tempFolder({ inMemory = false } = {}): string {
  const parent = inMemory && existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = mkdtempSync(join(parent, 'cw-cli-'))
  // PostgreSQL may run as another user than this one.
  chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

export const newDataDir = () => join(tempFolder({ inMemory: true }), 'data')

/** What a release consists of, without its packages. */
export const PROGRAM = ['bin', 'demo', 'dist', 'examples', 'migrations', 'package.json', 'openapi.json']

export function copyProgram(target: string, parts: readonly string[] = PROGRAM): string {
  for (const part of parts) cpSync(join(checkout, part), join(target, part), { recursive: true })
  return target
}

let installed: string | undefined

/**
 * A copy of the checkout, which was built when the run began, so that a file saved while the tests run does not change the program under test: the one
 * that the first file has made. No test writes into it.
 */
function program(): string {
  installed ??= sharedProgram()
  return installed
}

function sharedProgram(): string {
  const shared = join(inject('sharedFolder'), 'installed')
  if (existsSync(shared)) return shared
  const made = copyProgram(mkdtempSync(`${shared}-`))
  chmodSync(made, 0o755)
  symlinkSync(join(checkout, 'node_modules'), join(made, 'node_modules'))
  takePlace(made, shared)
  return shared
}

/** In one step, and whole. Where another was quicker, its own stays: a folder that is not empty is not replaced. */
function takePlace(made: string, shared: string): void {
  try {
    renameSync(made, shared)
  } catch {
    rmSync(made, { recursive: true, force: true })
  }
}

export type Options = {
  dataDir?: string | undefined
  /** Settings, in place of none: nothing of the caller's own environment is passed on. */
  env?: Record<string, string>
  cwd?: string
  /** Where the program is, when it is not the shared copy. */
  home?: string
  /** What is run in place of `node bin/cartwright.js`. */
  command?: readonly [string, ...string[]]
  uid?: number
  gid?: number
}

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type Program = {
  readonly process: ChildProcessByStdio<null, Readable, Readable>
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  readonly ended: Promise<Ended>
  /** Resolves as soon as the output so far makes it true; rejects if the program ends first. */
  until(isSo: () => boolean): Promise<void>
}

export function launch(args: readonly string[], options: Options = {}): Program {
  const { dataDir = newDataDir(), env = {}, cwd = tmpdir(), home = program(), uid, gid } = options
  const [file, ...before] = options.command ?? [process.execPath, join(home, 'bin', 'cartwright.js')]
  const child = spawn(file, [...before, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a shell gives each command.
    detached: true,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  })
  const said = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
      for (const listener of listeners) listener()
    })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...said }))
  })
  const started: Program = {
    process: child,
    pid: child.pid ?? 0,
    ended,
    get stdout() {
      return said.stdout
    },
    get stderr() {
      return said.stderr
    },
    until: (isSo) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!isSo()) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
        ended.then(
          ({ code, signal }) => reject(new Error(`It ended (${code ?? signal}).\n${said.stdout}\n${said.stderr}`)),
          reject,
        )
      }),
  }
  programs.add(started)
  ended.then(
    () => programs.delete(started),
    () => programs.delete(started),
  )
  return started
}

/** Runs a command to its end. */
export const run = (args: readonly string[], options?: Options): Promise<Ended> => launch(args, options).ended

const UNREACHED = /^WRONG (?:embedded PostgreSQL|DATABASE_URL): /m

/** What the doctor says who has reached the database: it gives that five seconds to let it in, and a slow machine may need more. */
export async function askDoctor(options: Options, ...more: readonly string[]): Promise<Ended> {
  for (let tries = 1; ; tries++) {
    const ended = await run(['doctor', ...more], options)
    if (tries === 5 || !UNREACHED.test(ended.stdout)) return ended
  }
}

export type Keys = { sandbox: { public: string; secret: string }; live: { public: string; secret: string } }

export type Running = Program & {
  readonly url: string
  /** Null where the start made no demo shop and knows of none. */
  readonly keys: Keys | null
  /** The line to paste. */
  readonly curl: string | null
  readonly dataDir: string
  stop(signal?: NodeJS.Signals): Promise<Ended>
  kill9(): Promise<Ended>
}

const READY = /Cartwright is ready at (\S+)\n[\s\S]*?\n(?:Keys: .*|Try it:\n {2}(curl .*)\n)\n/

/** Starts the service and waits until it says that it is ready. */
export async function start(options: Options = {}): Promise<Running> {
  const { dataDir = newDataDir() } = options
  const started = launch(['start'], { ...options, dataDir })
  await started.until(() => READY.test(started.stdout))
  const [, url = '', curl = null] = READY.exec(started.stdout) ?? []
  const end = (signal: NodeJS.Signals) => {
    started.process.kill(signal)
    return started.ended
  }
  return Object.assign(started, {
    url,
    curl,
    // Printed by the first start alone; a later one knows where they are.
    keys: keysIn(started.stdout) ?? (curl === null ? null : keysKept(dataDir)),
    dataDir,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => end(signal),
    kill9: () => end('SIGKILL'),
  })
}

function keysKept(dataDir: string): Keys | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo-keys.json'), 'utf8')).keys
  } catch {
    return null
  }
}

export function keysIn(text: string): Keys | null {
  const [, testPublic, testSecret, livePublic, liveSecret] =
    /public {2}(pk_test_\w{40})\n +secret {2}(sk_test_\w{40})\n +live +public {2}(pk_\w{40}) .*\n +secret {2}(sk_\w{40}) /.exec(
      text,
    ) ?? []
  if (!testPublic || !testSecret || !livePublic || !liveSecret) return null
  return { sandbox: { public: testPublic, secret: testSecret }, live: { public: livePublic, secret: liveSecret } }
}

export const secretOf = ({ keys }: Pick<Running, 'keys'>): string => keys?.sandbox.secret ?? 'no key was printed'

let template: Promise<string> | undefined

/** A data folder that has been started once and stopped; copied, because making one takes seconds. */
export async function usedDataDir(parent = tempFolder({ inMemory: true })): Promise<string> {
  template ??= sharedTemplate()
  const dataDir = join(parent, 'data')
  execFileSync('cp', ['-a', await template, dataDir])
  return dataDir
}

/** The one that the first file has made. Files that begin together wait for it, unless who is at it has died. */
async function sharedTemplate(): Promise<string> {
  const shared = join(inject('sharedFolder'), 'used-data')
  const claim = `${shared}-claim`
  while (!existsSync(shared))
    if (hasClaimed(claim)) await makeTemplate(shared).finally(() => rmSync(claim, { force: true }))
    else await pause(50)
  return shared
}

function hasClaimed(claim: string): boolean {
  try {
    writeFileSync(claim, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (!isAlive(claimedBy(claim))) rmSync(claim, { force: true })
    return false
  }
}

/** This process, for as long as nobody has been written down. */
function claimedBy(claim: string): number {
  try {
    return Number(readFileSync(claim, 'utf8')) || process.pid
  } catch {
    return process.pid
  }
}

async function makeTemplate(shared: string): Promise<void> {
  const first = await start()
  await first.stop()
  const made = `${shared}-${process.pid}`
  execFileSync('cp', ['-a', first.dataDir, made])
  takePlace(made, shared)
}

export type Reply = { status: number; body: unknown }

export async function call(url: string, key: string, method = 'GET', body?: unknown): Promise<Reply> {
  const answer = await fetch(url, {
    method,
    headers: { 'x-authorization': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

/** Every id of a list, page after page. */
export async function everyAttribute({ url, keys }: Pick<Running, 'url' | 'keys'>): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const read = () => call(`${url}/v1/attributes?limit=200&page=${page}`, secretOf({ keys }))
    let { status, body } = await read()
    // A slow machine may have it wait for a connection for too long.
    for (let again = 0; status === 503 && again < 20; again++) ({ status, body } = await read())
    if (status !== 200) throw new Error(`The list was answered ${status}: ${JSON.stringify(body)}`)
    const { data, meta } = body as { data: { id: string }[]; meta: { pagination: { total: number } } }
    ids.push(...data.map(({ id }) => id))
    if (ids.length >= meta.pagination.total || data.length === 0) return ids
  }
}

/** A port that something listens on until the file ends. */
export async function takenPort(onConnection: () => void = () => undefined, port = 0): Promise<number> {
  const server = createServer(onConnection)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** These sentences on standard error, and nothing on standard output. */
export const expectRefusal = ({ code, stdout, stderr }: Ended, ...lines: unknown[]) =>
  expect({ code, stdout, lines: stderr.trimEnd().split('\n') }).toEqual({ code: 1, stdout: '', lines })

function endEverything() {
  for (const { pid } of programs) signal(-pid, 'SIGKILL')
  programs.clear()
  for (const folder of folders) {
    for (const pid of postgresOf(join(folder, 'data'))) signal(pid, 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  folders.length = 0
}

afterAll(endEverything, timeout)
process.once('exit', endEverything)
