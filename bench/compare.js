// Measures this build against another one, built beside it: `npm run bench:compare -- ../other [scenario]`. Each has a PostgreSQL of its own
// that its own code has filled; in every round both take their turn, so that a slow minute of the machine hits both.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { load, SECONDS, startServer } from './processes.js'

const ROUNDS = 15
/** Student's t for 14 degrees of freedom: 95 % of all means lie within so many standard errors. */
const T_95 = 2.145
/** A scenario is missed when its whole interval lies below. */
const LEAST = 0.97

const [other, word = ''] = process.argv.slice(2)
if (other === undefined) throw new Error('Name the folder of the other build: npm run bench:compare -- ../other')

const builds = [await open(fileURLToPath(new URL('../', import.meta.url))), await open(resolve(other))]
let isMissed = false
try {
  const [ours, theirs] = builds
  console.log(`rounds of ${SECONDS} s, ${ROUNDS} of each\n`)
  console.log(
    '| scenario | clients | statements, theirs → ours | ours over theirs, 95 % interval | |\n|---|---|---|---|---|',
  )
  for (const [index, scenario] of ours.scenarios.entries()) {
    if (!scenario.name.includes(word)) continue
    const line = await compare(
      { ...ours, scenario, recorded: ours.recorded.get(scenario) },
      { ...theirs, scenario: theirs.scenarios[index], recorded: theirs.recorded.get(theirs.scenarios[index]) },
    )
    console.log(line)
  }
  process.exitCode = isMissed ? 1 : 0
} finally {
  for (const build of builds) await build.close()
}

/** Starts a PostgreSQL, fills it with the build's own code, and gives what the build measures by. */
async function open(folder) {
  const of = (path) => import(pathToFileURL(join(folder, path)).href)
  const { startEmbedded } = await of('dist/db/embedded/start.js')
  const { migrate, readMigrations } = await of('dist/db/migrate.js')
  const dataDir = await mkdtemp(join(tmpdir(), 'cartwright-compare-'))
  const postgres = await startEmbedded({ dataDir, purpose: 'server' })
  const { connection } = postgres
  await migrate(connection, await readMigrations())
  const shop = await (await of('bench/data.js')).fill(connection, dataDir)
  const scenarios = (await of('bench/scenarios.js')).scenarios(shop)
  const recorded = await (await of('bench/record.js')).record(connection, dataDir, scenarios)
  const close = async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { folder, connection, dataDir, scenarios, recorded, close }
}

async function compare(...pair) {
  const servers = []
  for (const { folder, connection, dataDir } of pair)
    servers.push(await startServer('cartwright', { connection, dataDir }, join(folder, 'bench/server.js')))
  const ratios = []
  // The first round of each warms its server up and does not count.
  for (let round = -1; round < ROUNDS; round++) {
    const rates = []
    for (const turn of [0, 1]) {
      const index = (turn + round + 1) % 2
      const { scenario } = pair[index]
      const figures = await load(servers[index].port, scenario, { warmUpMs: round === -1 ? 1_000 : 100 })
      if (scenario.isEachOnce) scenario.targets.splice(0, figures.used)
      rates[index] = figures.rate
    }
    if (round >= 0) ratios.push(Math.log(rates[0] / rates[1]))
  }
  for (const server of servers) await server.stop()
  const { name, connections } = pair[0].scenario
  // With many clients on slow disks no purchase may both begin and end within a second.
  if (ratios.some((ratio) => !Number.isFinite(ratio)))
    return `| ${name} | ${connections} | | a round ended before anything did: set BENCH_SECONDS higher | |`
  const mean = ratios.reduce((sum, each) => sum + each, 0) / ROUNDS
  const variance = ratios.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (ROUNDS - 1)
  const error = T_95 * Math.sqrt(variance / ROUNDS)
  const [low, middle, high] = [mean - error, mean, mean + error].map((each) => Math.exp(each).toFixed(3))
  const [ours, theirs] = pair.map(({ recorded }) =>
    recorded.steps.reduce((sum, step) => sum + step.statements.length, 0),
  )
  const hasMissed = Number(high) < LEAST || ours > theirs
  isMissed ||= hasMissed
  return `| ${name} | ${connections} | ${theirs} → ${ours} | ${middle} (${low} – ${high}) | ${hasMissed ? 'missed' : ''} |`
}
