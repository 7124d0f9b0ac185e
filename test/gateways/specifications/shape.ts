// How the tables of this folder are written, and how something is held against one: the fields of requests that a provider's API takes, their
// types, limits and values. A field that stands in no table is a mistake, also where the provider would take it.

type TextShape = {
  readonly is: 'text'
  readonly least?: number
  readonly most?: number
  readonly values?: readonly string[]
  readonly like?: RegExp
}
export type Fields = Readonly<Record<string, Shape>>
export type ObjectShape = { readonly is: 'object'; readonly fields: Fields; readonly required: readonly string[] }
export type Shape =
  | TextShape
  | { readonly is: 'integer'; readonly least?: number }
  | { readonly is: 'boolean' }
  | ObjectShape
  | { readonly is: 'list'; readonly of: Shape; readonly least?: number; readonly most?: number }
  | { readonly is: 'nothing' }
  /** A rule of one provider: what is wrong with the value, or null. */
  | { readonly is: 'own'; brokenBy(value: unknown): string | null }

/** `most` undefined: of any length. Without `least` it may be empty. */
export const text = (most?: number, least = 0): TextShape => ({
  is: 'text',
  least,
  ...(most === undefined ? {} : { most }),
})
export const like = (pattern: RegExp, most?: number): TextShape => ({ ...text(most), like: pattern })
/** The values in one text, with blanks between them. */
export const oneOf = (values: string): TextShape => ({ is: 'text', values: values.split(' ') })
export const object = (fields: Fields, ...required: string[]): ObjectShape => ({ is: 'object', fields, required })
export const listOf = (of: Shape, limits: { least?: number; most?: number } = {}): Shape => ({
  is: 'list',
  of,
  ...limits,
})
export const flag: Shape = { is: 'boolean' }
export const integer: Shape = { is: 'integer' }
/** No body at all, which is not the same as an empty one. */
export const nothing: Shape = { is: 'nothing' }
export const NO_FIELDS: ObjectShape = object({})

/** All that differs from the shape, by dotted path. */
export function violations(shape: Shape, value: unknown, path = ''): string[] {
  const wrong = (rule: string) => [`${path || 'It'} ${rule}`]
  switch (shape.is) {
    case 'text':
      if (typeof value !== 'string') return wrong('is no text')
      if (value.length > (shape.most ?? value.length)) return wrong(`is longer than ${shape.most}`)
      if (value.length < (shape.least ?? 0)) return wrong(`is shorter than ${shape.least}`)
      if (shape.like && !shape.like.test(value)) return wrong(`is not as it has to be: ${value}`)
      return shape.values && !shape.values.includes(value) ? wrong(`is none of the values: ${value}`) : []
    case 'integer':
      return Number.isSafeInteger(value) && (value as number) >= (shape.least ?? Number.MIN_SAFE_INTEGER)
        ? []
        : wrong('is no such integer')
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('is no boolean')
    case 'nothing':
      return value === undefined ? [] : wrong('is not empty')
    case 'own': {
      const rule = shape.brokenBy(value)
      return rule === null ? [] : wrong(rule)
    }
    case 'list': {
      if (!Array.isArray(value)) return wrong('is no list')
      const { least = 0, most = value.length } = shape
      const isFine = value.length >= least && value.length <= most
      return [
        ...(isFine ? [] : wrong(`has ${value.length} entries`)),
        ...value.flatMap((item, index) => violations(shape.of, item, `${path}[${index}]`)),
      ]
    }
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('is no object')
      return fieldViolations(shape, value as Readonly<Record<string, unknown>>, (name) =>
        path === '' ? name : `${path}.${name}`,
      )
  }
}

/** What is undefined is not written into JSON. */
function fieldViolations(
  { fields, required }: ObjectShape,
  value: Readonly<Record<string, unknown>>,
  at: (name: string) => string,
): string[] {
  const missing = required.filter((name) => value[name] === undefined).map((name) => `${at(name)} is missing`)
  const others = Object.entries(value).flatMap(([name, field]) => {
    if (field === undefined) return []
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined
    return known === undefined ? [`${at(name)} is not known`] : violations(known, field, at(name))
  })
  return [...missing, ...others]
}
