// Measures every scenario on full and on nearly empty tables, and writes results.md, results.json and docs/scale.md. README.md describes
// the method.

import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { missedAim } from './aim.js'
import { chosen, readOptions } from './options.js'
import { measurePair, summary } from './ratios.js'
import { resultsPage } from './report.js'
import { scalePage } from './scale.js'
import { scenarios } from './scenarios.js'
import { fillSide, openSide, round, statementsOf } from './side.js'
import { measureVersions, ofSdk } from './versions.js'

const FOLDER = fileURLToPath(new URL('../', import.meta.url))
/** Additional client counts, besides the one used to compare full and empty tables. */
const OTHER_CLIENTS = [8, 128]
/** Carts and tokens for the side with empty tables: each cart can get a new line only once. */
const FEW = 14_000
const WORKERS = 3

const options = readOptions({ rounds: 5, seconds: 2 })
const { rounds, seconds, clients, rows, isAsInLife } = options
const sides = []
const startedAt = performance.now()
const tell = (sentence) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${sentence}`)
try {
  tell('starting two services and making a shop in each …')
  const full = await open()
  const empty = await open()
  tell('filling the tables of one …')
  await fillSide(empty, { rows: FEW, shops: 1, only: ['carts', 'checkouts'] })
  await fillSide(full, { rows })
  tell(
    `filled ${Object.values(full.filled.rows).reduce((sum, each) => sum + each, 0)} rows in ${full.filled.seconds.toFixed(0)} s`,
  )
  if (full.filled.missing.length > 0) tell(`nothing to copy for: ${full.filled.missing.join(', ')}`)
  const wanted = options.only === 'versions' ? [] : chosen(scenarios(full.shop), options.only)
  const results = []
  for (const { name } of wanted) results.push(await measured(name, [full, empty]))
  const versions = options.only === undefined || options.only === 'versions' ? await measureVersions(full, tell) : []
  const memory = await memoryOf(full)
  const page = {
    measuredOn: `${cpus().length} cores, Node.js ${process.versions.node}, ${rounds} rounds of ${seconds} s, ${clients} clients unless said otherwise`,
    rows,
    filledSeconds: Math.round(full.filled.seconds),
    clients,
    scenarios: results,
    bytesPerRow: Object.fromEntries(
      Object.entries(full.bytes).flatMap(([table, bytes]) =>
        bytes > 0 ? [[table, Math.round(bytes / full.filled.rows.orders)]] : [],
      ),
    ),
    memory,
    versions,
  }
  console.log(`\n${resultsPage(page)}`)
  const isWhole = options.only === undefined && rows >= 100_000
  if (isWhole || options.isToSave) await save(page)
  for (const { name, error } of results.filter((result) => result.error)) fail(`"${name}" failed: ${error}`)
  for (const missed of [missedAim(versions), missedAim(ofSdk(versions), 'by the SDK without a version')])
    if (missed !== null) fail(missed)
} finally {
  for (const side of sides) await side.service.close()
}

async function open() {
  const side = await openSide(FOLDER, { isAsInLife })
  sides.push(side)
  return side
}

function fail(sentence) {
  console.error(sentence)
  process.exitCode = 1
}

/** A failed scenario reports its error, and the run continues. */
async function measured(name, pair) {
  const [full] = pair
  try {
    const statements = await statementsOf(full, name)
    const { sides: figures, throughput, cpu } = await measurePair(pair, name, { rounds, seconds, clients })
    const loads = { [clients]: figures[0] }
    for (const others of OTHER_CLIENTS) {
      const one = await withClients(full, name, others)
      if (one !== null) loads[others] = one
    }
    tell(`${name}: ${figures[0].rate.toFixed(0)}/s, ${figures[1].rate.toFixed(0)}/s with empty tables`)
    return { name, statements: Math.round(statements * 10) / 10, loads, growth: { throughput, cpu } }
  } catch (error) {
    tell(`${name}: ${error.message}`)
    return { name, error: error.message }
  }
}

/** Returns null if the service rejected requests, so that the other figures are still reported. */
async function withClients(side, name, count) {
  try {
    const twice = []
    for (let n = 0; n < 2; n++) twice.push(await round(side, name, { clients: count, seconds }))
    return summary(twice)
  } catch (error) {
    tell(`with ${count} clients, ${error.message}`)
    return null
  }
}

/** Memory of one process after its start and after all scenarios, and of each process of a start with several. */
async function memoryOf({ service, idle, startMs }) {
  const processes = await service.beside(WORKERS, async ({ memories }) => {
    await sleep(2_000)
    return memories
  })
  const [primary, ...workers] = processes
  return { idle, after: service.memory(), primary, workers, startMs: Math.round(startMs) }
}

async function save(page) {
  const write = (file, text) => writeFile(new URL(file, import.meta.url), text)
  await write('results.json', `${JSON.stringify(page, null, 2)}\n`)
  // Formatted as the linter requires of every file.
  spawnSync('npx', ['biome', 'format', '--write', 'bench/results.json'], { cwd: FOLDER })
  await write('results.md', resultsPage(page))
  await write('../docs/scale.md', scalePage(page))
}
