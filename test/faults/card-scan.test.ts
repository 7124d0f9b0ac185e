// The scan for cards (test/faults/card-scan.ts) finds them in every table and column, in logs and in responses. It reports nothing else.

import { describe, expect, it } from 'vitest'
import { administer, cloneDatabase } from '../support/database.ts'
import { cardTraces, hasCaptured, sentCards } from './card-scan.ts'

const connection = await cloneDatabase()
const cards = sentCards()
cards.see({ payment: { card: { number: '5555 5555-5555 4444', cvc: 918273645 } } })

describe('what was sent of a card', () => {
  it.each([
    ['a column of text', `create table leak as select '5555555555554444'::text as t`],
    ['JSON', `create table leak as select '{"a":{"number":"5555-5555-5555-4444"}}'::jsonb as t`],
    ['bytes', `create table leak as select '5555555555554444'::bytea as t`],
    ['a long CVC', `create table leak as select 'x918273645y' as t`],
    ['a short CVC under its name', `create table leak as select '{"cvc": "123"}'::json as t`],
    ['a short CVC in a column of its name', `create table leak as select 'cus_1' as customer, 123 as cvc`],
    ['a card that the suite knows, though nobody noted it', `create table leak as select '4000000000000002' as t`],
  ])('is found in %s', async (_, plant) => {
    await administer(connection, plant)
    expect(await cardTraces(connection, cards)).toEqual([expect.stringMatching(/^The table leak holds /)])
    await administer(connection, 'drop table leak')
  })

  it('is found in a log', async () => {
    const texts = { 'The log': '{"msg":"declined","number":"5555555555554444"}' }
    expect(await cardTraces(connection, cards, texts)).toEqual(['The log holds 5555555555554444.'])
  })

  it('is nowhere in what may be kept: the last four digits, amounts, times, refusals, an id that ends in cvV', async () => {
    await administer(
      connection,
      `create table kept as select '{"reference":"4444","reason":"incorrect_cvc","created":1767323045123,"cvc":null,"ids":["att_0f8Ab3kLm9QxZ2cvV",517]}' as t`,
    )
    const texts = { 'An answer': 'The security code (CVC) of the card is wrong. payment.card.number is required.' }
    expect(await cardTraces(connection, cards, texts)).toEqual([])
    await administer(connection, 'drop table kept')
  })

  it('is looked for where something was captured, and where a body had a card', async () => {
    expect(await hasCaptured(connection, null)).toBe(false)
    expect(cards.hasAny).toBe(true)
    const none = sentCards()
    for (const body of [null, {}, { payment: null }, { payment: { gateway: 'manual' } }]) none.see(body)
    expect(none.hasAny).toBe(false)
  })
})
