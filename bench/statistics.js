// Medians, and confidence intervals of means.

/** Student's t for n − 1 degrees of freedom: 95 % of all means lie within this many standard errors. */
const T_95 = [0, 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145]

/** @param {readonly number[]} values */
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/**
 * Returns the mean of ratios and its 95 % interval. It averages their logarithms, so that a half and a double cancel out.
 * @param {readonly number[]} ratios
 */
export function interval(ratios) {
  const logs = ratios.map(Math.log)
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, logs.length - 1)
  const error = logs.length < 2 ? 0 : (T_95[logs.length] ?? 2.1) * Math.sqrt(variance / logs.length)
  return { mean: Math.exp(mean), low: Math.exp(mean - error), high: Math.exp(mean + error) }
}
