// What can be known about a process by its number, with or without /proc.
// A number alone proves nothing: it may have been given to another process since it was written down.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { codeOf } from './errors.ts'

/** The command line of a live process. A zombie is not alive: it has ended and only waits for a parent who may never look. */
export function commandLine(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  try {
    if (!existsSync('/proc/self/stat')) {
      const line = execFileSync('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      return line === '' || line.startsWith('Z') ? undefined : line
    }
    // The name in brackets may itself contain brackets and spaces, so the state is what follows the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0]
    if (state === 'Z' || state === 'X') return undefined
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return undefined
  }
}

/** Undefined where there is no such process. */
export function parentOf(pid: number): number | undefined {
  try {
    if (!existsSync('/proc/self/stat'))
      return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' })) || undefined
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || undefined
  } catch {
    return undefined
  }
}

export const isAlive = (pid: number) => commandLine(pid) !== undefined

/** False if there is no such process any more. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
    throw error
  }
}

/** The processes whose command line begins so. None where there is no /proc to look through. */
export function processesNamed(beginning: string): number[] {
  if (!existsSync('/proc/self/stat')) return []
  const pids = readdirSync('/proc').map(Number)
  return pids.filter((pid) => commandLine(pid)?.startsWith(beginning))
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Asks every few milliseconds. False if the time is over first. */
export async function waitUntil(condition: () => boolean, withinMs: number, everyMs = 10): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > end) return false
    await sleep(everyMs)
  }
  return true
}
