// Every catalogue change must raise a version before it commits, or caches would serve old data. Checks all transactions of the tests.

import { words } from '../architecture/source.ts'
import { OWNERS, writtenBy } from '../architecture/tables.ts'
import { isOfTests } from './exemptions.ts'
import type { Sent, SentBy } from './sent-statements.ts'

/** Tables with rows that many products show or depend on. */
const SHARED = ['assets', 'attributes', 'categories', 'shipping_zones']

/** Product tables that are not cached with products: stock is read anew each time, batches are requests. */
const NOT_SHOWN = ['stock', 'product_batches', 'product_batch_entries']

/** Tables of the product and its parts. */
const OF_PRODUCT = words(OWNERS.products ?? '').filter((table) => !NOT_SHOWN.includes(table))

const RAISES_STAMP = ['catalogue.raise_stamp']
const RAISES_VERSION = ['products.lock', 'products.insert']

/** Statements that write a shared table without changing any shown product, with the reason. */
export const SHOW_NOTHING: Readonly<Record<string, string>> = {
  'assets.insert': 'No product shows what has only just been made.',
  'attributes.insert': 'No product shows what has only just been made.',
  'categories.insert': 'No product shows what has only just been made.',
  'categories.adopt': 'A product shows id, slug and name of a category, not where it stands.',
  'categories.release': 'A product shows id, slug and name of a category, not where it stands.',
  'shipping.update_zone': 'A product depends on which zones there are, not on what they are called and where they lie.',
  'assets.set_source_problem': 'Why a file is not tried again is told to operators alone.',
  'sweep.pending_assets': 'An asset can be attached to something once it is finished, and is then never pending again.',
}

/** Returns a sentence for each version that a committed transaction forgot to raise. */
export function forgottenStamps(statements: readonly Sent[]): string[] {
  const names = statements.flatMap(({ name }) => name ?? [])
  const isRaised = (by: readonly string[]) => by.some((name) => names.includes(name))
  return statements.flatMap(({ name, text }) => {
    const tables = tablesOf(text)
    const title = name ?? text
    const shared = tables.filter((table) => SHARED.includes(table))
    const own = tables.filter((table) => OF_PRODUCT.includes(table))
    return [
      ...(shared.length > 0 && !(title in SHOW_NOTHING) && !isRaised(RAISES_STAMP)
        ? [`${title} writes ${shared.join(', ')} in a transaction that does not raise the shop's stamp`]
        : []),
      ...(own.length > 0 && !isRaised(RAISES_VERSION)
        ? [`${title} writes ${own.join(', ')} in a transaction that does not raise the version of the product`]
        : []),
    ]
  })
}

const known = new Map<string, string[]>()

function tablesOf(text: string): string[] {
  const tables = known.get(text) ?? writtenBy(text)
  known.set(text, tables)
  return tables
}

/** Watches sent statements in order; `forgotten` collects the problems of committed transactions, each once. */
export function watchStamps() {
  const forgotten = new Set<string>()
  const open = new Map<string, Sent[]>()
  return {
    forgotten,
    see({ session, sent }: SentBy): void {
      if (isOfTests(sent.name)) return
      const begun = open.get(session)
      if (sent.text === 'begin') open.set(session, [])
      else if (sent.text === 'rollback') open.delete(session)
      else if (sent.text === 'commit') {
        for (const sentence of forgottenStamps(begun ?? [])) forgotten.add(sentence)
        open.delete(session)
      } else if (begun) begun.push(sent)
      else for (const sentence of forgottenStamps([sent])) forgotten.add(sentence)
    },
  }
}
