// @unit
// Follows each recipe of docs/recipes.md through the source: its example touched the files that the recipe lists, and no others.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Recipe = { name: string; source: string[]; most: number; words: string[]; room: string; tests: string }

/** The recipes of a page, each with the paths it lists and its example. */
function recipesIn(page: string): Recipe[] {
  return page.split('\n## ').flatMap((text) => {
    const [, source] = /^- source: (.*)$/m.exec(text) ?? []
    const [, most] = /^- most: (\d+)$/m.exec(text) ?? []
    const [, words, room, tests] = /^- example: (.*) in `([^`]+)`, tested in `([^`]+)`$/m.exec(text) ?? []
    if (source === undefined) return []
    if (most === undefined || words === undefined || room === undefined || tests === undefined)
      throw new Error(`The recipe has no "most" or no "example" that can be read: ${text.split('\n')[0]}`)
    return {
      name: text.split('\n')[0] ?? '',
      source: quoted(source),
      most: Number(most),
      words: quoted(words),
      room,
      tests,
    }
  })
}

const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** `<slice>` and `<room>` are those of the example; any other `<…>` is a name to choose. */
const patternOf = (path: string, { room }: Pick<Recipe, 'room'>) =>
  new RegExp(
    `^${path
      .replaceAll(/[.]/g, '\\.')
      .replaceAll(/<(slice|room)>/g, room)
      .replaceAll(/<\w+>/g, '[^/]+')}$`,
  )

/** What is wrong with a recipe, one sentence each. `files`: path and text of everything that may be touched. */
function problemsOf(recipe: Recipe, files: ReadonlyMap<string, string>): string[] {
  const { source, most, words } = recipe
  const example = words.join(' and ')
  const patterns = source.map((path) => patternOf(path, recipe))
  const named = words.map((word) => new RegExp(`(?<![\\w.])${word.replaceAll('.', '\\.')}(?![\\w.])`))
  const touched = [...files].filter(([, text]) => named.some((name) => name.test(text))).map(([path]) => path)
  const others = touched.filter((path) => !patterns.some((pattern) => pattern.test(path)))
  // A file that is listed by its name does not count as one of those whose names are to be chosen.
  const isListed = (path: string) =>
    source.some((each, index) => !each.includes('<rule>') && patterns[index]?.test(path))
  const idle = source.filter(
    (each, index) =>
      !touched.some((path) => patterns[index]?.test(path) && !(each.includes('<rule>') && isListed(path))),
  )
  return [
    ...(source.length > most
      ? [`It lists ${source.length} files, more than ${most}: merge what one change makes touch.`]
      : []),
    ...others.map(
      (path) => `${example} also touched ${path}: list it, or move what it needs to a file that is listed.`,
    ),
    ...idle.map((path) => `${example} touched no ${path}: take it out, or choose an example that shows it.`),
    ...(touched.length > most
      ? [`${example} touched ${touched.length} files, more than ${most}: ${touched.join(', ')}.`]
      : []),
  ]
}

/** Data that uses what there is, and what older versions made of it: neither is part of adding it. */
const NOT_TOUCHED = /^src\/demo\//

const textFiles = (folder: string, ending: RegExp): [string, string][] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => ending.test(path) && !NOT_TOUCHED.test(path))
    .map((path) => [path, readFileSync(path, 'utf8')])

const recipes = recipesIn(readFileSync('docs/recipes.md', 'utf8'))

describe('docs/recipes.md', () => {
  const files = new Map([...textFiles('src', /\.ts$/), ...textFiles('migrations', /\.sql$/)])
  const screens = textFiles('web/dashboard', /\.tsx?$/)

  it('has a recipe for each of what is added most', () => {
    expect(recipes.map(({ name }) => name)).toEqual([
      'A stored field',
      'A field that merchants edit',
      'A list screen',
      'A computed field',
      'An endpoint',
      'A gateway',
      'A version',
      'An event',
      'A page',
    ])
    expect(Object.fromEntries(recipes.map(({ name, most }) => [name, most]))).toMatchObject({
      'A stored field': 4,
      'A field that merchants edit': 5,
      'A list screen': 2,
      'An endpoint': 3,
      'A gateway': 2,
      'A version': 2,
    })
  })

  it.each(recipes)('$name is what its example shows', (recipe) => {
    expect(problemsOf(recipe, filesOf(recipe))).toEqual([])
    expect(readdirSync(recipe.tests).some((name) => name.endsWith('.test.ts'))).toBe(true)
  })

  it.each(['docs/recipes.md', 'docs/testing.md', 'CONTRIBUTING.md'])('%s names files that exist', (name) => {
    const page = readFileSync(name, 'utf8')
    const paths = [...page.matchAll(/`((?:src|web|test|migrations|docs|scripts)\/[^`<>*…]+)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(2)
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })

  /**
   * An older version may know the example of an endpoint by its operation; that is the recipe of a version. A screen is a recipe of its own.
   */
  function filesOf({ name, source }: Recipe): ReadonlyMap<string, string> {
    if (name === 'A version') return files
    const isOfScreens = source.some((path) => path.startsWith('web/'))
    return new Map([...files, ...(isOfScreens ? screens : [])].filter(([path]) => !path.startsWith('src/versions/')))
  }
})

describe('a recipe', () => {
  const recipe = {
    name: 'A field',
    source: ['src/api/<slice>/schema.ts', 'src/api/<slice>/<rule>.ts'],
    most: 2,
    words: ['a.size'],
    room: 'carts',
    tests: '',
  }
  const check = (files: Record<string, string>, more: Partial<Recipe> = {}) =>
    problemsOf({ ...recipe, ...more }, new Map(Object.entries(files)))
  const [schema, cart] = ['src/api/carts/schema.ts', 'src/api/carts/cart.ts']

  it.each<[string, Record<string, string>, Partial<Recipe>, string]>([
    [
      'touched more',
      { [schema]: 'a.size', [cart]: 'a.size', 'src/lib/a.ts': 'a.size' },
      { most: 3 },
      'also touched src/lib/a.ts',
    ],
    ['touched less', { [cart]: 'a.size' }, {}, 'touched no src/api/<slice>/schema.ts'],
    ['touched no rule', { [schema]: 'a.size' }, {}, 'touched no src/api/<slice>/<rule>.ts'],
    [
      'touched too many',
      { [schema]: 'a.size', [cart]: 'a.size', 'src/api/carts/lines.ts': 'a.size' },
      {},
      'touched 3 files, more than 2',
    ],
    ['is too long', { [schema]: 'a.size', [cart]: '' }, { most: 1 }, 'It lists 2 files, more than 1'],
  ])('is found where its example %s', (_, files, more, problem) => {
    expect(check(files, more)).toContainEqual(expect.stringContaining(problem))
  })
})
