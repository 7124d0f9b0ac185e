// Makes an OpenAPI document short: a parameter, a response or a large schema that stands in several places becomes a component, and each
// place refers to it. Nothing else changes: with these references resolved, it is the document that was given.

type Json = Readonly<Record<string, unknown>>

export type Operation = Json & {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Json[]
  readonly responses: Readonly<Record<string, Json>>
}

/** By address or name, then by method. */
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export type OpenApi = Json & {
  readonly paths: Operations
  /** What the service sends by itself, by the name of the event. */
  readonly webhooks?: Operations
  readonly components: Json & { readonly schemas: Readonly<Record<string, Json>> }
}

/** Characters of JSON. What is shorter is read as quickly as a reference to it. */
const SMALLEST_SCHEMA = 120

const METHODS = ['get', 'post', 'put', 'delete']

/** `nameOf`: what a response is called that several operations have. Paths and components are sorted, methods in the usual order. */
export function shareParts(whole: OpenApi, nameOf: (response: Json) => string | null): OpenApi {
  const paths = inOrder(whole.paths)
  const webhooks = inOrder(whole.webhooks ?? {})
  const parameters = new Parts('parameters')
  const responses = new Parts('responses')
  const operations = [paths, webhooks].flatMap(Object.values<Operations[string]>).flatMap(Object.values<Operation>)
  for (const { tags, operationId, ...operation } of operations) {
    for (const each of operation.parameters ?? [])
      parameters.see(each, { owner: tags[0], names: [nameOfParameter(each)] })
    for (const each of Object.values(operation.responses))
      responses.see(each, { names: [nameOf(each) ?? nameOfKind(each) ?? operationId] })
  }
  const shorten = (operation: Operation) => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map((each) => parameters.refer(each)) }),
    responses: mapValues(operation.responses, (each) => responses.refer(each)),
  })
  const short = { paths: mapOperations(paths, shorten), webhooks: mapOperations(webhooks, shorten) }
  const components = { ...whole.components, parameters: parameters.shared(), responses: responses.shared() }
  return shareSchemas({ ...whole, components, ...short })
}

function shareSchemas(whole: OpenApi): OpenApi {
  const schemas = new Parts('schemas', SMALLEST_SCHEMA)
  let places = 0
  const seeWithin = (node: Json, owner: string | undefined, names: readonly string[], around: string) => {
    let place = 0
    mapSchemas(node, names, (schema, inside) => {
      // What stands twice only because all around it does has one place: it stays inside the larger schema, which is shared.
      schemas.see(schema, { owner, names: inside }, `${around} ${place++}`)
      seeWithin(schema, owner, inside, textOf(schema))
      return schema
    })
  }
  const { schemas: kinds, parameters, responses } = whole.components as Record<string, Record<string, Json>>
  const see = (node: Json, owner: string | undefined, names: readonly string[]) =>
    seeWithin(node, owner, names, String(places++))
  for (const [name, each] of Object.entries(kinds ?? {})) see(each, name, [])
  for (const [name, each] of Object.entries({ ...parameters, ...responses })) see(each, undefined, [name])
  for (const methods of Object.values({ ...whole.paths, ...whole.webhooks }))
    for (const each of Object.values(methods)) see(each, each.tags[0], [each.operationId.split('.').at(-1) ?? ''])

  const shorten = <Node extends Json>(node: Node): Node => mapSchemas(node, [], refer) as Node
  const refer = (schema: Json): Json => schemas.refer(schema, shorten)
  return {
    ...whole,
    paths: mapOperations(whole.paths, shorten),
    webhooks: mapOperations(whole.webhooks ?? {}, shorten),
    components: {
      ...whole.components,
      parameters: mapValues(parameters ?? {}, shorten),
      responses: mapValues(responses ?? {}, shorten),
      schemas: sorted({ ...mapValues(kinds ?? {}, shorten), ...schemas.shared() }, (each) => each),
    },
  }
}

type Place = { readonly owner?: string | undefined; readonly names: readonly string[] }
type Part = {
  readonly owners: Set<string | undefined>
  readonly names: readonly string[]
  readonly places: Set<string>
}

/** Everything of one sort that was seen, and what of it is shared. */
class Parts {
  readonly #sort: string
  readonly #smallest: number
  #places = 0
  readonly #seen = new Map<string, Part>()
  readonly #names = new Map<string, string>()
  readonly #shared = new Map<string, Json>()

  constructor(sort: string, smallest = 0) {
    this.#sort = sort
    this.#smallest = smallest
  }

  see(part: Json, { owner, names }: Place, place = String(this.#places++)) {
    const text = textOf(part)
    if (text.length < this.#smallest || '$ref' in part) return
    const seen = this.#seen.get(text) ?? { owners: new Set(), names, places: new Set() }
    this.#seen.set(text, seen)
    seen.owners.add(owner)
    seen.places.add(place)
  }

  /** A reference to it, where it is shared. `within`: what becomes of the component's own content, and of what is not shared. */
  refer(part: Json, within: (part: Json) => Json = (each) => each): Json {
    const text = textOf(part)
    const seen = this.#seen.get(text)
    if (seen === undefined || seen.places.size < 2) return within(part)
    const name = this.#names.get(text) ?? this.#newName(seen)
    this.#names.set(text, name)
    if (!this.#shared.has(name)) this.#shared.set(name, within(part))
    return { $ref: `#/components/${this.#sort}/${name}` }
  }

  shared(): Record<string, Json> {
    return sorted(Object.fromEntries(this.#shared), (each) => each)
  }

  /** The shortest that is free: `products.delivery`; of a second one, `products.create.delivery`. */
  #newName({ owners, names }: Part): string {
    const [owner] = owners
    const prefix = owners.size === 1 ? owner : this.#sort === 'schemas' ? 'shared' : undefined
    const used = new Set(this.#names.values())
    for (let length = 1; ; length++) {
      const tail = names.slice(-length).join('.') + (length > names.length ? length : '')
      const name = prefix === undefined ? tail : `${prefix}.${tail}`
      if (!used.has(name)) return name
    }
  }
}

const SCHEMA = ['schema', 'items', 'additionalProperties']
const SCHEMAS = ['anyOf', 'allOf', 'oneOf']
/** What is the API's own text, whatever it looks like. */
const VERBATIM = ['enum', 'default', 'required', 'example', 'examples']

/** A copy in which each outermost schema is what `edit` makes of it. `names`: of the properties that lead there. */
function mapSchemas(
  node: unknown,
  names: readonly string[],
  edit: (schema: Json, names: readonly string[]) => Json,
): unknown {
  if (Array.isArray(node)) return node.map((each) => mapSchemas(each, names, edit))
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (VERBATIM.includes(key)) return [key, value]
      if (key === 'properties' && isObject(value))
        return [key, mapValues(value, (schema, name) => edit(schema as Json, [...names, name]))]
      if (SCHEMA.includes(key) && isObject(value)) return [key, edit(value, key === 'schema' ? names : entryOf(names))]
      if (SCHEMAS.includes(key)) return [key, (value as Json[]).map((schema) => edit(schema, names))]
      return [key, mapSchemas(value, names, edit)]
    }),
  )
}

/** `variant_groups` → `variant_groups_entry`. */
const entryOf = (names: readonly string[]) => [...names.slice(0, -1), `${names.at(-1) ?? ''}_entry`]

const nameOfParameter = ({ name }: Json): string => String(name).toLowerCase().replaceAll('-', '_')

/** `cart` of a response that is one. */
const nameOfKind = (response: Json): string | null =>
  /"schema":\{"\$ref":"#\/components\/schemas\/(\w+)"\}/.exec(textOf(response))?.[1] ?? null

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const texts = new WeakMap<Json, string>()

/** Kept, as each schema is asked for with all that it stands in. */
function textOf(part: Json): string {
  const known = texts.get(part)
  if (known !== undefined) return known
  const text = JSON.stringify(part)
  texts.set(part, text)
  return text
}

const mapValues = <From, To>(values: Readonly<Record<string, From>>, edit: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, edit(value, name)]))

const mapOperations = (operations: Operations, edit: (operation: Operation) => Operation): Operations =>
  mapValues(operations, (methods) => mapValues(methods, edit))

const inOrder = (operations: Operations): Operations =>
  sorted(operations, (methods) =>
    sorted(
      methods,
      (each) => each,
      (one, other) => METHODS.indexOf(one) - METHODS.indexOf(other),
    ),
  )

const byCharacters = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

const sorted = <From, To>(
  values: Readonly<Record<string, From>>,
  edit: (value: From) => To,
  order: (one: string, other: string) => number = byCharacters,
): Record<string, To> =>
  Object.fromEntries(
    Object.entries(values)
      .sort(([one], [other]) => order(one, other))
      .map(([name, value]) => [name, edit(value)]),
  )

const LINE = 120

/** As JSON for people: whatever fits on a line stands on one, and so do as many names of a list as fit. */
export function laidOut(value: unknown, indent = 0, before = 0): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || indent + before + line.length < LINE) return line
  const isList = Array.isArray(value)
  const entries = isList
    ? value.map((each) => laidOut(each, indent + 2))
    : Object.entries(value).map(([name, each]) => {
        const key = `${JSON.stringify(name)}: `
        return key + laidOut(each, indent + 2, key.length)
      })
  const lines = isList && value.every((each) => typeof each === 'string') ? filled(entries, LINE - indent - 4) : entries
  const within = `\n${' '.repeat(indent + 2)}`
  const content = `${within}${lines.join(`,${within}`)}\n${' '.repeat(indent)}`
  return isList ? `[${content}]` : `{${content}}`
}

/** Joins neighbours to lines of at most `length` characters. */
function filled(words: readonly string[], length: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 2 <= length) lines[lines.length - 1] = `${last}, ${word}`
    else lines.push(word)
  }
  return lines
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
