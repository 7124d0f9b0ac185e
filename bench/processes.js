// CPU time and memory of a process and its descendants, as the kernel counts them.

import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second in /proc/PID/stat, on every Linux that Node.js supports. */
const TICKS = 100

/**
 * @returns {{ parent: number, own: number, reaped: number }
 * null} null if the process has ended.
 */
function statOf(pid) {
  try {
    // The process name is in parentheses and may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ').map(Number)
    return { parent: fields[1], own: fields[11] + fields[12], reaped: fields[13] + fields[14] }
  } catch {
    return null
  }
}

/** The parent of a running process. */
export const parentOf = (pid) => statOf(pid).parent

/** Returns the process and all its descendants. */
export function familyOf(pid) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), statOf(name)?.parent)
  const family = [pid]
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child)
  return family
}

/** Returns the seconds of CPU time used so far by the process and its descendants, including ended children. */
export function cpuSeconds(pid) {
  const ticks = familyOf(pid).map((member) => {
    const stat = statOf(member)
    return stat === null ? 0 : stat.own + stat.reaped
  })
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS
}

/** Resident memory of one process, in MB. */
export function memoryOf(pid) {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
