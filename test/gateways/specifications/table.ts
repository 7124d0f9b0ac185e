// How a table of a provider's published fields is written, and how a body is held against it. What each provider has is in its own file.

/** Lengths are of text. `only`: the values there are. `anything`: what the provider keeps for us, unread. */
export type Field =
  | {
      readonly is: 'text'
      readonly least?: number
      readonly most?: number
      readonly like?: RegExp
      readonly only?: readonly string[]
    }
  | { readonly is: 'yes or no' | 'integer' | 'anything' }
  | { readonly is: 'list'; readonly of: Field; readonly least?: number; readonly most?: number }
  | { readonly is: 'object'; readonly fields: Readonly<Record<string, Field>>; readonly needs?: readonly string[] }
  | { readonly is: 'null or'; readonly of: Field }

export type Table = Field

export const text = (most?: number, least = 1): Field => ({
  is: 'text',
  least,
  ...(most === undefined ? {} : { most }),
})
export const one = (...only: readonly string[]): Field => ({ is: 'text', only })
export const like = (pattern: RegExp, most?: number): Field => ({
  is: 'text',
  like: pattern,
  ...(most === undefined ? {} : { most }),
})
export const list = (of: Field, limits: { least?: number; most?: number } = {}): Field => ({
  is: 'list',
  of,
  ...limits,
})
export const object = (fields: Readonly<Record<string, Field>>, needs: readonly string[] = []): Field => ({
  is: 'object',
  fields,
  needs,
})
export const orNull = (of: Field): Field => ({ is: 'null or', of })

/** What is wrong with a value by its table; none where all is well. `null`: there must be no body. */
export function mistakesIn(value: unknown, table: Table | null, at = 'body'): readonly string[] {
  if (table === null) return value === undefined ? [] : [`${at} must be empty`]
  switch (table.is) {
    case 'text': {
      if (typeof value !== 'string') return [`${at} must be text`]
      const { least = 0, most = Number.POSITIVE_INFINITY, like: pattern = /^/, only = [value] } = table
      const isFine = value.length >= least && value.length <= most && pattern.test(value) && only.includes(value)
      return isFine ? [] : [`${at} must not be "${value}"`]
    }
    case 'yes or no':
      return typeof value === 'boolean' ? [] : [`${at} must be true or false`]
    case 'integer':
      return Number.isSafeInteger(value) ? [] : [`${at} must be a whole number`]
    case 'anything':
      return []
    case 'null or':
      return value === null ? [] : mistakesIn(value, table.of, at)
    case 'list': {
      if (!Array.isArray(value)) return [`${at} must be a list`]
      const { least = 0, most = Number.POSITIVE_INFINITY, of } = table
      const count = value.length >= least && value.length <= most ? [] : [`${at} has ${value.length} entries`]
      return [...count, ...value.flatMap((each, index) => mistakesIn(each, of, `${at}[${index}]`))]
    }
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} must be an object`]
      const missing = (table.needs ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`)
      const others = Object.entries(value).flatMap(([name, each]) => {
        const field = table.fields[name]
        if (each === undefined) return []
        return field === undefined ? [`${at}.${name} is not known`] : mistakesIn(each, field, `${at}.${name}`)
      })
      return [...missing, ...others]
    }
  }
}
