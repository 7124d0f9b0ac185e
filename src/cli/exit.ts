// The way out of a running service: on a signal, on a crash, or when a start fails half-way.

import type { Log } from '../http/log.ts'

export type Exit = {
  /** What must be done before leaving; the last added is done first. */
  on(step: () => Promise<unknown>): void
  /** Leaves after something broke. */
  now(reason: string): Promise<void>
  /** Undoes the steps without ending the process, for a start that failed. */
  quietly(): Promise<void>
}

/** Leaves in order on SIGINT and SIGTERM, at once on a second signal, and in a hurry on a crash; never with PostgreSQL left running. */
export function leaveWith(log: Log, closeNow: () => void, { isSupervised = false } = {}): Exit {
  const steps: (() => Promise<unknown>)[] = []
  let leaving: Promise<void> | undefined

  const undo = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      await step().catch((error) => log.error({ err: error }, 'stopping failed'))
  }
  const leave = (code: number) => {
    leaving ??= undo().then(() => process.exit(code))
    return leaving
  }
  const onSignal = (signal: NodeJS.Signals) => {
    // Ctrl-C reaches every process of the terminal; a supervised one leaves when its primary says so, and drains to the end.
    if (isSupervised && (leaving || signal === 'SIGINT')) return
    if (leaving) {
      closeNow()
      process.exit(1)
    }
    log.info({ signal }, 'stopping')
    leave(0)
  }
  const onCrash = (error: unknown) => {
    log.fatal({ err: error }, 'crashed')
    closeNow()
    process.exit(1)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash)

  return {
    on: (step) => void steps.push(step),
    async now(reason) {
      if (leaving) return
      log.fatal(reason)
      await leave(1)
    },
    async quietly() {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      await undo()
    },
  }
}
