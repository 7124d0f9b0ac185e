// Text for a header or a line of its own: whatever would end the line, or turn around how it reads, becomes a blank.

// C0 and C1 controls, the line and paragraph separators, and the marks that reverse the direction of what follows.
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

export const oneLine = (text: string, longest = 200): string => {
  const line = text.replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim()
  const letters = [...line]
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : line
}
