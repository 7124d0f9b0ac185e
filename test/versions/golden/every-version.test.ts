// @proof: it plays the script over HTTP in every version, which golden.test.ts ages in memory.
// With UPDATE_GOLDEN it rewrites the golden bodies (README.md).

import { describe, expect, it } from 'vitest'
import { HEAD, versions } from '../../../src/versions/index.ts'
import { endpoints } from '../real.ts'
import { alike, answerProblems, coverageProblems, filesFor } from './compare.ts'
import { printExchange } from './exchange.ts'
import { isUpdating, readGolden, readStored, SDK, shrink, writeGolden } from './files.ts'
import { closeShop, openScene, sceneApp } from './scene.ts'
import { playScript } from './script/whole.ts'

const app = await sceneApp()
const closed = await closeShop(app)
const dates = versions.map(({ date }) => date)
const updating = isUpdating()
const kept = updating ? new Map() : readGolden()
const recorded = new Map<string, ReadonlyMap<string, string>>()
const shown = new Map<string, string>()

const names = () => [...(recorded.get(HEAD)?.keys() ?? [])]

/** Plays the script in the versions of a group, and gives what differs from the golden bodies. */
async function play(group: readonly string[]): Promise<string[]> {
  const scene = await openScene(app, group, closed)
  await playScript(scene)
  for (const [date, exchanges] of scene.recorded)
    recorded.set(date, new Map([...exchanges].map(([name, exchange]) => [name, printExchange(exchange)])))
  expect([...(recorded.get(group[0] ?? '')?.keys() ?? [])]).toEqual(names())
  if (updating) return []
  return group.flatMap((date) =>
    answerProblems(kept, recorded.get(date) ?? new Map(), date, date === SDK ? [HEAD, SDK] : dates, shown),
  )
}

describe('the golden bodies over HTTP', () => {
  it.each([...alike(versions), [SDK]].map((group) => [group.join(', '), group] as const))(
    'are what the whole script is answered at %s',
    async (_, group) => {
      expect((await play(group)).join('\n\n')).toBe('')
    },
  )

  it('are read in all 26 versions, each GET', () => {
    const reads = endpoints.filter(({ method }) => method === 'GET').map(({ operation }) => operation)
    expect(reads.length).toBeGreaterThan(50)
    expect(dates.flatMap((date) => coverageProblems(reads, recorded.get(date)?.keys() ?? []))).toEqual([])
  })

  it.skipIf(updating)('are stored in the form in which they are written', () => {
    const stored = readStored()
    expect([...shrink(kept)].filter(([name, text]) => stored.get(name) !== text).map(([name]) => name)).toEqual([])
  })

  it.runIf(updating)('are rewritten', () => {
    expect([...recorded.keys()].sort()).toEqual([...dates, SDK].sort())
    writeGolden(new Map([...filesFor(recorded, dates), ...filesFor(recorded, [HEAD, SDK])]))
  })
})
