// What the past costs: the same requests in the oldest version and in the newest, side by side on one server.

import { versions } from '../dist/versions/index.js'
import { AIM, medianOf } from './aim.js'
import { load, startServer } from './processes.js'

/** Reading, where ageing is the most of the work. */
const SCENARIOS = [AIM.name, 'get a product', 'read live totals of 5 lines']
const ROUNDS = 5

export async function measureVersions(scenarios, database) {
  const dates = versions.map(({ date }) => date)
  const sides = { newest: dates[0], oldest: dates.at(-1) }
  const results = []
  for (const scenario of scenarios.filter(({ name }) => SCENARIOS.includes(name))) {
    const server = await startServer('cartwright', database)
    const ratios = []
    for (let round = 0; round < ROUNDS; round++) {
      const rates = {}
      // In turn, so that neither always meets what the other has warmed.
      for (const side of round % 2 === 0 ? ['newest', 'oldest'] : ['oldest', 'newest']) {
        const headers = { ...scenario.headers, 'service-version': sides[side] }
        rates[side] = (await load(server.port, { ...scenario, headers })).rate
      }
      console.log(
        `${scenario.name}: ${sides.newest} ${Math.round(rates.newest)}/s, ${sides.oldest} ${Math.round(rates.oldest)}/s`,
      )
      ratios.push(rates.oldest / rates.newest)
    }
    await server.stop()
    results.push({ name: scenario.name, ratios: ratios.sort((a, b) => a - b) })
  }
  return results
}

export function versionsTable(results) {
  if (results.length === 0) return ''
  const rows = results.map(({ name, ratios }) => {
    const [low, high] = [ratios[0], ratios.at(-1)]
    return `| ${name} | ${medianOf(ratios).toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)}) |`
  })
  return `
## The oldest version

Requests in the oldest version over the same in the newest, on one server, ${ROUNDS} rounds each in turn. Aim: reading a cart at least ${AIM.least}.

| scenario | throughput, oldest over newest |
|---|---|
${rows.join('\n')}
`
}
