// What processes have used, as the kernel counts it: CPU time and memory of one process and all that it has started.

import { readdirSync, readFileSync } from 'node:fs'

/** Ticks of /proc/PID/stat in a second, on every Linux that Node.js runs on. */
const TICKS = 100

/** @returns {{ parent: number, own: number, reaped: number } | null} null where the process has ended. */
function statOf(pid) {
  try {
    // The name stands in parentheses and may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ').map(Number)
    return { parent: fields[1], own: fields[11] + fields[12], reaped: fields[13] + fields[14] }
  } catch {
    return null
  }
}

/** Of a process that runs. */
export const parentOf = (pid) => statOf(pid).parent

/** The process and all below it. */
export function familyOf(pid) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), statOf(name)?.parent)
  const family = [pid]
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child)
  return family
}

/** Seconds of CPU time that the process, its children and those of them that have ended have used so far. */
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
