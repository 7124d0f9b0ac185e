// Every version answers every operation as it always did. This test plays the script over HTTP at the newest version only. It ages the
// answers in memory for all other versions and compares them with the golden bodies. README.md says how to read a failure, and how to
// change a body on purpose. every-version.test.ts, a proof, plays the script in each version.

import { beforeAll, describe, expect, it } from 'vitest'
import { HEAD, versions } from '../../../src/versions/index.ts'
import { endpoints } from '../real.ts'
import { answerProblems, coverageProblems, fileProblems } from './compare.ts'
import { age, type Exchange, printExchange, sourceFor } from './exchange.ts'
import { isOfSdk, isUpdating, readGolden, SDK } from './files.ts'
import { closeShop, openScene, sceneApp } from './scene.ts'
import { playScript } from './script/whole.ts'

const app = await sceneApp()
const dates = versions.map(({ date }) => date)
const others = [...dates.slice(1), SDK]
const updating = isUpdating()
const kept = updating ? new Map() : readGolden()
const shown = new Map<string, string>()

/** The exchanges by name. `plain`: the requests as they are. `today`: the requests in today's form, upgraded from the oldest version. */
let plain: ReadonlyMap<string, Exchange> = new Map()
let today: ReadonlyMap<string, Exchange> = new Map()

beforeAll(async () => {
  const closed = await closeShop(app)
  const play = async (upgrades: boolean) => {
    const scene = await openScene(app, [HEAD], closed, { upgrades })
    await playScript(scene)
    return scene.recorded.get(HEAD) ?? new Map()
  }
  ;[plain, today] = [await play(false), await play(true)]
})

/** The handler itself acts differently here, so that no newest answer can be aged. every-version.test.ts plays them. */
const isOfHandler = (name: string, version: string) =>
  (name === 'categories.update.partial' && version < '2020-09-23') ||
  (name === 'carts.remove_line.unknown' && version === SDK)

/** The last text of each exchange. Most versions repeat that of the next newer one, and printing takes longer than ageing. */
const printed = new Map<string, readonly [json: string, text: string]>()
function textOf(name: string, exchange: Exchange): string {
  const json = JSON.stringify(exchange)
  const known = printed.get(name)
  if (known?.[0] === json) return known[1]
  const text = printExchange(exchange)
  printed.set(name, [json, text])
  return text
}

function agedTexts(version: string): Map<string, string> {
  return new Map(
    [...plain].map(([name, exchange]) => {
      const source = sourceFor(version, exchange, today.get(name) ?? exchange)
      if (source === null) throw new Error(`${name}: ${version} reads the request in a form that nobody has played.`)
      return [name, textOf(name, age(source, version))]
    }),
  )
}

const problemsOf = (texts: ReadonlyMap<string, string>, version: string) =>
  answerProblems(kept, texts, version, version === SDK ? [HEAD, SDK] : dates, shown)

const names = () => [...plain.keys()]

describe.skipIf(updating)('the golden bodies', () => {
  let count = 0

  it('are what the newest version answers over HTTP', () => {
    expect(names().length).toBeGreaterThan(240)
    expect([...today.keys()]).toEqual(names())
    expect(problemsOf(agedTexts(HEAD), HEAD).join('\n\n')).toBe('')
  })

  it.each(others)('are what the answers of the newest version become at %s when they are aged', (version) => {
    const texts = [...agedTexts(version)]
    const agedOnes = texts.filter(([name]) => !isOfHandler(name, version))
    expect(problemsOf(new Map(agedOnes), version).join('\n\n')).toBe('')
    for (const each of texts.filter(([name]) => isOfHandler(name, version)))
      expect(problemsOf(new Map([each]), version), `${each[0]} can be aged`).toHaveLength(1)
    count += agedOnes.length
  })

  it('are all reached by ageing, in all 26 versions and for the SDK, but for seven', () => {
    expect(dates).toHaveLength(26)
    expect(count).toBe(names().length * others.length - 7)
  })

  it('are there for every operation of the router', () => {
    expect(endpoints.length).toBeGreaterThan(100)
    const operations = endpoints.map(({ operation }) => operation)
    expect(coverageProblems(operations, names())).toEqual([])
  })

  it('have no file that nobody asks for or that says what its newer neighbour says', () => {
    const ofVersions = new Map([...kept].filter(([file]) => !isOfSdk(file)))
    expect(fileProblems(ofVersions, names(), versions)).toEqual([])
    /** The SDK stands beside the newest version only. */
    const beside = [
      { date: HEAD, changes: ['the fields of older versions'] },
      { date: SDK, changes: [] },
    ]
    const ofSdk = new Map([...kept].filter(([file]) => isOfSdk(file) || file.endsWith('.json')))
    expect(fileProblems(ofSdk, names(), beside)).toEqual([])
    expect(ofSdk.size).toBeGreaterThan(names().length)
  })
})
