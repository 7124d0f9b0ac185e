// The rules about what stands in a file, and about the names of files. Each gives sentences that say what to do instead.

import { isOfTests } from '../tenancy/exemptions.ts'
import { type SourceFile, statementNames } from './source.ts'

type Rule = (files: readonly SourceFile[]) => string[]

/** The one folder in a slice: capture is no resource, but a course of events with as many files as one. */
const FOLDER_IN_SLICE = 'api/checkouts/capture/'

const asInSlice = (path: string) => path.replace(FOLDER_IN_SLICE, 'api/checkouts/')

const mayHoldSql = (path: string) => /^(db|jobs)\/|^api\/[^/]+\/(?:[a-z-]+-)?store\.ts$/.test(asInSlice(path))

/** A string that begins like SQL. */
const SQL =
  /['"`]\s*(?:select\s[^'"]*\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/i

export const sqlOutOfPlace: Rule = (files) =>
  files
    .filter(({ path, code }) => !mayHoldSql(path) && (/\bstatement(?:OfFamily)?\s*[<(]/.test(code) || SQL.test(code)))
    .map(({ path }) => `${path} holds SQL: put it into the store.ts of its slice, or a …-store.ts, and call that.`)

/** The tenancy check goes by these names, and reads them off the source. */
export const statementNamesToMend: Rule = (files) => {
  const named = files.flatMap((file) => statementNames(file).map((name) => ({ path: file.path, name })))
  return named.flatMap(({ path, name }, index) => {
    if (name === null)
      return `${path}: write the name of a statement out as a string, so that it can be looked up; or call it a statementOfFamily.`
    if (!/^[a-z_]+\.[a-z_]+$/.test(name)) return `${path}: name the statement ${name} like "attributes.find".`
    if (isOfTests(name)) return `${path}: ${name} is a name for the tests' own statements, which no check looks at.`
    if (named.findIndex((other) => other.name === name) !== index)
      return `${path}: there is another statement named ${name}; a connection would refuse the second.`
    return []
  })
}

export const datesOutOfPlace: Rule = (files) =>
  files
    .filter(({ path }) => !path.startsWith('versions/'))
    .flatMap(({ path, text }) => {
      const [date] = /20\d\d-\d\d-\d\d/.exec(text) ?? []
      return date === undefined
        ? []
        : `${path} mentions ${date}: only versions/ knows dates. Write a change there, or word the comment without one.`
    })

/** The other one writes docs/versions.md, whose readers send the header. */
const MAY_NAME_SDK_HEADERS = ['http/legacy-sdk.ts', 'versions/changelog.ts']

export const sdkHeadersOutOfPlace: Rule = (files) =>
  files
    .filter(({ path, text }) => /chec-/i.test(text) && !MAY_NAME_SDK_HEADERS.includes(path))
    .map(
      ({ path }) => `${path} names a header of existing clients: http/legacy-sdk.ts alone knows them; import from it.`,
    )

const REGISTRIES = ['api/index.ts', 'versions/index.ts', 'gateways/index.ts']

export const barrels: Rule = (files) =>
  files
    .filter(({ path }) => /(^|\/)index\.ts$/.test(path) && !REGISTRIES.includes(path))
    .map(({ path }) => `${path}: import from the files themselves; an index hides where things come from.`)

const LONGEST = 400
const DATA_TABLES = ['lib/currencies.ts']

export const filesTooLong: Rule = (files) =>
  files
    .filter(({ path }) => !DATA_TABLES.includes(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > LONGEST)
    .map(({ path, lines }) => `${path} has ${lines} lines: split it by what it does (capture.ts, refund.ts).`)

const EMPTY_WORDS = /^(utils?|helpers?|common|services?|managers?|misc)$/
const LAYER_WORDS = /^(types?|constants?|controllers?|repository|handlers?|models?|queries)$/

export const namesThatSayNothing: Rule = (files) =>
  files.flatMap(({ path }) => {
    const words = path.replace(/\.ts$/, '').split(/[/.-]/)
    if (words.some((word) => EMPTY_WORDS.test(word)))
      return `${path}: name the file after what it knows or does, by its own noun or verb.`
    const [, inSlice] = /^api\/[^/]+\/(.+)\.ts$/.exec(asInSlice(path)) ?? []
    if (inSlice === undefined) return []
    if (inSlice.includes('/')) return `${path}: a slice has no folders. If it is too large it is two resources.`
    if (LAYER_WORDS.test(inSlice))
      return `${path}: a slice has routes, schema, store and view, and rules named by their own noun or verb.`
    return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(inSlice) ? [] : `${path}: write file names in lower case with hyphens.`
  })

export const filesWithoutOpening: Rule = (files) =>
  files
    .filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text))
    .map(({ path }) => `${path}: begin with one to three lines of comment that say what the file owns.`)

export const forbiddenText: Rule = (files) =>
  files.flatMap(({ path, text, code }) => {
    const problems: string[] = []
    if (/\bconsole\./.test(code)) problems.push(`${path} uses console: log through the log it is given.`)
    if (/\bprocess\.env\b/.test(code) && !/^(config|main)\.ts$|^cli\//.test(path))
      problems.push(`${path} reads process.env: add a setting to config.ts and hand it over.`)
    for (const word of ['TODO', 'FIXME', '@ts-ignore', '@ts-nocheck'])
      if (text.includes(word)) problems.push(`${path} holds ${word}: do it now, or write an issue.`)
    if (/\bas any\b/.test(code))
      problems.push(`${path} holds "as any": name the type, or read it as unknown and check.`)
    return problems
  })

export const impurePricing: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith('pricing/'))
    .flatMap(({ path, code }) => {
      const [word] = /\b(?:async|await|Promise|Date|process|Math\.random)\b/.exec(code) ?? []
      return word === undefined ? [] : `${path} uses ${word}: prices are pure functions; hand over what they depend on.`
    })
