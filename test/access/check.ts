// Compares the response to one caller on one route with the table; each difference becomes a sentence.

import { statement } from '../../src/db/db.ts'
import type { TestApp } from '../support/app.ts'
import { type Answered, type Asked, ask, type Pair } from './ask.ts'
import { type Caller, isBySession, type Refusal } from './callers.ts'
import type { Ids } from './objects.ts'
import type { Row } from './table-row.ts'

/** The oldest version: the same rules apply to its requests. */
export const OLDEST = '2020-02-01'

const forgetGuesses = statement('test.access_forget', 'delete from attempts')

/** Sends one or two requests, and reports each problem. */
export type Question = () => Promise<void>

/** `own`: objects of the shop under test. */
export function checker(app: TestApp, row: Row, caller: Caller, own: Ids, problems: string[]) {
  const isOpen = ['public', 'customer', 'open'].includes(row.access) && !isBySession(caller)

  const report = (what: string, sentence: string) =>
    void problems.push(`${row.route}, ${caller.name}, ${what}: ${sentence}`)

  async function send(what: string, asked: Omit<Asked, 'own'>): Promise<Answered> {
    if (row.isCounted) await app.db.run(forgetGuesses, {})
    const answer = await ask(app, row, caller, { own, ...asked })
    const { 'access-control-allow-origin': origin, 'access-control-allow-credentials': credentials } = answer.headers
    if (origin !== (isOpen ? '*' : undefined) || credentials !== undefined)
      report(what, `CORS allows ${origin} and credentials ${credentials}.`)
    return answer
  }

  async function sendHead(what: string, asked: Omit<Asked, 'own'>, status: number) {
    if (!row.hasHead) return
    const { status: given } = await send(`${what}, HEAD`, { ...asked, isHead: true })
    if (given !== status) report(`${what}, HEAD`, `${given} instead of ${status}.`)
  }

  async function refusedFor(what: string, asked: Omit<Asked, 'own'>, { status, text }: Refusal) {
    const answer = await send(what, asked)
    if (answer.status !== status || answer.text !== text)
      report(what, `${answer.status} ${answer.text} instead of ${status} ${text}`)
  }

  const refusedForBoth = ({ name, theirs, unknown }: Pair, refusal: Refusal): Question[] => [
    () => refusedFor(name, { target: theirs }, refusal),
    () => refusedFor(`unknown instead of ${name}`, { target: unknown }, refusal),
  ]

  async function hiddenIn(what: string, { theirs, unknown, status }: Pair, version: Pick<Asked, 'version'>) {
    const one = await send(what, { target: theirs, ...version })
    const other = await send(what, { target: unknown, ...version })
    if (one.status !== status || other.status !== status)
      report(what, `${one.status} and, unknown, ${other.status} instead of ${status}: ${one.text}`)
    else if (nameless(one, theirs) !== nameless(other, unknown))
      report(what, `${JSON.stringify(one)} differs from what is unknown: ${JSON.stringify(other)}`)
  }

  return {
    /** The response is the same for all objects. */
    refused: (pairs: readonly Pair[], refusal: Refusal): Question[] => [
      () => refusedFor('own', {}, refusal),
      () => sendHead('own', {}, refusal.status),
      () => refusedFor('own, in the oldest version', { version: OLDEST }, refusal),
      ...pairs.flatMap((pair) => refusedForBoth(pair, refusal)),
    ],
    /** The response is the same as for an object that does not exist. */
    hidden: (pair: Pair): Question[] => [
      () => hiddenIn(pair.name, pair, {}),
      () => sendHead(pair.name, { target: pair.theirs }, pair.status),
      () => hiddenIn(`${pair.name}, in the oldest version`, pair, { version: OLDEST }),
    ],
    /** The path of another customer, whether or not that customer exists. */
    refusedForBoth,
    async served({ withHead }: { withHead: boolean }): Promise<Answered> {
      if (withHead) await sendHead('own', {}, row.served)
      const answer = await send('own', {})
      if (answer.status !== row.served) report('own', `${answer.status} ${answer.text} instead of ${row.served}.`)
      return answer
    },
    /** `ids`: of somebody else. */
    showsNoneOf(ids: Iterable<string>, { text }: Answered) {
      for (const id of ids) if (text.includes(id)) return report('own', `it shows ${id}.`)
    },
  }
}

/** Returns the whole response without the requested ids, which it may repeat. */
function nameless({ status, text, headers }: Answered, ids: Ids): string {
  let said = text
  for (const [what, id] of Object.entries(ids)) said = said.replaceAll(id, `{${what}}`)
  return JSON.stringify([status, said, headers])
}
