// Information about a process by its pid, with or without /proc. A pid proves nothing by itself: another process may have got it meanwhile.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { codeOf } from './errors.ts'

/** The command line of a live process. A zombie is not alive: it has ended and waits for a parent that may never collect it. */
export function commandLine(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  try {
    if (!existsSync('/proc/self/stat')) {
      const line = execFileSync('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      return line === '' || line.startsWith('Z') ? undefined : line
    }
    // The name in brackets may contain brackets and spaces, so the state follows the last bracket.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0]
    if (state === 'Z' || state === 'X') return undefined
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return undefined
  }
}

/** Undefined if there is no such process. */
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

/** Pids of processes with a command line that begins so. Empty without /proc. */
export function processesNamed(beginning: string): number[] {
  if (!existsSync('/proc/self/stat')) return []
  const pids = readdirSync('/proc').map(Number)
  return pids.filter((pid) => commandLine(pid)?.startsWith(beginning))
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Checks every few milliseconds. False if the time ends first. */
export async function waitUntil(condition: () => boolean, withinMs: number, everyMs = 10): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > end) return false
    await sleep(everyMs)
  }
  return true
}
