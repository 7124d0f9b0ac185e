// Compares this build with another built checkout: `npm run bench:compare -- ../other`. Each has its own server and PostgreSQL, filled
// alike. Both take turns in every round, so that a slow minute of the machine affects both. `--save` writes the table to compared.md.

import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chosen, readOptions } from './options.js'
import { measurePair, shown } from './ratios.js'
import { scenarios } from './scenarios.js'
import { fillSide, openSide, statementsOf } from './side.js'

const BY_HAND = '## Entered by hand'

/** A scenario misses the aim if its whole interval is below this. */
const LEAST = 0.97

const options = readOptions({ rounds: 8, seconds: 2 })
const { rounds, seconds, clients, rows, isAsInLife, isAnalysed } = options
const [other] = options.positionals
if (other === undefined)
  throw new Error('Name the folder of the other build: npm run bench:compare -- ../other [--only cart] [--seconds 1]')

const sides = []
const table = []
try {
  for (const folder of [fileURLToPath(new URL('../', import.meta.url)), resolve(other)]) {
    console.log(`starting ${folder} …`)
    sides.push(await openSide(folder, { isAsInLife }))
  }
  for (const side of sides) {
    await fillSide(side, { rows })
    // Give both sides the best possible plans, so that only the work itself differs.
    if (isAnalysed) await side.service.admin.query('analyze')
    console.log(`filled in ${side.filled.seconds.toFixed(0)} s`)
  }
  tell(`\n${rounds} rounds of ${seconds} s, ${clients} clients, ${rows} rows. Ours against theirs: more is better.\n`)
  tell(
    '| scenario | statements, theirs → ours | per second, theirs → ours | p99, theirs → ours | CPU ms (server + database), theirs → ours | × throughput, 95 % interval | × less CPU, 95 % interval | |',
  )
  tell('|---|---|---|---|---|---|---|---|')
  for (const { name } of chosen(scenarios(sides[0].shop), options.only)) tell(await line(name))
  if (options.isToSave) {
    const kept = new URL('compared.md', import.meta.url)
    await writeFile(kept, page(resolve(other)) + byHand(await readFile(kept, 'utf8').catch(() => '')))
  }
} finally {
  for (const side of sides) await side.service.close()
}

function tell(said) {
  console.log(said)
  table.push(said)
}

/**
 * Keeps the section entered by hand, which contains runs with other options. Review it after saving a new table, because it describes the
 * former one.
 */
function byHand(former) {
  const start = former.indexOf(BY_HAND)
  return start === -1 ? '' : `\n${former.slice(start)}`
}

function page(folder) {
  const git = (...args) => spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).stdout.trim()
  return `# Compared with ${git('rev-parse', '--short', 'HEAD')}

Written by \`npm run bench:compare\` on ${cpus().length} cores, Node.js ${process.versions.node}. Both sides were measured in the same minutes, each with a
server and a PostgreSQL of its own; the tables were filled after all statements had been planned, and ${isAnalysed ? 'then analysed' : 'never analysed'}.
${table.join('\n')}
`
}

/** A failed scenario reports its error, and the run continues. */
async function line(name) {
  try {
    const statements = []
    for (const side of sides) statements.unshift((await statementsOf(side, name)).toFixed(0))
    const { sides: figures, throughput, cpu } = await measurePair(sides, name, { rounds, seconds, clients })
    const [ours, theirs] = figures
    const both = (read) => `${read(theirs)} → ${read(ours)}`
    const isMissed = cpu.high < LEAST || throughput.high < LEAST
    if (isMissed) process.exitCode = 1
    return `| ${[
      name,
      statements.join(' → '),
      both(({ rate }) => rate.toFixed(0)),
      both(({ p99 }) => `${p99.toFixed(1)} ms`),
      both(({ serverMs, databaseMs }) => `${serverMs.toFixed(2)} + ${databaseMs.toFixed(2)}`),
      shown(throughput),
      shown(cpu),
      isMissed ? 'missed' : '',
    ].join(' | ')} |`
  } catch (error) {
    process.exitCode = 1
    return `| ${name} | failed: ${error.message.replaceAll('|', '/').replaceAll('\n', ' ')} | | | | | | |`
  }
}
