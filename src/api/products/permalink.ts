// Permalinks: what one may look like, and those that are tried for a product that comes without one.

import { randomInt } from 'node:crypto'
import { isSlug } from '../../lib/slug.ts'

/** Why it cannot be a permalink, or null. It becomes a part of a path, also with clients that do not encode it. */
export const refusePermalink = (permalink: string): string | null =>
  isSlug(permalink)
    ? null
    : 'permalink must begin with a letter a to z or a digit and may hold letters a to z, digits, hyphens, underscores, dots and tildes.'

const LONGEST_SLUG = 100
const NUMBERED = 5
const RANDOM_TRIES = 5
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** In turn: the name as a slug, the slug with a small number, the slug with random characters, of which one is always free. */
export function* permalinksFor(name: string): Generator<string> {
  const slug = slugOf(name)
  if (slug !== '') {
    yield slug
    for (let number = 2; number <= NUMBERED; number++) yield `${slug}-${number}`
  }
  for (let tries = 0; tries < RANDOM_TRIES; tries++) yield slug === '' ? randomText() : `${slug}-${randomText()}`
}

/** `Crème brûlée, 2 pcs` → `creme-brulee-2-pcs`; nothing is left of a name in another script. */
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '')

const randomText = () => Array.from({ length: 8 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
