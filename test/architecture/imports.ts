// Rules about which module may import which. Each rule returns sentences that say what to do instead; none means the code is fine.

import { importsOf, isStore, type SourceFile, words } from './source.ts'

/** Ordered from the entry point to the leaves. An import that is not listed is not allowed. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  main: 'cli config release db lib',
  cli: 'app dashboard demo api http jobs versions keys mail geo db files config settings release lib',
  app: `
    api/index api/slice api/context api/resource api compat http jobs versions events limits keys mail gateways geo
    files outbound request-log db release lib dashboard demo pages background construct outside`,
  // Also construct, for app.ts.
  construct: 'api api/slice http keys mail gateways files request-log versions db release lib',
  // Everything app.ts serves besides the API.
  outside: 'api compat dashboard demo pages http gateways db',
  background: 'api api/slice http jobs events gateways keys limits',
  // Login and permissions of the dashboard. Its endpoints are those of the API.
  dashboard: 'pages api api/index api/slice http jobs limits mail db lib root',
  demo: 'api db files root lib',
  // HTML pages for shoppers. They call the API's rules as a request would.
  pages: 'api http gateways geo db root lib',
  compat: 'http versions lib',
  'api/index': 'api api/slice',
  'api/slice': 'http jobs',
  'api/context': 'http jobs db lib',
  'api/resource': 'api/slice api/context http events db lib',
  api: `
    api/slice api/context api/resource http jobs events limits keys mail versions pricing gateways geo files outbound
    request-log db lib`,
  // Each module with tables schedules its own cleanup, with `sweepOf` of jobs.
  http: 'jobs versions db lib',
  mail: 'jobs limits geo db lib',
  gateways: 'jobs outbound db lib',
  events: 'jobs db lib',
  limits: 'jobs db lib',
  keys: 'jobs db lib',
  'request-log': 'jobs db lib',
  jobs: 'db lib',
  versions: 'lib',
  pricing: 'lib',
  db: 'root lib',
  files: 'outbound lib',
  outbound: 'lib',
  geo: 'lib',
  lib: '',
  config: 'lib',
  settings: 'config',
  release: 'root',
  root: '',
}

/** Modules that may be imported for their types only: nothing of such an import remains at run time. */
const TYPES_ALONE: Readonly<Record<string, readonly string[]>> = {
  // A handler's context holds these.
  http: ['gateways', 'files', 'mail', 'geo', 'keys', 'request-log'],
  // The target of a translated old body, and the registration types that compat implements.
  compat: ['api', 'api/slice'],
  // The demo calls rules with a context that it builds itself.
  demo: ['http'],
}

/** Ordered left to right; a slice may import only slices to its left. */
export const SLICES = words(`
  catalogue assets merchants keys attributes categories shipping products tax discounts gift-cards
  payment-methods customers lines carts orders payments fulfillment checkouts capture provider-messages locale
  webhooks events developer reports retention`)

/**
 * Parts of http that a slice may not import: a slice describes endpoints, and app.ts serves them. Paths without a key are described too.
 */
const SERVING = /^http\/(?!endpoint\/|files\/|server\/open-address\.ts)/

const moduleOf = (path: string): string => {
  const [first = '', second] = path.split('/')
  if (second === undefined) return first.replace(/\.ts$/, '')
  return first === 'api' && second.endsWith('.ts') ? `api/${second.replace(/\.ts$/, '')}` : first
}

const sliceOf = (path: string): string | null => /^api\/([^/]+)\//.exec(path)?.[1] ?? null

export function importsAgainstTheOrder(files: readonly SourceFile[]): string[] {
  const unknown = [...new Set(files.map(({ path }) => moduleOf(path)))]
    .filter((module) => !(module in MAY_IMPORT))
    .map((module) => `src/${module} has no place in the order of imports: give it one in test/architecture/imports.ts.`)
  const wrong = importsOf(files).flatMap(({ from, to, isType }) => {
    const [importer, imported] = [moduleOf(from), moduleOf(to)]
    const allowed = words(MAY_IMPORT[importer] ?? '')
    if (!(importer in MAY_IMPORT) || importer === imported || allowed.includes(imported)) return []
    if (isType && TYPES_ALONE[importer]?.includes(imported)) return []
    // The new body's schema shows which fields of an old body stay unchanged.
    if (importer === 'compat' && /^api\/.*schema\.ts$/.test(to)) return []
    return `${from} imports ${to}: ${importer} may import ${allowed.join(', ') || 'nothing of ours'}${alsoTypes(importer)}. Move what both need further down, or hand it over as an argument from app.ts.`
  })
  return [...unknown, ...wrong]
}

const alsoTypes = (module: string) => {
  const types = TYPES_ALONE[module]
  return types ? `, and types alone of ${types.join(', ')}` : ''
}

export function importsWithinTheApi(files: readonly SourceFile[]): string[] {
  const problems: string[] = []
  const slices = new Set(files.flatMap(({ path }) => sliceOf(path) ?? []))
  for (const slice of slices)
    if (!SLICES.includes(slice))
      problems.push(`api/${slice} has no place among the slices: give it one in test/architecture/imports.ts.`)
  for (const { from, to } of importsOf(files)) {
    const [importer, imported] = [sliceOf(from), sliceOf(to)]
    if (importer === null) continue
    if (SERVING.test(to))
      problems.push(
        `${from} imports ${to}: describe an endpoint instead (http/endpoint/endpoint.ts); app.ts serves it.`,
      )
    if (imported !== null && SLICES.indexOf(imported) > SLICES.indexOf(importer))
      problems.push(
        `${from} imports ${to}: ${importer} comes before ${imported}. Put the endpoint with what it changes, or tell the other by an event.`,
      )
    if (isStore(from) && /^(http|pricing|gateways|files|mail)\/|[/-](view|routes)\.ts$/.test(to))
      problems.push(`${from} imports ${to}: a store gives rows. Let the rules or the view make something of them.`)
    if (/[/-]view\.ts$/.test(from) && to.startsWith('db/'))
      problems.push(
        `${from} imports ${to}: a view is a pure function of rows. Read them in store.ts and hand them over.`,
      )
  }
  for (const { path, imports } of files)
    for (const { target } of imports)
      if (path.startsWith('pricing/') && target?.startsWith('lib/') && target !== 'lib/money.ts')
        problems.push(`${path} imports ${target}: prices are computed from integers with lib/money.ts alone.`)
  return problems
}

/** Returns each cycle once, as a path. Type imports count: for the reader they couple files just as much. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of importsOf(files)) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) {
      const around = [...way.slice(way.indexOf(path)), path].join(' → ')
      cycles.push(`${around}: move what they share into a file of its own that imports neither.`)
      return
    }
    if (done.has(path)) return
    for (const target of targets.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}

/** Packages that only one part of the code may import, so that they can be replaced there. */
export function packagesOutOfPlace(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, isType }) => {
      if (specifier === 'pg' && !path.startsWith('db/')) return `${path} imports pg: use the handle of db/db.ts.`
      const isFastify = specifier === 'fastify' || specifier.startsWith('@fastify/')
      if (!isFastify || path.startsWith('http/') || (isType && /^(app\.ts$|compat\/)/.test(path))) return []
      return `${path} imports ${specifier}: put what needs it into http/, and let endpoints stay data.`
    }),
  )
}
