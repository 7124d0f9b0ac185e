// What is wrong with a capture, gathered so that all of it is told at once.

import { type FieldErrors, notValid, unprocessable } from '../../lib/errors.ts'
import { shortPath } from '../../lib/json.ts'

export class Problems {
  readonly #malformed: FieldErrors = {}
  readonly #refused: FieldErrors = {}

  /** A field is missing or badly formed. `rule` goes on from the path: `must be a country`. No rule repeats what was sent. */
  malformed(path: string, rule: string) {
    add(this.#malformed, path, rule)
  }

  /** The field is well formed, and a rule refuses it. */
  refused(path: string, rule: string) {
    add(this.#refused, path, rule)
  }

  /** Whole sentences about fields that are missing or badly formed, from who knows them better. */
  malformedAs(errors: FieldErrors) {
    for (const [path, sentences] of Object.entries(errors))
      this.#malformed[path] = [...(this.#malformed[path] ?? []), ...sentences]
  }

  /** The same of a rule that refuses. */
  refusedAs(path: string, sentence: string) {
    this.#refused[path] = [...(this.#refused[path] ?? []), sentence]
  }

  has(path: string): boolean {
    return Object.hasOwn(this.#malformed, shortPath(path)) || Object.hasOwn(this.#refused, shortPath(path))
  }

  /** Where fields are badly formed, that is the name of the whole: what rules say of the rest may change once they are mended. */
  throwIfAny() {
    const [malformed, refused] = [Object.entries(this.#malformed), Object.entries(this.#refused)]
    if (malformed.length === 0 && refused.length > 0) throw notValid(this.#refused)
    if (malformed.length === 0) return
    const all = { ...this.#malformed }
    for (const [path, sentences] of refused) all[path] = [...(all[path] ?? []), ...sentences]
    throw unprocessable(all)
  }
}

function add(errors: FieldErrors, path: string, rule: string) {
  const short = shortPath(path)
  errors[short] = [...(errors[short] ?? []), `${short} ${rule}.`]
}

/** The text, unless it is missing or blank, as a field is that nobody has filled in. */
export const given = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text
