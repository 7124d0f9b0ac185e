// Rules about web, the code that runs in browsers. Each rule returns sentences that say what to do instead. Paths are relative to web.

import { importsOf, type SourceFile, words } from './source.ts'

type Rule = (files: readonly SourceFile[]) => string[]

/** The dashboard's modules. Each may import only modules to its right. */
const ORDER = words('main shell routes screens shared parts session use-query api stored icons')

const moduleOf = (path: string): string | undefined => /^dashboard\/([^/.]+)/.exec(path)?.[1]

/** Modules of src that browsers run too. They import nothing. */
export const SHARED_WITH_SRC = ['../src/lib/html/colors.ts']

export const webImportsAgainstTheOrder: Rule = (files) =>
  importsOf(files).flatMap(({ from, to, isType }) => {
    if (to.startsWith('../'))
      return isType || SHARED_WITH_SRC.includes(to)
        ? []
        : `${from} imports ${to}: import types only from src, so that no code of the server reaches browsers.`
    const [importer, imported] = [moduleOf(from), moduleOf(to)]
    if (importer === imported) return []
    if (importer === undefined || imported === undefined)
      return `${from} imports ${to}: the checkout and the dashboard share only web/tokens.css and web/base.css.`
    if (ORDER.indexOf(importer) < ORDER.indexOf(imported) && ORDER.includes(importer)) return []
    return `${from} imports ${to}: each of ${ORDER.join(', ')} may import only those to its right. Move what both need to one further right.`
  })

const screenFolder = (path: string): string | undefined => /^dashboard\/screens\/([^/]+)\//.exec(path)?.[1]

/** A screen may use what another screen's folder exports, but two folders may not use each other. */
export const screensInCircles: Rule = (files) => {
  const pairs = new Set(
    importsOf(files).flatMap(({ from, to }) => {
      const [importer, imported] = [screenFolder(from), screenFolder(to)]
      return importer === undefined || imported === undefined || importer === imported ? [] : `${importer} ${imported}`
    }),
  )
  return [...pairs].flatMap((pair) => {
    const [one, other] = pair.split(' ')
    return pairs.has(`${other} ${one}`) && String(one) < String(other)
      ? `The screens of ${one} and of ${other} import each other: move what both need to parts, or to one of them.`
      : []
  })
}

/** The checkout's payment providers all export `start`, so this is a rule of the dashboard. */
export const exportedTwice: Rule = (files) => {
  const first = new Map<string, string>()
  return files
    .filter(({ path }) => path.startsWith('dashboard/'))
    .flatMap(({ path, code }) =>
      [...code.matchAll(/^export (?:async )?(?:function|const|class|type) (\w+)/gm)].flatMap(([, name = '']) => {
        const other = first.get(name)
        if (other === undefined) first.set(name, path)
        return other === undefined || other === path
          ? []
          : `${path} exports ${name}, and so does ${other}: give one of them a name that says what differs, or share it.`
      }),
    )
}

/** Functions, parts and types whose type argument is the body of a response. */
const OF_RESPONSES =
  /\b(?:useQuery|useList|listScreen|ObjectPage|Query|ListPage|CursorPage|exchange|call)<([^()]*?)>[(\s>,)]/g

/** Bodies of lists, whose rows are the type argument. */
const CONTAINERS = ['ListPage', 'CursorPage']

/** A field of the API has underscores; names of our own have not. */
const API_FIELD =
  /^\s*readonly [a-z]+(?:_[a-z\d]+)+\??:|[{;,] *(?:readonly )?[a-z]+(?:_[a-z\d]+)+\??: *(?:string|number|boolean|readonly)\b/m

const SHAPE = /^(?:export )?type (\w+)(?:<\w+>)? = (?:readonly )?\{/gm

/** The checkout reads pages, and bodies of payment providers. */
export const shapesTypedByHand: Rule = (all) => {
  const files = all.filter(({ path }) => path.startsWith('dashboard/'))
  const shapes = new Set(
    files.flatMap(({ path, code }) => [...code.matchAll(SHAPE)].map(([, name]) => `${path} ${name}`)),
  )
  return files.flatMap((file) => {
    const field = API_FIELD.exec(file.code)?.[0].trim()
    const bodies = [...file.code.matchAll(OF_RESPONSES)].map(([, body = '']) => body)
    const inline = bodies.find((body) => body.includes('{'))
    const named = bodies
      .flatMap((body) => body.match(/\b[A-Z]\w*/g) ?? [])
      .find((name) => !CONTAINERS.includes(name) && shapes.has(`${declaredIn(file, name)} ${name}`))
    return [field, inline, named].flatMap((found) =>
      found === undefined
        ? []
        : `${file.path} types a body of the API by hand (${found}): import its type from src, so that a renamed field breaks the build.`,
    )
  })
}

/** The file that a name comes from. */
function declaredIn({ path, code, imports }: SourceFile, name: string): string | null {
  const [, specifier] = new RegExp(`import [^;']*\\b${name}\\b[^;']* from '([^']+)'`).exec(code) ?? []
  return specifier === undefined ? path : (imports.find((each) => each.specifier === specifier)?.target ?? null)
}

/** A sentence may be worded differently tomorrow, and a translated one always is. */
export const parsedSentences: Rule = (files) =>
  files
    .filter(({ code }) =>
      /\b(?:message|sentence)\s*(?:\?\.|\.)\s*(?:startsWith|endsWith|includes|match|replace\w*|split|slice)\(/.test(
        code,
      ),
    )
    .map(({ path }) => `${path} reads a sentence of the API: look at the status, the code or the field of the error.`)
