// What runs, as the operating system tells it: the tests believe neither the program's output nor its pid files.

import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The command line of a live process; a zombie has ended and only waits to be looked at. */
function commandLine(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return undefined
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return undefined
  }
}

export const isAlive = (pid: number) => commandLine(pid) !== undefined

/** Every PostgreSQL process that works in this data folder. */
export function postgresOf(dataDir: string): number[] {
  const pgdata = join(real(dataDir), 'postgres')
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => workingFolder(pid) === pgdata && commandLine(pid)?.includes('postgres'))
}

/** The first of them, by its pid file. */
export const postmasterOf = (dataDir: string) =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** For what ends a moment after the process that told it to. */
export const noPostgresOf = (dataDir: string) => until(() => postgresOf(dataDir).length === 0)

/** The live HTTP processes that the process `pid` has started. */
export const httpProcessesOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter((child) => commandLine(child)?.includes('cartwright.js'))

/** Asks again and again. False if it has not come about in all the time that a noisy machine may need. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > end) return false
    await pause(20)
  }
  return true
}

/** Sends a signal to a process, or with a negative number to a group, that may have ended by now. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has.
  }
}
