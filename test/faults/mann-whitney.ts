// Tests whether two lists of measurements differ: the rank test of Mann and Whitney, which makes no assumption about their distribution.

/** Returns the probability that lists this different come from the same source: near 0 if one is faster, however slightly. */
export function mannWhitney(ones: readonly number[], others: readonly number[]): number {
  const all = [...ones.map((value) => ({ value, isOne: true })), ...others.map((value) => ({ value, isOne: false }))]
  all.sort((left, right) => left.value - right.value)
  let [rankSum, ties] = [0, 0]
  for (let start = 0; start < all.length; ) {
    let end = start
    while (end < all.length && all[end]?.value === all[start]?.value) end += 1
    const [count, rank] = [end - start, (start + 1 + end) / 2]
    rankSum += rank * all.slice(start, end).filter(({ isOne }) => isOne).length
    ties += count ** 3 - count
    start = end
  }
  const [n, m, total] = [ones.length, others.length, all.length]
  const u = rankSum - (n * (n + 1)) / 2
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))))
  return 2 * upperTail(Math.abs(u - (n * m) / 2) / deviation)
}

/** Upper tail of the normal distribution; Abramowitz and Stegun 26.2.17, accurate to seven digits. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum
}
