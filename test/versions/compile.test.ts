// @unit
// A mistake in the registry or in a schema stops the server from starting, with a message that names it.

import { describe, expect, it } from 'vitest'
import { compileVersions } from '../../src/versions/apply.ts'
import { type ApiChange, renameField } from '../../src/versions/change.ts'
import { compile, dates, kinds, operations, told } from './support.ts'

const listing = (...listed: readonly string[]) =>
  compileVersions({ versions: listed.map((date) => ({ date, changes: [] })), operations, kinds })

describe('compiling refuses', () => {
  it('a change of an operation that does not exist', () => {
    const change: ApiChange = { summary: 'A cart is wrapped.', operations: { 'carts.addItm': {} } }
    expect(() => compile([change])).toThrow(
      'The API versions cannot be compiled: there is no operation "carts.addItm" (in 2022-03-03: A cart is wrapped.).',
    )
  })

  it('a change of a kind that does not exist', () => {
    const change: ApiChange = { summary: 'Links.', kinds: { assets: renameField('url', 'link') } }
    expect(() => compile([], [change])).toThrow('there is no kind "assets" (in 2022-02-02: Links.)')
  })

  it('a behaviour that ends twice', () => {
    const change = { summary: 'Strict.', behaviours: ['lenient'] }
    expect(() => compile([change], [change])).toThrow(
      'behaviour "lenient" ends in two changes (in 2022-02-02: Strict.)',
    )
  })

  it('all of its mistakes at once', () => {
    const change: ApiChange = { summary: 'x', kinds: { a: renameField('b', 'c') }, operations: { d: {} } }
    expect(() => compile([change])).toThrow('there is no kind "a" (in 2022-03-03: x); there is no operation "d"')
  })

  it('dates that are not sorted newest first, are listed twice or are no dates', () => {
    expect(() => listing('2022-01-01', '2022-02-02')).toThrow(
      '2022-02-02 stands after 2022-01-01: list versions newest first',
    )
    expect(() => listing('2022-01-01', '2022-01-01')).toThrow('2022-01-01 is listed twice')
    expect(() => listing('2022-1-1')).toThrow('"2022-1-1" is not a date like 2020-02-01')
    expect(() => listing()).toThrow('there are no versions')
  })

  it('changes at the oldest version, which nobody could ever see', () => {
    const versions = [{ date: '2022-01-01', changes: [{ summary: 'Lost.' }] }]
    expect(() => compileVersions({ versions, operations, kinds })).toThrow('2022-01-01 is the oldest version')
  })

  it('two operations of one name', () => {
    const twice = [...operations, { operation: 'carts.get', returns: null }]
    expect(() => compile([], [], { operations: twice })).toThrow('two operations are called "carts.get"')
  })

  it('a reference to nowhere, which would leave a kind unaged', () => {
    const lost = [{ operation: 'lost', returns: { type: 'array', items: { $ref: 'assset#' } } }]
    expect(() => compile([], [], { operations: lost })).toThrow(
      'The schema of what "lost" returns refers to "assset#", which is neither a kind nor a local definition.',
    )
    expect(() => compile([], [], { kinds: { ...kinds, a: { $ref: 'b' } } })).toThrow(
      'The schema of kind "a" refers to "b"',
    )
  })
})

describe('what is compiled', () => {
  const versions = compile([{ summary: 'Links.', kinds: { asset: renameField('url', 'link') } }])

  it('knows its versions', () => {
    expect(versions.head).toBe(dates[0])
    expect(versions.dates).toEqual(dates)
    expect([...dates, '2022-02-03', ''].map(versions.has)).toEqual([true, true, true, false, false])
  })

  it('ages a kind for a webhook, nested kinds included', () => {
    const category = { id: 'cat_1', assets: [{ id: 'ast_1', url: '/a' }] }
    const older = { id: 'cat_1', assets: [{ id: 'ast_1', link: '/a' }] }
    expect(versions.ageKind(dates[1], 'category', category, told)).toEqual(older)
    expect(versions.ageKind(dates[0], 'category', category, told)).toBe(category)
  })

  it('ages no kind and no version that does not exist', () => {
    expect(() => versions.ageKind(dates[1], 'categry', {}, told)).toThrow('There is no kind "categry".')
    expect(() => versions.ageKind('2019-01-01', 'category', {}, told)).toThrow('There is no API version "2019-01-01".')
  })
})
