// The name of an order for people: the merchant's name in capitals without vowels and blanks, a dash, a counter. `XMPLCHCKT-267`

const LONGEST = 20

/** For a name of which nothing remains, such as Io. */
const FALLBACK = 'ORDER'

export function customerReference(merchantName: string, number: number): string {
  const consonants = merchantName
    // Taken apart, so that an accented vowel is a vowel and an accented consonant is still a letter that can be typed.
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[AEIOU\p{Z}\p{C}]/gu, '')
  return `${[...consonants].slice(0, LONGEST).join('') || FALLBACK}-${number}`
}
