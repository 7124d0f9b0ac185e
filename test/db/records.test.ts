// What tables of records share: the text that lists a page, and a write that a unique index refuses.

import { describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { listSql, type RowPage, unlessTaken } from '../../src/db/records.ts'
import { testDatabase } from '../support/database.ts'

describe('listSql', () => {
  const numbers = `generate_series(1, 7) as number (id), (values (1, 'odd'), (0, 'even')) as kind (remainder, name)`
  const list = statement<RowPage<{ id: number; name: string }>>(
    'test.list_records',
    listSql({
      row: 'number.id, kind.name',
      from: numbers,
      where: 'number.id % 2 = kind.remainder and number.id > :above::integer',
      orderBy: 'number.id',
    }),
  )

  it('gives one page in order, with the count of all that match', async () => {
    const db = await testDatabase()
    expect(await db.one(list, { above: 2, limit: 2, offset: 1 })).toEqual({
      total: 5,
      rows: [
        { id: 4, name: 'even' },
        { id: 5, name: 'odd' },
      ],
    })
    expect(await db.one(list, { above: 2, limit: 2, offset: 10_000_000_000_000 })).toEqual({ total: 5, rows: [] })
    expect(await db.one(list, { above: 9, limit: 2, offset: 0 })).toEqual({ total: 0, rows: [] })
  })
})

describe('unlessTaken', () => {
  const refusal = () => new Error('The code is taken.')
  const violation = (constraint: string) => Object.assign(new Error('duplicate key'), { constraint })

  it('gives what was written', async () => {
    expect(await unlessTaken(Promise.resolve('row'), 'code_unique', refusal)).toBe('row')
  })

  it('refuses in words of ours where that index does, and there alone', async () => {
    await expect(unlessTaken(Promise.reject(violation('code_unique')), 'code_unique', refusal)).rejects.toThrow('taken')
    await expect(unlessTaken(Promise.reject(violation('id_unique')), 'code_unique', refusal)).rejects.toThrow(
      'duplicate key',
    )
  })
})
