// Starts servers as separate processes and ends them. The program is bundled once, as loading its parts one by one takes seconds.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { bundle } from '../support/bundle.ts'
import type { Says, ServerSettings, Told } from './server-process.ts'

const children = new Set<ChildProcess>()
const folders: string[] = []

/** A folder that is deleted when the file ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cw-faults-'))
  folders.push(folder)
  return folder
}

/** A path for a new folder, for example of a database. */
export const newFolder = () => join(tempFolder(), 'data')

function endEverything() {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const folder of folders.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
afterAll(endEverything)
process.once('exit', endEverything)

/** The programs, each bundled at first use. */
const PROGRAMS = {
  server: `import './test/faults/server-process.ts'`,
  command: `import { main } from './src/main.ts'\nawait main(process.argv.slice(2))`,
}

const bundled = new Map<keyof typeof PROGRAMS, Promise<string>>()

export function programOf(name: keyof typeof PROGRAMS): Promise<string> {
  const program = bundled.get(name) ?? bundle(PROGRAMS[name])
  bundled.set(name, program)
  return program
}

export type Server = {
  readonly url: string
  readonly pid: number
  /** Everything it has logged so far. */
  readonly log: string
  /** How many requests are parked at each checkpoint so far. */
  readonly parked: ReadonlyMap<string, number>
  tell(told: Told): Promise<void>
  /** Resolves once this many requests are parked. */
  untilParked(count: number, withinMs?: number): Promise<void>
  /** Resolves when it has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export type StartOptions = Omit<ServerSettings, 'dataDir' | 'settleSeconds'> & Partial<ServerSettings>

const START_MS = 240_000

export async function startServer(options: StartOptions): Promise<Server> {
  const program = await programOf('server')
  const settings: ServerSettings = { dataDir: tempFolder(), settleSeconds: 1, ...options }
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, CARTWRIGHT_FAULT_SERVER: JSON.stringify(settings) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  children.add(child)
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const parked = new Map<string, number>()
  const listeners = new Set<(message: Says) => void>()
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => {
      children.delete(child)
      resolve({ code, signal })
    }),
  )
  child.on('message', (message: Says) => {
    if ('parked' in message) parked.set(message.parked, (parked.get(message.parked) ?? 0) + 1)
    for (const listener of listeners) listener(message)
  })
  const next = <T>(found: (message: Says) => T | undefined, withinMs: number): Promise<T> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        listeners.delete(listener)
        settle()
      }
      const timer = setTimeout(
        () =>
          end(() =>
            reject(
              new Error(
                `Nothing was heard of a server for ${withinMs} ms. It is parked at ${shown(parked)}.\n${log.slice(-2_000)}`,
              ),
            ),
          ),
        withinMs,
      )
      const listener = (message: Says) => {
        const value = found(message)
        if (value !== undefined) end(() => resolve(value))
      }
      listeners.add(listener)
      ended.then(({ code, signal }) =>
        end(() => reject(new Error(`A server ended (${code ?? signal}).\n${log.slice(-4_000)}`))),
      )
    })
  const url = await next((message) => ('address' in message ? message.address : undefined), START_MS)
  return {
    url,
    pid: child.pid ?? 0,
    get log() {
      return log
    },
    parked,
    ended,
    async tell(told) {
      const heard = next((message) => ('done' in message ? true : undefined), START_MS)
      child.send(told)
      await heard
    },
    async untilParked(count, withinMs = 120_000) {
      const total = () => [...parked.values()].reduce((sum, one) => sum + one, 0)
      if (total() < count) await next(() => (total() >= count ? true : undefined), withinMs)
    },
    kill(signal = 'SIGKILL') {
      child.kill(signal)
      return ended
    },
  }
}

const shown = (parked: ReadonlyMap<string, number>) => JSON.stringify(Object.fromEntries(parked))
