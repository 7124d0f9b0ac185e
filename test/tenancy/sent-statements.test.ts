import { describe, expect, it } from 'vitest'
import { sentIn } from './sent-statements.ts'

const line = (message: string, application_name = 'cartwright') => JSON.stringify({ message, application_name })

describe('a line of the log', () => {
  it.each([
    ['a prepared statement', 'execute carts.find: select 1', { name: 'carts.find', text: 'select 1' }],
    ['several lines of SQL', 'execute a.b: select 1\nfrom x: y', { name: 'a.b', text: 'select 1\nfrom x: y' }],
    ['one without a name', 'execute <unnamed>: select 1', { name: null, text: 'select 1' }],
    ['one with a portal', 'execute carts.find/p1: select 1', { name: 'carts.find', text: 'select 1' }],
    ['one that is read in parts', 'execute fetch from a.b/p1: select 1', { name: 'a.b', text: 'select 1' }],
    ['a plain text', 'statement: begin', { name: null, text: 'begin' }],
    ['something else', 'terminating connection due to administrator command', null],
  ])('is read: %s', (_, message, sent) => {
    expect(sentIn(line(message))).toEqual(sent)
  })

  it.each(['cartwright migrate', ''])('is passed over when "%s" sent it', (application) => {
    expect(sentIn(line('statement: drop table carts', application))).toBeNull()
  })

  it('is passed over when it names no sender', () => {
    expect(sentIn('{"message":"database system is ready to accept connections"}')).toBeNull()
  })
})
