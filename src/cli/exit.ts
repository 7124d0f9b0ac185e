// The way out of a running service: on a signal, on a crash, or when a start fails half-way.

import type { Log } from '../http/server/log.ts'
import { whenNpmEnds } from './processes/npm.ts'
import { progress } from './progress.ts'

export type Exit = {
  /** What must be done before leaving; the last added is done first. */
  beforeLeaving(step: () => Promise<unknown>): void
  /** The start is done: from here on a signal lets requests finish. */
  ready(): void
  /** Leaves in order. */
  leave(): Promise<void>
  /** Undoes the steps without ending the process, for a start that failed. Does not return while the process is leaving. */
  quietly(): Promise<void>
}

type ExitOptions = {
  /** Lets go of the database without waiting for anything; a promise only while it is still being opened. */
  closeNow?: () => Promise<void> | undefined
  /** A process whose primary tells it when to leave. */
  isSupervised?: boolean
}

const never = new Promise<never>(() => {})

/** Ctrl-C reaches every process of a terminal, and npm hands it on to the one that it started: a second signal so soon is the same press. */
const SAME_PRESS_MS = 1_000

/** Leaves in order on SIGINT, SIGTERM and SIGHUP, at once on another signal a second later, and in a hurry on a crash; never with PostgreSQL left running. */
export function leaveWith(log: Log, { closeNow, isSupervised = false }: ExitOptions = {}): Exit {
  const steps: (() => Promise<unknown>)[] = []
  let isReady = false
  let leaving: Promise<void> | undefined
  let leavingSince = 0

  const undo = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      await step().catch((error) => log.error({ err: error }, 'stopping failed'))
  }
  const leave = (code: number) => {
    leaving ??= undo().then(() => process.exit(code))
    return leaving
  }
  const hurry = (code: number) => {
    leaving = never
    const opening = closeNow?.()
    if (opening === undefined) process.exit(code)
    opening.then(() => process.exit(code))
  }
  const onSignal = (signal: NodeJS.Signals) => {
    // Ctrl-C and the end of a terminal reach every process in it; a supervised one leaves when its primary says so, and drains
    // to the end.
    if (isSupervised && (leaving || signal !== 'SIGTERM')) return
    if (leaving) return performance.now() - leavingSince < SAME_PRESS_MS ? undefined : hurry(1)
    leavingSince = performance.now()
    progress.clear()
    log.info({ signal }, 'stopping')
    if (isReady) leave(0)
    else hurry(0)
  }
  const onCrash = (error: unknown) => {
    progress.clear()
    log.fatal({ err: error }, 'crashed')
    hurry(1)
  }
  // SIGHUP: the terminal was closed or the connection to it dropped. Unheard, it ends Node at once and leaves PostgreSQL.
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal)
  if (!isSupervised) whenNpmEnds(() => leaving ?? onSignal('SIGTERM'))
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash)

  return {
    beforeLeaving: (step) => void steps.push(step),
    ready() {
      isReady = true
    },
    leave: () => leave(0),
    async quietly() {
      leaving ??= undo()
      await leaving
    },
  }
}
