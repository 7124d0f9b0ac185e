// What the past costs: the same requests in the oldest version, and by the SDK that names none, and in the newest, side by side on one server.

import { versions } from '../dist/versions/index.js'
import { AIM, medianOf } from './aim.js'
import { load, startServer } from './processes.js'

/** Reading, where ageing is the most of the work. */
const SCENARIOS = [AIM.name, 'get a product', 'read live totals of 5 lines']
const ROUNDS = 5

/** By what each asks. The SDK's own share is held against the newest version without its header, which pays nothing. */
const SDK = { 'x-chec-agent': 'commerce.js/v2' }

export async function measureVersions(scenarios, database) {
  const dates = versions.map(({ date }) => date)
  const sides = {
    newest: { 'service-version': dates[0] },
    oldest: { 'service-version': dates.at(-1) },
    sdk: SDK,
  }
  const results = []
  for (const scenario of scenarios.filter(({ name }) => SCENARIOS.includes(name))) {
    const server = await startServer('cartwright', database)
    const ratios = { oldest: [], sdk: [] }
    const names = Object.keys(sides)
    for (let round = 0; round < ROUNDS; round++) {
      const rates = {}
      // In turn, so that none always meets what another has warmed.
      for (let turn = 0; turn < names.length; turn++) {
        const side = names[(turn + round) % names.length]
        rates[side] = (await load(server.port, { ...scenario, headers: { ...scenario.headers, ...sides[side] } })).rate
      }
      console.log(`${scenario.name}: ${names.map((side) => `${side} ${Math.round(rates[side])}/s`).join(', ')}`)
      for (const side of ['oldest', 'sdk']) ratios[side].push(rates[side] / rates.newest)
    }
    await server.stop()
    const inOrder = (list) => list.sort((a, b) => a - b)
    results.push({ name: scenario.name, ratios: inOrder(ratios.oldest), sdkRatios: inOrder(ratios.sdk) })
  }
  return results
}

/** The same figures as those of a version. */
export const ofSdk = (results) => results.map(({ name, sdkRatios }) => ({ name, ratios: sdkRatios }))

export function versionsTable(results) {
  if (results.length === 0) return ''
  const shown = (ratios) => `${medianOf(ratios).toFixed(2)} (${ratios[0].toFixed(2)} – ${ratios.at(-1).toFixed(2)})`
  const rows = results.map(({ name, ratios, sdkRatios }) => `| ${name} | ${shown(ratios)} | ${shown(sdkRatios)} |`)
  return `
## The oldest version, and the SDK without one

Requests in the oldest version, and those of the SDK that names no version, over the same in the newest, on one server, ${ROUNDS} rounds each in
turn. Aim: reading a cart at least ${AIM.least} for both.

| scenario | throughput, oldest over newest | SDK without a version over newest |
|---|---|---|
${rows.join('\n')}
`
}
