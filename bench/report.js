// Writes the page of results.

import { shown } from './ratios.js'
import { versionsTable } from './versions.js'

/** Minimum ratio of a scenario's figures with full tables to those with empty ones. */
export const LEAST_GROWTH = 0.9
/** Maximum ratio of p99 to p50. */
export const MOST_SPREAD = 3

/** @param page Content of results.json. */
export function resultsPage({ measuredOn, rows, filledSeconds, clients, scenarios, memory, versions }) {
  const good = scenarios.filter(({ error }) => error === undefined)
  const loads = good.flatMap(({ name, loads }) =>
    Object.entries(loads).map(([count, { rate, p50, p99, serverMs, databaseMs, walBytes, memory: after }]) =>
      row(
        name,
        count,
        rate.toFixed(0),
        `${p50.toFixed(1)} ms`,
        `${p99.toFixed(1)} ms`,
        `${serverMs.toFixed(2)} ms`,
        `${databaseMs.toFixed(2)} ms`,
        bytes(walBytes),
        `${after} MB`,
      ),
    ),
  )
  const growth = good.map(({ name, statements, loads, growth }) => {
    const { p50, p99 } = loads[clients]
    const missed = [
      growth.throughput.high < LEAST_GROWTH && growth.cpu.high < LEAST_GROWTH ? 'growth' : '',
      p99 > MOST_SPREAD * p50 ? 'p99' : '',
    ].filter(Boolean)
    return row(name, statements, shown(growth.throughput), shown(growth.cpu), (p99 / p50).toFixed(1), missed.join(', '))
  })
  const failed = scenarios.filter(({ error }) => error !== undefined).map(({ name, error }) => `- ${name}: ${error}\n`)
  return `# Results

Written by \`npm run bench\` on ${measuredOn}. One shop with ${rows} of everything and nine small ones, filled in ${filledSeconds} s, never
analysed, on plans that were made while the tables were nearly empty.

| scenario | clients | per second | p50 | p99 | CPU of the server | CPU of the database | written to WAL | memory after |
|---|---|---|---|---|---|---|---|---|
${loads.join('\n')}

CPU and WAL are for one operation. A whole purchase is five requests and the mail that the receipt's job stores: its rate counts mails, its p50 and
p99 the five requests.

## Growth

With full tables over the same with nearly empty ones, in turn, at ${clients} clients: throughput, and CPU of the empty over that of the full. Aim: at
least ${LEAST_GROWTH}; p99 at most ${MOST_SPREAD} × p50.

| scenario | statements | growth, throughput | growth, CPU | p99 / p50 | missed |
|---|---|---|---|---|---|
${growth.join('\n')}
${failed.length === 0 ? '' : `\n## Failed\n\n${failed.join('')}`}
## Memory

| | MB |
|---|---|
| one process, idle | ${memory.idle} |
| the same after all scenarios | ${memory.after} |
| with ${memory.workers.length} workers: the process that owns the jobs | ${memory.primary} |
| with ${memory.workers.length} workers: each of them, idle | ${memory.workers.join(', ')} |

From the start of a built server to its first answer, the database already running: ${memory.startMs} ms.
${versionsTable(versions)}`
}

const row = (...cells) => `| ${cells.join(' | ')} |`
const bytes = (count) => (count >= 1024 ? `${(count / 1024).toFixed(1)} KB` : `${count.toFixed(0)} B`)
