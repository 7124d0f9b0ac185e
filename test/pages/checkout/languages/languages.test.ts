// @unit
// Every language says all that English says, with the same names and numbers in it, in its own words and with its own marks.

import { describe, expect, it } from 'vitest'
import { REFUSAL_CODES, type RefusalCode } from '../../../../src/lib/words/refusals.ts'
import { waitPhrase } from '../../../../src/pages/checkout/languages/grammar.ts'
import { checkoutRefusalText, type Messages, messagesIn } from '../../../../src/pages/checkout/languages/index.ts'
import { LANGUAGES, type Language } from '../../../../src/pages/checkout/model.ts'

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

const NUMBERS = ['count', 'left', 'most', 'seconds', 'at']

/** What each parameter is given: a word that no language has, so that it can be found again; of a number, seven. */
const given = (leaveOut: readonly string[]) =>
  new Proxy({} as Record<string, unknown>, {
    get(_, name) {
      if (typeof name !== 'string' || leaveOut.includes(name)) return undefined
      if (name === 'field') return 'email'
      if (name === 'fields') return ['Zqfields']
      return NUMBERS.includes(name) ? 7 : `Zq${name}`
    },
  })

type Said = ReadonlyMap<string, string>

/** Every text by its path; of what asks for something, as it is with all of it, and without a product. */
function saidIn(words: Messages): Said {
  const said = new Map<string, string>()
  const visit = (path: string, value: unknown) => {
    if (typeof value === 'string') said.set(path, value)
    else if (typeof value === 'function') {
      said.set(path, String(value(given([]))))
      said.set(`${path} of none`, String(value(given(['product']))))
    } else
      for (const [name, part] of Object.entries(value as object)) visit(path === '' ? name : `${path}.${name}`, part)
  }
  visit('', words)
  return said
}

const english = saidIn(messagesIn('en'))

/** Not met by a checkout: English has them from the API's own table. */
const ELSEWHERE: readonly RefusalCode[] = [
  ...(['email_taken', 'category_gone', 'customer_unknown', 'login_link_over', 'login_over'] as const),
  ...(['too_many_login_links', 'too_many_logins', 'too_many_email_changes'] as const),
]
const isElsewhere = (path: string) =>
  ELSEWHERE.some((code) => path === `refusals.${code}` || path === `refusals.${code} of none`)

/** English sentences that others put together of the fields they name, or of the provider's own words, which are English. */
const OWN_WORDS = ['refusals.check_fields', 'refusals.payment_declined']

const marksOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/zq[a-z]+|\{\w+\}|7/g) ?? [])].sort()

/** The same word in both languages, or no word at all. */
const SAME: Readonly<Partial<Record<Language, readonly string[]>>> = {
  de: ['regions.oblast'],
  fr: ['total', 'regions.province', 'regions.oblast', 'towns.district'],
  es: ['errorTitle', 'errorMark', 'subtotal', 'total'],
  it: ['regions.oblast'],
  nl: ['postalCodes.postcode', 'regions.oblast', 'towns.district'],
  pt: ['email', 'subtotal', 'total', 'regions.oblast'],
}
/** Signs and names alone. */
const WORDLESS = ['titleAt', 'titleAt of none', 'optionAdds', 'optionAdds of none']

describe.each(OTHERS)('the checkout in %s', (language) => {
  const words = messagesIn(language)
  const said = saidIn(words)

  it('has every text, and no other', () => {
    expect([...said.keys()].sort()).toEqual([...english.keys()].filter((path) => !isElsewhere(path)).sort())
    for (const [path, text] of said) expect([path, text.trim() === text && text !== '']).toEqual([path, true])
  })

  it('names what English names, the numbers too', () => {
    for (const [path, text] of said)
      if (!OWN_WORDS.some((own) => path.startsWith(own)))
        expect([path, marksOf(text)]).toEqual([path, marksOf(english.get(path) ?? '')])
  })

  it('leaves nothing in English', () => {
    const same = [...said].filter(([path, text]) => text === english.get(path)).map(([path]) => path)
    const allowed = [...(SAME[language] ?? []), ...WORDLESS]
    const left = same.filter((path) => !allowed.includes(path.replace(/ of none$/, '')) && !allowed.includes(path))
    expect(left).toEqual([])
    // An exception that has become idle would hide the next one.
    expect((SAME[language] ?? []).filter((path) => !same.includes(path))).toEqual([])
  })

  it('says every refusal that a checkout can meet in a sentence of its own', () => {
    const codes = REFUSAL_CODES.filter((code) => !ELSEWHERE.includes(code))
    const sentences = codes.map((code) => checkoutRefusalText(words, { code, params: given([]) }))
    const unclear = checkoutRefusalText(words, { code: 'request_not_right', params: {} })
    for (const [place, code] of codes.entries()) {
      const sentence = sentences[place] ?? ''
      expect([code, code === 'request_not_right' || sentence !== unclear]).toEqual([code, true])
      expect([code, sentence]).toEqual([code, expect.stringMatching(language === 'ja' ? /。$|：Zqname$/ : /\.$/)])
    }
    for (const code of ELSEWHERE) expect(checkoutRefusalText(words, { code, params: given([]) })).toBe(unclear)
  })

  it('uses the marks of the language', () => {
    for (const [path, text] of said) {
      expect([path, text, /['"]/.test(text)]).toEqual([path, text, false])
      if (language === 'fr') {
        // A narrow space that does not break stands before them.
        expect([path, text, /(?:^|[^\u202f])[;:!?»](?:\s|$)/.test(text)]).toEqual([path, text, false])
        expect([path, text, /«(?!\u202f)/.test(text)]).toEqual([path, text, false])
      } else expect([path, text, /\s[;:!?]|\u202f/.test(text)]).toEqual([path, text, false])
      if (language === 'ja') expect([path, text, /[.,!?:;()](?=\s|$)/.test(text)]).toEqual([path, text, false])
      if (language === 'es') expect([path, /\?/.test(text) === /¿/.test(text)]).toEqual([path, true])
    }
  })
})

describe('numbers', () => {
  it('have the forms of the language', () => {
    const titles = (language: Language) => [1, 2, 5, 22].map((count) => messagesIn(language).problemsTitle({ count }))
    expect(titles('pl')).toEqual([
      'Jedna rzecz wymaga uwagi',
      '2 rzeczy wymagają uwagi',
      '5 rzeczy wymaga uwagi',
      '22 rzeczy wymagają uwagi',
    ])
    expect(titles('fr').slice(0, 2)).toEqual(['Un point est à revoir', '2 points sont à revoir'])
    const left = (language: Language, count: number) =>
      checkoutRefusalText(messagesIn(language), { code: 'not_enough', params: { left: count } })
    const sentences = ['Została tylko 1 sztuka.', 'Zostały tylko 3 sztuki.', 'Zostało tylko 5 sztuk.']
    expect([1, 3, 5].map((count) => left('pl', count))).toEqual(sentences)
    expect(checkoutRefusalText(messagesIn('pl'), { code: 'not_enough', params: { left: 2, product: 'Tea #1' } })).toBe(
      '„Tea #1”: zostały tylko 2 sztuki.',
    )
    expect(LANGUAGES.map((language) => left(language, 0)).filter((text) => /0/.test(text))).toEqual([])
  })

  it('say how long to wait, never too short', () => {
    expect([0, 1, 40, 60, 90, 119, 120, 601, 3_600, 3_601].map((seconds) => waitPhrase('de', seconds))).toEqual([
      ...['in 1 Sekunde', 'in 1 Sekunde', 'in 40 Sekunden', 'in 1 Minute', 'in 90 Sekunden', 'in 119 Sekunden'],
      ...['in 2 Minuten', 'in 11 Minuten', 'in 1 Stunde', 'in 2 Stunden'],
    ])
    expect(checkoutRefusalText(messagesIn('pl'), { code: 'too_many_codes', params: { seconds: 60 } })).toContain(
      'za 1 minutę',
    )
    expect(checkoutRefusalText(messagesIn('ja'), { code: 'too_many_codes', params: { seconds: 600 } })).toContain(
      '10分後に',
    )
  })

  it('leave a sign in the name of a product alone', () => {
    for (const language of OTHERS)
      expect([
        language,
        checkoutRefusalText(messagesIn(language), { code: 'not_enough', params: { left: 1, product: 'A # $& B' } }),
      ]).toEqual([language, expect.stringContaining('A # $& B')])
  })
})

it('declines are told by the provider’s reason in every language', () => {
  for (const language of LANGUAGES) {
    const words = messagesIn(language)
    const told = checkoutRefusalText(words, {
      code: 'payment_declined',
      params: { reason: 'No.', decline: 'insufficient_funds' },
    })
    expect(told).toBe(words.declines.insufficient_funds)
  }
})
