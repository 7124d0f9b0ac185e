// What tables of records share: the text that lists a page, and a write that a unique index refuses.

import { describe, expect, it } from 'vitest'
import { translateUniqueViolation } from '../../src/db/records.ts'

describe('unlessTaken', () => {
  const refusal = () => new Error('The code is taken.')
  const violation = (constraint: string) => Object.assign(new Error('duplicate key'), { constraint })

  it('refuses in words of ours where that index does, and there alone', async () => {
    await expect(
      translateUniqueViolation(Promise.reject(violation('code_unique')), 'code_unique', refusal),
    ).rejects.toThrow('taken')
    await expect(
      translateUniqueViolation(Promise.reject(violation('id_unique')), 'code_unique', refusal),
    ).rejects.toThrow('duplicate key')
  })
})
