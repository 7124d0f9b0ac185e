// @unit
// The comparison with golden bodies can fail: each mistake that it is there for is made here, and told by name.

import { describe, expect, it } from 'vitest'
import { answerProblems, fileProblems } from './compare.ts'
import { print } from './print.ts'

const versions = [
  { date: '2022-03-03', changes: ['the totals'] },
  { date: '2022-02-02', changes: ['last_updated'] },
  { date: '2022-01-01', changes: [] },
]
const dates = versions.map(({ date }) => date)
const cart = (field: string, more: object = {}) =>
  print({
    request: 'GET /v1/carts/cart_1',
    status: 200,
    body: { id: 'cart_1', [field]: '<time>', meta: 'm'.repeat(90), ...more },
  })

const kept = new Map([
  ['carts/get.json', cart('updated')],
  ['carts/get@2022-01-01.diff', cart('last_updated')],
])
const answers = (text: string) => new Map([['carts.get', text]])

describe('an answer', () => {
  it('that a change of the newest version alters is told with its operation, its version and the lines', () => {
    const [problem = '', ...others] = answerProblems(kept, answers(cart('updated', { total: 3 })), '2022-01-01', dates)
    expect(others).toEqual([])
    expect(problem.split('\n')).toEqual([
      'carts.get at 2022-01-01 is not what carts/get@2022-01-01.diff says (- kept, + answered):',
      '  …',
      '    "status": 200,',
      '    "body": {',
      '      "id": "cart_1",',
      '-     "last_updated": "<time>",',
      `-     "meta": "${'m'.repeat(90)}"`,
      '+     "updated": "<time>",',
      `+     "meta": "${'m'.repeat(90)}",`,
      '+     "total": 3',
      '    }',
      '  }',
      '  ',
    ])
  })

  it('that differs from its newer neighbour needs a file of its own', () => {
    const [problem] = answerProblems(kept, answers(cart('last_updated')), '2022-02-02', dates)
    expect(problem).toContain('carts.get at 2022-02-02 is not what carts/get.json says')
  })
})

describe('the files', () => {
  it('are refused where they repeat their newer neighbour, or belong to nothing', () => {
    const more = new Map([
      ...kept,
      ['carts/get@2022-02-02.diff', cart('updated')],
      ['carts/get@2021-01-01.diff', ''],
      ['carts/gone.json', ''],
    ])
    expect(fileProblems(more, ['carts.get'], versions)).toEqual([
      'carts/get@2022-02-02.diff is superfluous: it says what carts/get.json says.',
      'carts/get@2021-01-01.diff belongs to nothing that the script records.',
      'carts/gone.json belongs to nothing that the script records.',
    ])
  })

  it('are refused where they differ though no change lies between, as when the run itself went another way', () => {
    const unchanged = versions.map(({ date }) => ({ date, changes: [] }))
    expect(fileProblems(kept, ['carts.get'], unchanged)).toEqual([
      'carts/get@2022-01-01.diff cannot differ from 2022-02-02, which brought no change: look at what else differed in the run.',
    ])
  })
})
