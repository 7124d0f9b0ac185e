// Texts that make a backtracking engine work: what an expression matches a part of, over and over, and then something that it does not.

type Part =
  | { readonly kind: 'text'; readonly samples: readonly string[] }
  | { readonly kind: 'choice'; readonly ways: readonly (readonly Part[])[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number }

/** `before` is written once, `pump` as often as the text is to be long. */
export type Attack = { readonly before: string; readonly pump: string }

/** Tried for each class of characters; the first few that it takes stand for it. */
const TRIED = [...'a0 -.A_</>"\'\\&=:;,@[]({%+!?#*$^~|`', '\n', '\t', '\u00a0', '\u200d', '\ufffd', '\u0001', 'é', '中']
const SAMPLES = 3
const MOST_ATTACKS = 80

export function attacksOn({ source, flags }: RegExp): Attack[] {
  const parts = parse(source, flags)
  const attacks = new Map<string, Attack>()
  const add = (before: string, pump: string) => {
    if (pump !== '' && attacks.size < MOST_ATTACKS) attacks.set(JSON.stringify([before, pump]), { before, pump })
  }
  for (const way of parts) walk(way, '', add)
  return [...attacks.values()]
}

/** Each prefix of what the parts match is repeated, from the beginning of the text; each body of a repetition, behind what leads to it. */
function walk(parts: readonly Part[], before: string, add: (before: string, pump: string) => void) {
  let matched = before
  for (const part of parts) {
    if (part.kind === 'repeat') {
      for (const body of samplesOf(part.part)) {
        add(matched, body)
        // Not at the beginning, where another way may have eaten it.
        add(`x${matched}`, body)
        add('', matched + body)
      }
      walk([part.part], matched, add)
    } else if (part.kind === 'choice') for (const way of part.ways) walk(way, matched, add)
    else for (const sample of part.samples) add('', matched + sample)
    matched += samplesOf(part)[0] ?? ''
    add('', matched)
  }
}

function samplesOf(part: Part): readonly string[] {
  if (part.kind === 'text') return part.samples
  if (part.kind === 'choice') return part.ways.map((way) => way.map((each) => samplesOf(each)[0] ?? '').join(''))
  const times = Math.min(Math.max(part.least, 1), part.most)
  return samplesOf(part.part).map((sample) => sample.repeat(times))
}

const EMPTY: Part = { kind: 'text', samples: [''] }

function parse(source: string, flags: string): readonly (readonly Part[])[] {
  const classFlags = flags.replace(/[gy]/g, '')
  let at = 0
  const charOf = (unit: string): Part => {
    const one = new RegExp(`^(?:${unit})$`, classFlags)
    const own = unit.startsWith('\\') ? [] : [unit]
    return { kind: 'text', samples: [...own, ...TRIED].filter((char) => one.test(char)).slice(0, SAMPLES) }
  }

  function readChoice(): (readonly Part[])[] {
    const ways: Part[][] = [[]]
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++
        ways.push([])
      } else ways.at(-1)?.push(readQuantified())
    }
    return ways
  }

  function readQuantified(): Part {
    const part = readUnit()
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at))
    if (quantifier === null) return part
    at += quantifier[0].length
    const [sign = '', least, comma, most] = quantifier
    if (sign.startsWith('*')) return { kind: 'repeat', part, least: 0, most: Number.POSITIVE_INFINITY }
    if (sign.startsWith('+')) return { kind: 'repeat', part, least: 1, most: Number.POSITIVE_INFINITY }
    if (sign.startsWith('?')) return { kind: 'repeat', part, least: 0, most: 1 }
    const end = comma === '' ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)
    return { kind: 'repeat', part, least: Number(least), most: end }
  }

  function readUnit(): Part {
    const rest = source.slice(at)
    const opening = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest)
    if (opening !== null) {
      at += opening[0].length
      const ways = readChoice()
      at++
      // What must not follow is worth trying too.
      return { kind: 'choice', ways }
    }
    const unit =
      /^\[(?:\\[\s\S]|[^\]\\])*\]/.exec(rest)?.[0] ??
      /^\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]*\}|k<\w+>|[\s\S])/i.exec(rest)?.[0] ??
      String.fromCodePoint(rest.codePointAt(0) ?? 0)
    at += unit.length
    if (/^(?:[$^]|\\[bB\d])$/.test(unit)) return EMPTY
    return charOf(unit)
  }

  return readChoice()
}
