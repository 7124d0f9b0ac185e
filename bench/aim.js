// What the oldest version, and the SDK without one, may at least do of what the newest does, and whether it was met. Apart, so that it is tried without a measurement.

import { medianOf } from './statistics.js'

/** By the scenario that it is promised for. */
export const AIM = { name: 'read a cart', least: 0.85 }

/** The sentence that ends the bench with a failure; null where all is well, or nothing of it was measured. */
export function missedAim(results, whose = 'in the oldest version') {
  if (results.length === 0) return null
  const measured = results.find(({ name }) => name === AIM.name)
  // A scenario that was given another name must not take the aim with it.
  if (measured === undefined) return `"${AIM.name}" was not measured, and the aim is for it.`
  const median = medianOf(measured.ratios)
  if (median >= AIM.least) return null
  return `"${AIM.name}" ${whose} does ${median.toFixed(3)} of what it does in the newest; the aim is ${AIM.least}.`
}
