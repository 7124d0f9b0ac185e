// @unit
// The comparison with golden bodies can fail: each mistake that it is there for is made here, and told by name.

import { describe, expect, it } from 'vitest'
import { alike, answerProblems, coverageProblems, fileProblems, filesFor, mishapOf } from './compare.ts'
import { isUpdating } from './files.ts'
import { print } from './print.ts'
import { redaction } from './redact.ts'

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
  it('is what the nearest newer version says that has a file', () => {
    expect(answerProblems(kept, answers(cart('updated')), '2022-02-02', dates)).toEqual([])
    expect(answerProblems(kept, answers(cart('last_updated')), '2022-01-01', dates)).toEqual([])
  })

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

  it('that went wrong in the same way at a newer version is not shown again', () => {
    const shown = new Map<string, string>()
    const wrong = answers(cart('changed'))
    expect(answerProblems(kept, wrong, '2022-03-03', dates, shown)[0]).toContain('\n+     "changed": "<time>"')
    expect(answerProblems(kept, wrong, '2022-02-02', dates, shown)).toEqual([
      'carts.get at 2022-02-02 is not what carts/get.json says, as at 2022-03-03.',
    ])
  })

  it('that is a mishap of the run is not recorded', () => {
    expect([200, 404, 422].map((status) => mishapOf('carts.get', '2022-01-01', status))).toEqual([null, null, null])
    for (const status of [429, 500, 503])
      expect(mishapOf('carts.get', '2022-01-01', status)).toBe(
        `carts.get at 2022-01-01 answered ${status}: that says something about the run, and nothing about the version.`,
      )
  })

  it('without any golden body is told', () => {
    expect(answerProblems(new Map(), answers(cart('updated')), '2022-03-03', dates)).toEqual([
      'carts.get at 2022-03-03 has no golden body.',
    ])
  })
})

describe('the files', () => {
  it('have one for every operation', () => {
    expect(coverageProblems(['carts.get', 'carts.new'], ['carts.get', 'carts.new.refused'])).toEqual([
      'carts.new has no golden body: give it a step in the script, as README.md says.',
    ])
  })

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

  it('are written for the newest version and for those that differ from their newer neighbour', () => {
    const recorded = new Map([
      ['2022-03-03', answers(cart('updated'))],
      ['2022-02-02', new Map<string, string>()],
      ['2022-01-01', answers(cart('last_updated'))],
    ])
    expect(filesFor(recorded, dates)).toEqual(kept)
    expect(fileProblems(kept, ['carts.get'], versions)).toEqual([])
  })

  it('are never rewritten in continuous integration', () => {
    expect(isUpdating({ CI: 'true' })).toBe(false)
    expect(isUpdating({ UPDATE_GOLDEN: '1' })).toBe(true)
    expect(() => isUpdating({ UPDATE_GOLDEN: '1', CI: 'true' })).toThrow('not where CI is set')
  })
})

describe('versions', () => {
  it('share a run where nothing changed between them', () => {
    const versions = [
      { date: 'd', changes: [1] },
      { date: 'c', changes: [] },
      { date: 'b', changes: [1] },
      { date: 'a', changes: [] },
    ]
    expect(alike(versions)).toEqual([['d'], ['c', 'b'], ['a']])
  })
})

describe('what differs from run to run', () => {
  it('is named by kind and first appearance, and nothing else is touched', () => {
    const id = (prefix: string, last: string) => `${prefix}_${last.padStart(26, '0')}`
    const redact = redaction(2)
    expect(redact(`GET /v1/carts/${id('cart', 'a')}`)).toBe('GET /v1/carts/cart_1')
    expect(
      redact({
        id: id('prod', 'b'),
        merchant_id: 2,
        quantity: 2,
        created: 1_767_323_045,
        expires: null,
        text: '1767323045',
        options: { [id('vgrp', 'c')]: id('optn', 'd') },
        list: [id('prod', 'e'), id('prod', 'b'), id('cart', 'a'), `test_${id('atmpt', 'f')}`],
        url: `http://localhost:80/files/2/${id('ast', 'g')}/a.png?expires=1767323045&signature=a-b_c`,
        param: `${id('atmpt', 'f')}_secret_0123456789abcdef01234567`,
        reference: 'SHP-12',
        price: 2_000_000_000,
        signing_key: `whsec_${'a+/'.repeat(14)}a=`,
        headers: { 'webhook-timestamp': '1767323045', 'webhook-signature': `v1,${'a+/'.repeat(14)}a=` },
        body: `{"id":"${id('prod', 'b')}","created":1767323045,"signature":"${'0a'.repeat(32)}"}`,
      }),
    ).toEqual({
      id: 'prod_1',
      merchant_id: '<merchant>',
      quantity: 2,
      created: '<time>',
      expires: null,
      text: '1767323045',
      options: { vgrp_1: 'optn_1' },
      list: ['prod_2', 'prod_1', 'cart_1', 'test_atmpt_1'],
      url: 'http://localhost:80/files/<merchant>/ast_1/a.png?expires=<time>&signature=<signature>',
      param: 'atmpt_1_secret_<secret>',
      reference: 'SHP-<number>',
      price: 2_000_000_000,
      signing_key: 'whsec_<secret>',
      headers: { 'webhook-timestamp': '<time>', 'webhook-signature': 'v1,<signature>' },
      body: '{"id":"prod_1","created":<time>,"signature":"<signature>"}',
    })
  })
})
