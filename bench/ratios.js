// Measures two sides in turn, and computes their ratio.

import { round } from './side.js'
import { interval, medianOf } from './statistics.js'

export const shown = ({ mean, low, high }) => `${mean.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`

const cpuOf = ({ serverMs, databaseMs }) => serverMs + databaseMs

/**
 * Runs rounds in which both sides take turns, so that a slow minute of the machine affects both. `throughput` is first over second and
 * `cpu` is second over first, so more is better in both.
 */
export async function measurePair(pair, name, { rounds, seconds, clients }) {
  const figures = [[], []]
  // The first round is a warm-up and does not count.
  for (let number = -1; number < rounds; number++)
    for (const turn of [0, 1]) {
      const index = (turn + number + 1) % 2
      const one = await round(pair[index], name, { clients, seconds: number === -1 ? 0.5 : seconds }).catch((error) => {
        throw new Error(`${index === 0 ? 'ours' : 'theirs'}: ${error.message}`, { cause: error })
      })
      if (number >= 0) figures[index].push(one)
    }
  const [first, second] = figures
  return {
    sides: figures.map(summary),
    throughput: interval(first.map(({ rate }, index) => rate / second[index].rate)),
    cpu: interval(first.map((one, index) => cpuOf(second[index]) / cpuOf(one))),
  }
}

/** Returns the median of each figure. */
export function summary(rounds) {
  const of = (read) => medianOf(rounds.map(read))
  const names = ['rate', 'p50', 'p99', 'serverMs', 'databaseMs', 'walBytes', 'memory']
  return Object.fromEntries(names.map((name) => [name, of((one) => one[name])]))
}
