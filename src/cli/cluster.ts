// Several HTTP processes behind one port. The primary owns the database, the migrations and the jobs, replaces a process that
// dies, and adds up everybody's metrics.

import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type RegistryContentType } from 'prom-client'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Exit } from './exit.ts'

type Question = { ask: 'metrics'; number: number }
type Answer = { answer: 'metrics'; number: number; text: string }
type Failure = { failed: string }
type Order = { order: 'leave' }

/** A process that dies at once again and again must not be restarted in a tight loop. */
const RESTART_MS = 1_000
const METRICS_MS = 2_000

/** Starts the HTTP processes and resolves with the port once all of them listen. */
export async function superviseWorkers(config: Config, log: Log, exit: Exit): Promise<number> {
  let isStopping = false
  const totals = new AggregatorRegistry()
  cluster.on('message', (worker, message: Question) => {
    if (message?.ask === 'metrics') void answerMetrics(totals, worker, message)
  })
  // A message to a process that has just died fails here; that it died is told below.
  cluster.on(
    'fork',
    (worker) => void worker.on('error', (error) => log.warn({ err: error }, 'an HTTP process is gone')),
  )
  cluster.on('exit', (worker, code, signal) => {
    if (isStopping) return
    log.error({ pid: worker.process.pid, code, signal }, 'an HTTP process ended; starting another')
    setTimeout(() => isStopping || cluster.fork(), RESTART_MS)
  })
  const serving = new Set<Worker>()
  cluster.on('listening', (worker) => void serving.add(worker))
  exit.on(async () => {
    isStopping = true
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) =>
      worker === undefined || worker.isDead() ? [] : [worker],
    )
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)))
    for (const worker of workers) serving.has(worker) ? dismiss(worker) : worker.process.kill('SIGKILL')
    await Promise.all(ended)
  })
  const ports = await Promise.all(Array.from({ length: config.workers }, () => listening(cluster.fork())))
  return ports[0] ?? config.port
}

/**
 * By message and not by signal, so that it arrives behind every connection handed over before. `disconnect` stops the handing
 * over: a connection given to a process that has closed already would hang until this one ends.
 */
function dismiss(worker: Worker) {
  worker.send({ order: 'leave' } satisfies Order)
  worker.disconnect()
}

const listening = (worker: Worker) =>
  new Promise<number>((resolve, reject) => {
    worker.once('listening', ({ port }) => resolve(port))
    worker.on('message', ({ failed }: Partial<Failure>) => failed && reject(new ConfigError(failed)))
    worker.once('exit', () => reject(new Error('An HTTP process ended before it listened; its message is above.')))
  })

/** In an HTTP process: the primary says when to leave. */
export const leaveWhenDismissed = (exit: Exit) =>
  void process.on('message', (message: Partial<Order>) => {
    if (message?.order === 'leave') void exit.leave()
  })

/** In an HTTP process that cannot listen: says why, and ends. */
export const tellPrimary = (failed: string) =>
  process.send?.({ failed } satisfies Failure, undefined, undefined, () => process.exit(1))

async function answerMetrics(totals: AggregatorRegistry<RegistryContentType>, worker: Worker, { number }: Question) {
  const text = await totals.clusterMetrics().catch((error: Error) => `# ${error.message}\n`)
  // The one who asked may have ended meanwhile.
  if (worker.isConnected()) worker.send({ answer: 'metrics', number, text } satisfies Answer)
}

/** In an HTTP process: /metrics then tells of all processes, whichever of them was asked. */
export function serveFromCluster(metrics: Metrics) {
  AggregatorRegistry.setRegistries([metrics.registry])
  // Making one is what lets this process hear the primary's question for its figures.
  new AggregatorRegistry()
  let asked = 0
  metrics.text = () =>
    new Promise((resolve, reject) => {
      const number = ++asked
      const timer = setTimeout(() => done(() => reject(new Error('the primary process did not answer'))), METRICS_MS)
      const onMessage = (message: Answer) => {
        if (message?.answer === 'metrics' && message.number === number) done(() => resolve(message.text))
      }
      const done = (finish: () => void) => {
        clearTimeout(timer)
        process.off('message', onMessage)
        finish()
      }
      process.on('message', onMessage)
      process.send?.({ ask: 'metrics', number } satisfies Question)
    })
}
