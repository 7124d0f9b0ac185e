// Ends a running service: on a signal, on a crash, or when a start fails half-way.

import type { Log } from '../http/server/log.ts'
import { whenNpmEnds } from './processes/npm.ts'
import { progress } from './progress.ts'

export type Exit = {
  /** Adds a step to do before leaving. The last added step runs first. */
  addExitStep(step: () => Promise<unknown>): void
  /** Marks the start as done: from now on a signal lets requests finish. */
  ready(): void
  /** Runs the steps and ends the process. */
  leave(): Promise<void>
  /** Runs the steps without ending the process, for a failed start. Does not return while the process is leaving. */
  undoSteps(): Promise<void>
}

type ExitOptions = {
  /** Closes the database without waiting. Returns a promise only while the database is still opening. */
  closeNow?: () => Promise<void> | undefined
  /** True for a process that leaves when its primary says so. */
  isSupervised?: boolean
}

const never = new Promise<never>(() => {})

/**
 * Ctrl-C reaches every process of a terminal, and npm also passes it on to its child. So a second signal this soon belongs to the same key
 * press.
 */
const SAME_PRESS_MS = 1_000

/**
 * Handles SIGINT, SIGTERM, SIGHUP and crashes. The first signal leaves in order, another one a second later leaves at once. A crash leaves
 * in a hurry. None of them leaves PostgreSQL running.
 */
export function installExitHandlers(log: Log, { closeNow, isSupervised = false }: ExitOptions = {}): Exit {
  const steps: (() => Promise<unknown>)[] = []
  let isReady = false
  let leaving: Promise<void> | undefined
  let leavingSince = 0

  const runSteps = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      await step().catch((error) => log.error({ err: error }, 'stopping failed'))
  }
  const leave = (code: number) => {
    leaving ??= runSteps().then(() => process.exit(code))
    return leaving
  }
  const leaveNow = (code: number) => {
    leaving = never
    const opening = closeNow?.()
    if (opening === undefined) process.exit(code)
    opening.then(() => process.exit(code))
  }
  const onSignal = (signal: NodeJS.Signals) => {
    // Ctrl-C and a closed terminal reach every process. A supervised one leaves when its primary says so, and finishes its requests.
    if (isSupervised && (leaving || signal !== 'SIGTERM')) return
    if (leaving) return performance.now() - leavingSince < SAME_PRESS_MS ? undefined : leaveNow(1)
    leavingSince = performance.now()
    progress.clear()
    log.info({ signal }, 'stopping')
    if (isReady) leave(0)
    else leaveNow(0)
  }
  const onCrash = (error: unknown) => {
    progress.clear()
    log.fatal({ err: error }, 'crashed')
    leaveNow(1)
  }
  // SIGHUP: the terminal was closed or the connection to it dropped. Without a listener Node would end at once and leave PostgreSQL
  // running.
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal)
  if (!isSupervised) whenNpmEnds(() => leaving ?? onSignal('SIGTERM'))
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash)

  return {
    addExitStep: (step) => void steps.push(step),
    ready() {
      isReady = true
    },
    leave: () => leave(0),
    async undoSteps() {
      leaving ??= runSteps()
      await leaving
    },
  }
}
