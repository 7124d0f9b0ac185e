// Measures the cost of old API versions. One server gets the same requests in the oldest version, from the SDK without a version, and in
// the newest version.

import { AIM } from './aim.js'
import { round } from './side.js'
import { medianOf } from './statistics.js'

/** Reads, where translating to the old version is the largest part of the work. */
const SCENARIOS = [AIM.name, 'get a product', 'live']
const ROUNDS = 5
const SECONDS = 1
const CLIENTS = 8

/** Request headers per side. The SDK is compared with the newest version without its header, which needs no translation. */
const SIDES = {
  newest: { 'service-version': '2022-07-21' },
  oldest: { 'service-version': '2020-02-01' },
  sdk: { 'x-chec-agent': 'commerce.js/v2' },
}

export async function measureVersions(side, tell) {
  const results = []
  for (const name of SCENARIOS)
    try {
      const ratios = { oldest: [], sdk: [] }
      const names = Object.keys(SIDES)
      for (let number = 0; number < ROUNDS; number++) {
        const rates = {}
        // In turns, so that no side always benefits from another's warm-up.
        for (let turn = 0; turn < names.length; turn++) {
          const which = names[(turn + number) % names.length]
          rates[which] = (await round(side, name, { clients: CLIENTS, seconds: SECONDS, headers: SIDES[which] })).rate
        }
        for (const which of ['oldest', 'sdk']) ratios[which].push(rates[which] / rates.newest)
      }
      const inOrder = (list) => list.sort((a, b) => a - b)
      results.push({ name, ratios: inOrder(ratios.oldest), sdkRatios: inOrder(ratios.sdk) })
      tell(`${name}, oldest version and SDK: measured`)
    } catch (error) {
      tell(`${name}, oldest version and SDK: ${error.message}`)
    }
  return results
}

/** The SDK's ratios, in the form of a version's. */
export const ofSdk = (results) => results.map(({ name, sdkRatios }) => ({ name, ratios: sdkRatios }))

export function versionsTable(results) {
  if (results.length === 0) return ''
  const shown = (ratios) => `${medianOf(ratios).toFixed(2)} (${ratios[0].toFixed(2)} – ${ratios.at(-1).toFixed(2)})`
  const rows = results.map(({ name, ratios, sdkRatios }) => `| ${name} | ${shown(ratios)} | ${shown(sdkRatios)} |`)
  return `
## The oldest version, and the SDK without one

Throughput of requests in the oldest version, and of those of the SDK that names no version, over that of the same in the newest: median,
lowest and highest of ${ROUNDS} rounds each in turn, on one server. Aim: reading a cart at least ${AIM.least} for both.

| scenario | oldest | SDK without a version |
|---|---|---|
${rows.join('\n')}
`
}
