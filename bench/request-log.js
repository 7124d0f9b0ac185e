// Measures the cost of the request log: `npm run bench:request-log`. The same build runs twice, each with its own server and PostgreSQL.
// One logs every request (REQUEST_LOG=all), the other none. Both take turns at reading carts in every round, so that a slow minute of the
// machine affects both. Log writes after a round's last response count as CPU of the next round, and never in the rate.

import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readOptions } from './options.js'
import { measurePair, shown } from './ratios.js'
import { fillSide, openSide } from './side.js'

/** Minimum ratio to the same without the log. The aim is missed if the whole interval is below. */
const LEAST = 0.97
const SCENARIO = 'read a cart'
/** A cart is read by its key, so fuller tables would not change the cost. */
const ROWS = 2_000

const { rounds, seconds, clients, isAsInLife } = readOptions({ rounds: 15, seconds: 2 })
const folder = fileURLToPath(new URL('../', import.meta.url))
const sides = []
try {
  for (const mode of ['all', 'off']) {
    const side = await openSide(folder, { isAsInLife, settings: { REQUEST_LOG: mode } })
    sides.push(side)
    await fillSide(side, { rows: ROWS, shops: 2 })
  }
  console.log(`${rounds} rounds of ${seconds} s, ${clients} clients, ${cpus().length} cores. Aim: at least ${LEAST}.\n`)
  const before = await rowsOf(sides[0])
  const { sides: figures, throughput, cpu } = await measurePair(sides, SCENARIO, { rounds, seconds, clients })
  await sleep(1_000)
  console.log(
    '| REQUEST_LOG | carts a second | p99, ms | CPU ms, server + database | WAL, bytes |\n|---|---|---|---|---|',
  )
  for (const [index, mode] of ['all', 'off'].entries()) {
    const { rate, p99, serverMs, databaseMs, walBytes } = figures[index]
    const cells = [
      rate.toFixed(0),
      p99.toFixed(1),
      `${serverMs.toFixed(3)} + ${databaseMs.toFixed(3)}`,
      walBytes.toFixed(0),
    ]
    console.log(`| ${[mode, ...cells].join(' | ')} |`)
  }
  console.log(`\nthroughput, all over off: ${shown(throughput)}; CPU, off over all: ${shown(cpu)}`)
  console.log(`rows written: ${(await rowsOf(sides[0])) - before}; dropped: ${await droppedOf(sides[0])}`)
  if (throughput.high < LEAST || cpu.high < LEAST) process.exitCode = 1
} finally {
  for (const side of sides) await side.service.close()
}

async function rowsOf({ service }) {
  const { rows } = await service.admin.query('select count(*)::integer from request_log')
  return rows[0].count
}

async function droppedOf({ service }) {
  const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
  return /^cartwright_request_log_dropped_total (\d+)$/m.exec(text)?.[1]
}
