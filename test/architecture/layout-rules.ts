// Rules about the number, length and names of files and folders. Each rule returns sentences that say what to do instead.

import { fileName, isStore, linesOf, type SourceFile, words } from './source.ts'

type Rule = (files: readonly SourceFile[]) => string[]

const MOST_FILES_OF_A_FOLDER = 14

/** Folders that are lists: another entry makes no other entry harder to find. */
const LISTS_BY_DESIGN: Readonly<Record<string, string>> = {
  'versions/changes': 'One file for each change of the API, named by its date and never touched again.',
}

function foldersOf(files: readonly SourceFile[]): Map<string, SourceFile[]> {
  const folders = new Map<string, SourceFile[]>()
  for (const file of files) {
    const folder = file.path.replace(/\/?[^/]+$/, '')
    folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  return folders
}

export const foldersTooFull: Rule = (files) =>
  [...foldersOf(files)]
    .filter(([folder, { length }]) => length > MOST_FILES_OF_A_FOLDER && !(folder in LISTS_BY_DESIGN))
    .map(
      ([folder, { length }]) =>
        `${folder} has ${length} files, more than ${MOST_FILES_OF_A_FOLDER}: merge those that always change together, or give what has a life of its own a slice or a folder.`,
    )

const LEAST_MEAN_LINES = 105
const SHORT_LINES = 30
const MOST_SHORT_FILES = 25

/** Many tiny files force the reader to jump: each file should be worth opening. */
export const treeOfCrumbs: Rule = (files) => {
  const problems: string[] = []
  const short = files.filter((file) => linesOf(file) < SHORT_LINES).map(({ path }) => path)
  const mean = files.reduce((sum, file) => sum + linesOf(file), 0) / files.length
  if (mean < LEAST_MEAN_LINES)
    problems.push(
      `src has ${mean.toFixed(0)} lines a file, fewer than ${LEAST_MEAN_LINES}: merge files that are only read together.`,
    )
  if (short.length > MOST_SHORT_FILES)
    problems.push(
      `src has ${short.length} files of fewer than ${SHORT_LINES} lines, more than ${MOST_SHORT_FILES}: merge some into the file that calls them: ${short.join(', ')}.`,
    )
  return problems
}

const LONGEST = 350
const DATA_TABLES = ['lib/currencies.ts']

export const filesTooLong: Rule = (files) =>
  files
    .filter((file) => !DATA_TABLES.includes(file.path) && linesOf(file) > LONGEST)
    .map(
      (file) =>
        `${file.path} has ${linesOf(file)} lines, more than ${LONGEST}: split it by verb (capture.ts, refund.ts).`,
    )

const STORES = ['store', 'read-store', 'list-store']

/** Stores with names of their own, each with the reason why its rows live apart from the neighbouring store's. */
const NAMED_STORES: Readonly<Record<string, string>> = {
  'api/capture/hold-store.ts': 'What a capture holds of stock is gone when it ends; the attempt itself is kept.',
  'api/carts/line-store.ts': 'Lines come and go while the cart stays, each change in one statement.',
  'api/customers/address-store.ts': 'The address book is changed entry by entry; deleting one leaves the customer.',
  'api/gift-cards/ledger-store.ts': 'Entries of the ledger are never changed, whatever becomes of the card.',
  'api/products/children-store.ts': 'Links, packages and fields are replaced as lists, under the lock of the product.',
  'api/products/stock-store.ts': 'Stock is counted per mode and moves with every sale; the product does not.',
  'api/products/variants/group-store.ts': 'Groups and options are the choices; variants are what is made of them.',
  'dashboard/session-store.ts': 'Sessions, known browsers and waits come and go with logging in; accounts stay.',
  'db/record-store.ts': 'It has no rows of its own: it builds statements for the stores of simple records.',
  'gateways/sandbox/journal-store.ts': 'The books of the test gateways, which stand in for a payment provider.',
  'http/endpoint/idempotency-store.ts': 'Keys with their answers, beside the endpoints they belong to all.',
  'mail/outbox-store.ts': 'Mails kept for whoever builds a shop without a mail server.',
}

export const storesByOtherNames: Rule = (files) =>
  files
    .filter(({ path }) => isStore(path) && !STORES.includes(fileName(path)) && !(path in NAMED_STORES))
    .map(
      ({ path }) =>
        `${path}: a store is called ${STORES.join(', ')}. Put the SQL there; or, where it is of a table with a life of its own, list it with the reason in test/architecture/layout-rules.ts.`,
    )

/** Folders inside slices: each imports the rest of its slice and is imported by it, so it cannot be a slice. */
const FOLDERS_IN_SLICES = words(`
  products/batch products/list products/table products/variants customers/login checkouts/checks checkouts/form
  carts/lifetime checkouts/hosted checkouts/terms capture/body capture/declines orders/export orders/mails orders/money
  orders/timeline payments/notices payments/refund webhooks/sending`)

const EMPTY_WORDS = /^(utils?|helpers?|common|services?|managers?|misc)$/
const LAYER_WORDS = /^(types?|constants?|controllers?|repository|handlers?|models?|queries)$/

export const namesThatSayNothing: Rule = (files) =>
  files.flatMap(({ path }) => {
    const words = path.replace(/\.ts$/, '').split(/[/.-]/)
    if (words.some((word) => EMPTY_WORDS.test(word)))
      return `${path}: name the file after what it knows or does, by its own noun or verb.`
    const [, folder, name = ''] = /^api\/([^/]+(?:\/.+)?)\/(.+)\.ts$/.exec(path) ?? []
    if (folder === undefined) return []
    if (folder.includes('/') && !FOLDERS_IN_SLICES.includes(folder))
      return `${path}: the folders in slices are ${FOLDERS_IN_SLICES.join(', ')}. What has a life of its own is a slice of its own.`
    if (LAYER_WORDS.test(name))
      return `${path}: a slice has routes, schema, store and view, and rules named by their own noun or verb.`
    return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) ? [] : `${path}: write file names in lower case with hyphens.`
  })

const REGISTRIES = [
  ...['api/index.ts', 'versions/index.ts', 'gateways/index.ts', 'compat/index.ts'],
  'pages/checkout/languages/index.ts',
]

export const barrels: Rule = (files) =>
  files
    .filter(({ path }) => /(^|\/)index\.ts$/.test(path) && !REGISTRIES.includes(path))
    .map(({ path }) => `${path}: import from the files themselves; an index hides where things come from.`)

/** Finds entries of the lists above that no longer excuse anything. */
export const idleExceptions: Rule = (files) => {
  const paths = files.map(({ path }) => path)
  const folders = foldersOf(files)
  return [
    ...Object.keys(LISTS_BY_DESIGN).filter((folder) => !folders.has(folder)),
    ...Object.keys(NAMED_STORES).filter((path) => !paths.includes(path)),
    ...FOLDERS_IN_SLICES.filter((folder) => !folders.has(`api/${folder}`)),
    ...DATA_TABLES.filter((path) => !paths.includes(path)),
  ].map((name) => `${name} does not exist: take it out of the lists of test/architecture/layout-rules.ts.`)
}
