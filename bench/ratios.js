// Two sides, measured in turn, and what their ratio is.

import { round } from './side.js'

/** Student's t for n − 1 degrees of freedom: 95 % of all means lie within so many standard errors. */
const T_95 = [0, 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145]

export const medianOf = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The mean of ratios and its 95 % interval. Of their logarithms, so that a half and a double cancel out. */
export function interval(ratios) {
  const logs = ratios.map(Math.log)
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, logs.length - 1)
  const error = logs.length < 2 ? 0 : (T_95[logs.length] ?? 2.1) * Math.sqrt(variance / logs.length)
  return { mean: Math.exp(mean), low: Math.exp(mean - error), high: Math.exp(mean + error) }
}

export const shown = ({ mean, low, high }) => `${mean.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`

const cpuOf = ({ serverMs, databaseMs }) => serverMs + databaseMs

/**
 * Rounds in which both take their turn, so that a slow minute of the machine hits both. `throughput` is the first's over the second's, `cpu`
 * the second's over the first's, so that more is better in both.
 */
export async function measurePair(pair, name, { rounds, seconds, clients }) {
  const figures = [[], []]
  // The first warms up and does not count.
  for (let number = -1; number < rounds; number++)
    for (const turn of [0, 1]) {
      const index = (turn + number + 1) % 2
      const one = await round(pair[index], name, { clients, seconds: number === -1 ? 0.5 : seconds })
      if (number >= 0) figures[index].push(one)
    }
  const [first, second] = figures
  return {
    sides: figures.map(summary),
    throughput: interval(first.map(({ rate }, index) => rate / second[index].rate)),
    cpu: interval(first.map((one, index) => cpuOf(second[index]) / cpuOf(one))),
  }
}

/** The medians of some rounds. */
export function summary(rounds) {
  const of = (read) => medianOf(rounds.map(read))
  const names = ['rate', 'p50', 'p99', 'serverMs', 'databaseMs', 'walBytes', 'memory']
  return Object.fromEntries(names.map((name) => [name, of((one) => one[name])]))
}
