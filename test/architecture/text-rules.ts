// Rules about the content of files. Each rule returns sentences that say what to do instead.

import { isOfTests } from '../tenancy/exemptions.ts'
import { SLICES } from './imports.ts'
import { fileName, isStore, type SourceFile, statementNames } from './source.ts'

type Rule = (files: readonly SourceFile[]) => string[]

const mayHoldSql = (path: string) => /^(db|jobs)\//.test(path) || isStore(path)

/** Matches a string that starts like SQL, or a line that writes a table, because fragments start mid-statement. */
const SQL =
  /['"`]\s*(?:select\s[^'"]*\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()|^\s*(?:insert into|delete from) \w/im

/** Matches a call that declares statements. */
const DECLARES = /\b(?:statement(?:OfFamily)?|recordStore|(?:find|lock|delete)Record|listRecords)\s*[<(]/

export const sqlOutOfPlace: Rule = (files) =>
  files
    .filter(({ path, code }) => !mayHoldSql(path) && (DECLARES.test(code) || SQL.test(code)))
    .map(({ path }) => `${path} holds SQL: put it into the store.ts beside it, and call that.`)

/** db.ts numbers the parameters; the others call the client library directly. */
const MAY_NUMBER_PARAMETERS = ['db/db.ts', 'db/migrate.ts', 'db/placement.ts', 'db/shards.ts']

export const numberedParameters: Rule = (files) =>
  files
    .filter(({ path }) => mayHoldSql(path) && !MAY_NUMBER_PARAMETERS.includes(path))
    .flatMap(({ path, code }) => {
      const numbers = code.match(/\$\d+/g) ?? []
      return numbers.length === 0
        ? []
        : `${path} has parameters by number, ${numbers.length} times: name them (:merchant_id, not ${numbers[0]}), and send the values as an object.`
    })

/** These files parse, render or store. Only rules know what must commit together. */
const OPENS_NO_TRANSACTION = /(^|-)(routes|schema|view|store)$/

export const transactionsOutOfPlace: Rule = (files) =>
  files
    .filter(({ path, code }) => OPENS_NO_TRANSACTION.test(fileName(path)) && /\.transaction\(/.test(code))
    .map(
      ({ path }) =>
        `${path} opens a transaction: let the rule it calls take the context and open it, so that whoever calls the rule gets it whole.`,
    )

/** The tenancy check reads these names from the source. */
export const statementNamesToMend: Rule = (files) =>
  namesToMend(files.flatMap((file) => statementNames(file).map((name) => ({ path: file.path, name }))))

/** The same rule for all statements that src declares, with the names that `recordStore` computes. */
export const namesToMend = (named: readonly { readonly path: string; readonly name: string | null }[]): string[] =>
  named.flatMap(({ path, name }, index) => {
    if (name === null)
      return `${path}: write the name of a statement out as a string, so that it can be looked up; or call it a statementOfFamily.`
    if (!/^[a-z_]+\.[a-z_]+$/.test(name)) return `${path}: name the statement ${name} like "attributes.find".`
    if (isOfTests(name)) return `${path}: ${name} is a name for the tests' own statements, which no check looks at.`
    if (named.findIndex((other) => other.name === name) !== index)
      return `${path}: there is another statement named ${name}; a connection would refuse the second.`
    return []
  })

/** Stored payloads of jobs keep `isSandbox`: another release of the program may have written them, or may read them. */
const readsPayloads = ({ path, text }: SourceFile) => path.startsWith('jobs/') || /jobs\/\w+\.ts'/.test(text)

export const secondSpellingOfScope: Rule = (files) =>
  files.flatMap((file) => {
    const found = file.text.match(/\bmerchantId\b|\bisSandbox\b/g) ?? []
    const [other] = found.filter((name) => name === 'merchantId' || !readsPayloads(file))
    return other === undefined
      ? []
      : `${file.path} has ${other}: spell the scope as rows do, merchant_id and is_sandbox, so that nothing converts it.`
  })

export const storesWithoutScope: Rule = (files) =>
  files
    .filter((file) => isStore(file.path) && /\b(?:db|tx): (?:Db|Tx),\s*merchant_id: number\b/.test(file.code))
    .map(({ path }) => `${path} takes the number of a merchant: take the scope, a row or a key, as other stores do.`)

/** A provider's API has its own versions, often named by a date. Its client names the version it uses in one constant. */
const OF_A_PROVIDER = /^gateways\/\w+\/api\.ts$/
const ITS_VERSION = /^(?:export )?const \w*VERSION = '[\w.-]+'$/m

export const datesOutOfPlace: Rule = (files) =>
  files
    .filter(({ path }) => !path.startsWith('versions/'))
    .flatMap(({ path, text }) => {
      const [date] = /20\d\d-\d\d-\d\d/.exec(OF_A_PROVIDER.test(path) ? text.replace(ITS_VERSION, '') : text) ?? []
      return date === undefined
        ? []
        : `${path} mentions ${date}: only versions/ knows dates. Write a change there, or word the comment without one.`
    })

/** changelog.ts writes docs/versions.md, and its readers send the header. */
const MAY_NAME_SDK_HEADERS = ['compat/sdk.ts', 'versions/changelog.ts']

export const sdkHeadersOutOfPlace: Rule = (files) =>
  files
    .filter(({ path, text }) => /chec-/i.test(text) && !MAY_NAME_SDK_HEADERS.includes(path))
    .map(
      ({ path }) =>
        `${path} names a header of existing clients: compat/sdk.ts alone knows them; app.ts hands the server what it needs of it.`,
    )

/** Callers can be customers, merchants or developers, so these words also belong to authentication. */
const NOT_ONLY_RESOURCES = ['customer', 'developer', 'merchant', 'merchants']

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '')

const RESOURCES = SLICES.flatMap((slice) => [slice, singular(slice)])
  .flatMap((name) => [name, name.replaceAll('-', '_')])
  .filter((name) => !NOT_ONLY_RESOURCES.includes(name))
  .join('|')

/** Matches `'carts'`, `'cart'`, `'carts.add_item'`, `'carts.'` and `'/v1/carts/:id'`, but no word of a sentence. */
const RESOURCE = new RegExp(`['"\`](?:/v1/)?(?:${RESOURCES})(?=['"\`]|\\.[a-z_]*['"\`]|/)`, 'g')

export const resourcesInHttp: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith('http/'))
    .flatMap(({ path, code }) =>
      [...new Set((code.match(RESOURCE) ?? []).map((found) => found.slice(1)))].map(
        (name) =>
          `${path} names ${name}: http serves every resource alike. Make it a property of an endpoint, or let app.ts hand over what differs.`,
      ),
    )

export const filesWithoutOpening: Rule = (files) =>
  files
    .filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text))
    .map(({ path }) => `${path}: begin with one to three lines of comment that say what the file owns.`)

/** The last one shows merchants' developers a program of theirs. */
const MAY_NAME_THE_ENVIRONMENT = /^(config|main)\.ts$|^cli\/|^dashboard\/screens\/webhooks\/lines\.ts$/

export const forbiddenText: Rule = (files) =>
  files.flatMap(({ path, text, code }) => {
    const problems: string[] = []
    if (/\bconsole\./.test(code)) problems.push(`${path} uses console: log through the log it is given.`)
    if (/\bprocess\.env\b/.test(code) && !MAY_NAME_THE_ENVIRONMENT.test(path))
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
