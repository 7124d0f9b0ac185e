// @unit
// Following the request log: every row once, in order, also those that are written late, and over a line that is cut.

import { expect, it } from 'vitest'
import { ApiRefusal, ServiceUnreachable } from '../../src/cli/client/call.ts'
import { followLog, type TailedRow } from '../../src/cli/developer/tail.ts'

const row = (created: number, id: string): TailedRow => ({
  id,
  created,
  status_code: 200,
  method: 'GET',
  url: '/v1/carts',
  ms: 1,
})

const newestFirst = (one: TailedRow, other: TailedRow) => other.created - one.created || (one.id < other.id ? 1 : -1)

/** Each round writes some rows, or fails; after the last the command is ended. */
async function follow(before: TailedRow[], rounds: (TailedRow[] | Error)[], page = 2) {
  const table = [...before]
  const told: string[] = []
  const reads: number[] = []
  const stop = new AbortController()
  let failure: Error | null = null
  const end = followLog({
    initialCount: 2,
    begin: async () => table.toSorted(newestFirst).slice(0, 3),
    async read(since, after) {
      if (failure !== null) throw failure
      if (after === null) reads.push(since)
      const rows = table.filter(({ created }) => created >= since).toSorted(newestFirst)
      const from = after === null ? 0 : Number(after)
      return { data: rows.slice(from, from + page), next: from + page < rows.length ? String(from + page) : null }
    },
    show: ({ id }) => told.push(id),
    connectionLost: () => told.push('cut'),
    reconnected: () => told.push('reconnected'),
    stop: stop.signal,
    async rest() {
      const round = rounds.shift()
      if (round === undefined) return stop.abort()
      failure = round instanceof Error ? round : null
      if (!(round instanceof Error)) table.push(...round)
    },
  })
  await end
  return { told, reads }
}

it('begins with the last rows, and tells every further one once, oldest first', async () => {
  const { told } = await follow(
    [row(100, 'a'), row(101, 'b'), row(101, 'c')],
    [[row(102, 'd'), row(103, 'f'), row(103, 'e'), row(104, 'g'), row(104, 'h')], [], [row(105, 'i')]],
  )
  expect(told).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
})

it('tells what was written late: a moment, or as long as the longest request', async () => {
  const { told } = await follow(
    [row(100, 'a')],
    [
      [row(110, 'b')],
      [row(107, 'late')],
      [row(111, 'c')],
      ...Array.from({ length: 5 }, () => []),
      [row(51, 'long')],
      [],
      [],
    ],
  )
  expect(told).toEqual(['a', 'b', 'late', 'c', 'long'])
})

it('does not tell what was there before it began', async () => {
  const { told } = await follow(
    [row(98, 'x'), row(99, 'y'), row(100, 'a'), row(100, 'b')],
    [[row(101, 'c')], ...Array.from({ length: 12 }, () => [])],
  )
  expect(told).toEqual(['a', 'b', 'c'])
})

it('goes on after a line that was cut, and tells what was written meanwhile; a refusal ends it', async () => {
  const { told } = await follow(
    [row(100, 'a')],
    [new ServiceUnreachable('No.'), new ApiRefusal('No.', 503), [row(160, 'b'), row(400, 'c')], [row(401, 'd')]],
  )
  expect(told).toEqual(['a', 'cut', 'b', 'c', 'reconnected', 'd'])
  await expect(follow([], [new ApiRefusal('This API key is not valid.', 401)])).rejects.toThrow('not valid')
})

it('tells the first row of a log that was empty', async () => {
  const { told, reads } = await follow([], [[], [row(500, 'a')], [row(501, 'b')]])
  expect(told).toEqual(['a', 'b'])
  expect(reads).toEqual([0, 0, 0, 495])
})
