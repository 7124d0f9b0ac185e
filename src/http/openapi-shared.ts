// Shortens an OpenAPI document: repeated parameters, responses and large schemas become components, and each place refers to them. With
// these references resolved, the document is unchanged.

type Json = Readonly<Record<string, unknown>>

export type Operation = Json & {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Json[]
  readonly responses: Readonly<Record<string, Json>>
}

/** Operations by path or event name, then by method. */
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export type OpenApi = Json & {
  readonly paths: Operations
  /** Events that the service sends, by name. */
  readonly webhooks?: Operations
  readonly components: Json & { readonly schemas: Readonly<Record<string, Json>> }
}

/** Minimum length in characters of JSON. A shorter schema is as easy to read as a reference. */
const SMALLEST_SCHEMA = 120

const METHODS = ['get', 'post', 'put', 'delete']

/**
 * `nameOf` gives the component name of a response that several operations share. Sorts paths and components by name, and methods in the
 * usual order.
 */
export function shareParts(whole: OpenApi, nameOf: (response: Json) => string | null): OpenApi {
  const paths = sortOperations(whole.paths)
  const webhooks = sortOperations(whole.webhooks ?? {})
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
  const collectWithin = (node: Json, owner: string | undefined, names: readonly string[], around: string) => {
    let place = 0
    mapSchemas(node, names, (schema, inside) => {
      // A part repeated only because its surroundings repeat counts as one place. It stays inside the larger shared schema.
      schemas.see(schema, { owner, names: inside }, `${around} ${place++}`)
      collectWithin(schema, owner, inside, textOf(schema))
      return schema
    })
  }
  const { schemas: kinds, parameters, responses } = whole.components as Record<string, Record<string, Json>>
  const collect = (node: Json, owner: string | undefined, names: readonly string[]) =>
    collectWithin(node, owner, names, String(places++))
  for (const [name, each] of Object.entries(kinds ?? {})) collect(each, name, [])
  for (const [name, each] of Object.entries({ ...parameters, ...responses })) collect(each, undefined, [name])
  for (const methods of Object.values({ ...whole.paths, ...whole.webhooks }))
    for (const each of Object.values(methods)) collect(each, each.tags[0], [each.operationId.split('.').at(-1) ?? ''])

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

/** Collects all parts of one sort and decides which are shared. */
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
    const entry = this.#seen.get(text) ?? { owners: new Set(), names, places: new Set() }
    this.#seen.set(text, entry)
    entry.owners.add(owner)
    entry.places.add(place)
  }

  /** Returns a reference if the part is shared. `within` converts the content of the component, and of parts that are not shared. */
  refer(part: Json, within: (part: Json) => Json = (each) => each): Json {
    const text = textOf(part)
    const entry = this.#seen.get(text)
    if (entry === undefined || entry.places.size < 2) return within(part)
    const name = this.#names.get(text) ?? this.#newName(entry)
    this.#names.set(text, name)
    if (!this.#shared.has(name)) this.#shared.set(name, within(part))
    return { $ref: `#/components/${this.#sort}/${name}` }
  }

  shared(): Record<string, Json> {
    return sorted(Object.fromEntries(this.#shared), (each) => each)
  }

  /** Shortest free name: `products.delivery`, or for a second one `products.create.delivery`. */
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
/** Keys with literal values, which are never schemas. */
const VERBATIM = ['enum', 'default', 'required', 'example', 'examples']

/** Copies a node and replaces each outermost schema with the result of `edit`. `names` are the properties on the way there. */
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

/** `variant_groups` becomes `variant_groups_entry`. */
const entryOf = (names: readonly string[]) => [...names.slice(0, -1), `${names.at(-1) ?? ''}_entry`]

const nameOfParameter = ({ name }: Json): string => String(name).toLowerCase().replaceAll('-', '_')

/** `cart` for a response that is a cart. */
const nameOfKind = (response: Json): string | null =>
  /"schema":\{"\$ref":"#\/components\/schemas\/(\w+)"\}/.exec(textOf(response))?.[1] ?? null

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const texts = new WeakMap<Json, string>()

/** Cached, because each schema is serialised once for every schema around it. */
function textOf(part: Json): string {
  const cachedText = texts.get(part)
  if (cachedText !== undefined) return cachedText
  const text = JSON.stringify(part)
  texts.set(part, text)
  return text
}

const mapValues = <From, To>(values: Readonly<Record<string, From>>, edit: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, edit(value, name)]))

const mapOperations = (operations: Operations, edit: (operation: Operation) => Operation): Operations =>
  mapValues(operations, (methods) => mapValues(methods, edit))

const sortOperations = (operations: Operations): Operations =>
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

/** Formats JSON for people: a value that fits on a line stays on one line. Names in a list fill each line. */
export function formatJson(value: unknown, indent = 0, before = 0): string {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null || indent + before + line.length < LINE) return line
  const isList = Array.isArray(value)
  const entries = isList
    ? value.map((each) => formatJson(each, indent + 2))
    : Object.entries(value).map(([name, each]) => {
        const key = `${JSON.stringify(name)}: `
        return key + formatJson(each, indent + 2, key.length)
      })
  const lines = isList && value.every((each) => typeof each === 'string') ? fill(entries, LINE - indent - 4) : entries
  const separator = `\n${' '.repeat(indent + 2)}`
  const content = `${separator}${lines.join(`,${separator}`)}\n${' '.repeat(indent)}`
  return isList ? `[${content}]` : `{${content}}`
}

/** Joins words to lines of at most `length` characters. */
function fill(words: readonly string[], length: number): string[] {
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
