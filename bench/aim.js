// The aim: the minimum throughput of the oldest version, and of the SDK without one, relative to the newest. A separate file, so that it
// can be tested without a measurement.

import { medianOf } from './statistics.js'

/** The scenario that the aim applies to. */
export const AIM = { name: 'read a cart', least: 0.85 }

/** Returns the sentence that fails the bench; null if the aim was met, or no version was measured. */
export function missedAim(results, whose = 'in the oldest version') {
  if (results.length === 0) return null
  const measured = results.find(({ name }) => name === AIM.name)
  // Renaming the scenario must not silently drop the aim.
  if (measured === undefined) return `"${AIM.name}" was not measured, and the aim is for it.`
  const median = medianOf(measured.ratios)
  if (median >= AIM.least) return null
  return `"${AIM.name}" ${whose} does ${median.toFixed(3)} of what it does in the newest; the aim is ${AIM.least}.`
}
