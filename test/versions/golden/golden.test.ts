// Every operation in every version answers what it always did: one scripted shop and purchase, played in each version and compared byte for
// byte with the golden bodies that are kept beside. README.md says how to read a failure, and how to change a body on purpose.

import { describe, expect, it } from 'vitest'
import { HEAD, versions } from '../../../src/versions/index.ts'
import { testApp } from '../../support/app.ts'
import { endpoints, real } from '../real.ts'
import { alike, answerProblems, coverageProblems, fileProblems, filesFor } from './compare.ts'
import { isUpdating, readGolden, writeGolden } from './files.ts'
import { planProblems } from './plans.ts'
import { closeShop, openScene, SDK } from './scene.ts'
import { playScript } from './script/whole.ts'

const app = await testApp()
const closed = await closeShop(app)
const dates = versions.map(({ date }) => date)
const kept = readGolden()
const recorded = new Map<string, ReadonlyMap<string, string>>()
const shown = new Map<string, string>()
const updating = isUpdating()

/** The column of the SDK stands beside the newest version alone. */
const beside = [
  { date: HEAD, changes: ['what older versions had'] },
  { date: SDK, changes: [] },
]
const isOfSdk = (file: string) => file.endsWith(`@${SDK}.json`)

const names = () => [...(recorded.get(HEAD)?.keys() ?? [])]

describe('the golden bodies', () => {
  it.each(alike(versions).map((group) => [group.join(', '), group] as const))(
    'are what the whole script is answered at %s',
    async (_, group) => {
      const scene = await openScene(app, group, closed)
      await playScript(scene)
      for (const [date, exchanges] of scene.recorded) recorded.set(date, exchanges)
      expect([...(recorded.get(group[0] ?? '')?.keys() ?? [])]).toEqual(names())
      if (updating) return
      const problems = group.flatMap((date) =>
        answerProblems(kept, recorded.get(date) ?? new Map(), date, dates, shown),
      )
      expect(problems.join('\n\n')).toBe('')
    },
  )

  it('are kept of what the SDK is answered that names no version', async () => {
    const scene = await openScene(app, [SDK], closed)
    await playScript(scene)
    const answered = scene.recorded.get(SDK) ?? new Map()
    recorded.set(SDK, answered)
    expect([...answered.keys()]).toEqual(names())
    if (updating) return
    expect(answerProblems(kept, answered, SDK, [HEAD, SDK], shown).join('\n\n')).toBe('')
  })

  it('are there for every operation of the router, and every GET is asked in all 26 versions', () => {
    expect(endpoints.length).toBeGreaterThan(100)
    expect(coverageProblems(operationsOf(), names())).toEqual([])
    const reads = operationsOf('GET')
    expect(dates.flatMap((date) => coverageProblems(reads, recorded.get(date)?.keys() ?? []))).toEqual([])
  })

  it('of a run that several versions share hold for the writes of all of them: their plans do the same', () => {
    expect(recorded.get(HEAD)?.size).toBeGreaterThan(150)
    expect(planProblems(real, alike(versions), recorded.get(HEAD) ?? new Map())).toEqual([])
  })

  it('have no file that nobody asks for or that says what its newer neighbour says', () => {
    expect(dates.filter((date) => !recorded.has(date))).toEqual([])
    if (updating) writeGolden(new Map([...filesFor(recorded, dates), ...filesFor(recorded, [HEAD, SDK])]))
    const files = [...readGolden()]
    const ofVersions = new Map(files.filter(([file]) => !isOfSdk(file)))
    expect(fileProblems(ofVersions, names(), versions)).toEqual([])
    const ofSdk = new Map(files.filter(([file]) => isOfSdk(file) || !file.includes('@')))
    expect(fileProblems(ofSdk, names(), beside)).toEqual([])
    expect(ofSdk.size).toBeGreaterThan(names().length)
  })
})

function operationsOf(method?: string): string[] {
  return endpoints.filter((endpoint) => !method || endpoint.method === method).map(({ operation }) => operation)
}
