// Measures each scenario against its two floors and writes the table. The method is in README.md.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../dist/db/embedded/start.js'
import { migrate, readMigrations } from '../dist/db/migrate.js'
import { missedAim } from './aim.js'
import { fill } from './data.js'
import { load, SECONDS, startServer } from './processes.js'
import { record } from './record.js'
import { scenarios } from './scenarios.js'
import { measureVersions, ofSdk, versionsTable } from './versions.js'

const ROUNDS = 3
const SERVERS = ['constant', 'statements', 'cartwright']

const dataDir = await mkdtemp(join(tmpdir(), 'cartwright-bench-'))
const postgres = await startEmbedded({ dataDir, purpose: 'server' })
try {
  await migrate(postgres.connection, await readMigrations())
  console.log('filling the database …')
  const shop = await fill(postgres.connection, dataDir)
  const all = scenarios(shop)
  const isOfVersions = process.argv[2] === undefined || process.argv[2] === 'versions'
  const wanted = all.filter(({ name }) => name.includes(process.argv[2] ?? ''))
  if (wanted.length === 0 && !isOfVersions)
    throw new Error(`There is no scenario with "${process.argv[2]}" in its name.`)
  const recorded = await record(postgres.connection, dataDir, wanted)
  const results = []
  for (const scenario of wanted) results.push(await measure(scenario, recorded.get(scenario)))
  const aged = isOfVersions ? await measureVersions(all, { connection: postgres.connection, dataDir }) : []
  const page = report(results) + versionsTable(aged)
  console.log(`\n${page}`)
  if (process.argv[2] === undefined) await writeFile(new URL('results.md', import.meta.url), page)
  for (const missed of [missedAim(aged), missedAim(ofSdk(aged), 'by the SDK without a version')])
    if (missed !== null) {
      console.error(missed)
      process.exitCode = 1
    }
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** Every server is new for every scenario, so that none is warmer than another. */
async function measure(scenario, recorded) {
  const database = { connection: postgres.connection, dataDir }
  const servers = {
    constant: await startServer('constant', { ...database, recorded }),
    statements: await startServer('statements', { ...database, recorded }),
    cartwright: await startServer('cartwright', database),
  }
  const idle = await servers.cartwright.memory()
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const figures = {}
    // Turned by one each round: the first in a row meets caches that the others have warmed.
    for (let turn = 0; turn < SERVERS.length; turn++) {
      const name = SERVERS[(turn + round) % SERVERS.length]
      // A constant answer uses nothing up.
      const isEachOnce = scenario.isEachOnce && name !== 'constant'
      figures[name] = await load(servers[name].port, { ...scenario, isEachOnce })
      if (isEachOnce) scenario.targets.splice(0, figures[name].used)
    }
    rounds.push(figures)
    console.log(
      `${scenario.name}, round ${round + 1}: ${SERVERS.map((name) => `${name} ${Math.round(figures[name].rate)}/s`).join(', ')}`,
    )
  }
  const memory = { idle, after: await servers.cartwright.memory() }
  for (const server of Object.values(servers)) await server.stop()
  const sum = (read) => recorded.steps.map(read).reduce((one, other) => one + other)
  return {
    scenario,
    statements: sum(({ statements }) => statements.length),
    bytes: sum(({ bytes }) => bytes),
    rounds,
    memory,
  }
}

function report(results) {
  const rows = results.map(({ scenario, statements, bytes, rounds, memory }) => {
    const ratio = (read) => spread(rounds.map(read))
    return `| ${[
      scenario.name,
      scenario.connections,
      statements,
      `${(bytes / 1024).toFixed(1)} KB`,
      ratio(({ cartwright, statements: floor }) => cartwright.rate / floor.rate),
      ratio(({ cartwright, statements: floor }) => cartwright.p99 / floor.p99),
      ratio(({ cartwright, constant }) => cartwright.rate / constant.rate),
      `${memory.idle.rss} → ${memory.after.rss} MB`,
    ].join(' | ')} |`
  })
  return `# Results

Written by \`npm run bench\`: ${ROUNDS} rounds of ${SECONDS} s, ${cpus().length} cores, Node.js ${process.versions.node}.
A ratio is ours over the floor's, median (lowest – highest of the rounds).

| scenario | clients | statements | body | throughput over floor (a) | p99 over floor (a) | throughput over floor (b) | memory |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

Memory is the resident set of our server, after start → after the load.
`
}

function spread(values) {
  const [low, median, high] = values.sort((a, b) => a - b)
  return `${median.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`
}
