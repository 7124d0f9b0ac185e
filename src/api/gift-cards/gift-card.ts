// The rules of gift cards: how one is issued, changed and taken back, with a ledger that explains every balance.

import { type Database, type Tx, violates } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import { CODE_RULE, codeSubjects, type EnteredCode, isCode, newCode } from '../discounts/code.ts'
import { closeGiftCardBalances, moveGiftCardBalance } from './ledger-store.ts'
import type { AppliedGiftCard, GiftCard, GiftCardChanges, NewGiftCard } from './schema.ts'
import {
  type AppliedGiftCardRow,
  deleteGiftCardRow,
  findHeldCredit,
  type GiftCardColumns,
  type GiftCardRow,
  guessGiftCard,
  type Issue,
  insertGiftCard,
  lockGiftCard,
  updateGiftCardRow,
} from './store.ts'

export type Issuer = Pick<Caller, 'merchantId' | 'isSandbox' | 'currency'>

/** Both modes begin with the whole value: a card can be tried out without spending it. */
export async function createGiftCard(tx: Tx, clock: Clock, caller: Issuer, body: NewGiftCard): Promise<GiftCard> {
  const now = clock.now()
  const malformed: FieldErrors = {}
  const value = readAmount('value', body.value, caller.currency, malformed)
  if (value === 0 && !malformed.value) malformed.value = ['value must be more than zero.']
  const columns = merged({ code: newCode(), note: null, meta: null, expires: null }, body, malformed)
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)

  return issueGiftCard(tx, caller, value, columns, { onlyIn: null, subjectId: null }, now)
}

/** Writes a new card and tells it. */
export async function issueGiftCard(
  tx: Tx,
  issuer: Issuer,
  value: Minor,
  columns: GiftCardColumns,
  issue: Issue,
  now: Date,
): Promise<GiftCard> {
  const row = await insertGiftCard(tx, issuer, newId('giftCard', now), value, columns, issue, now)
  if (row === null) throw codeTaken()
  const created = viewGiftCard(row, issuer.currency)
  await emit(tx, { merchantId: issuer.merchantId }, 'giftcards.create', created, now)
  return created
}

export async function updateGiftCard(
  tx: Tx,
  clock: Clock,
  caller: Issuer,
  id: string,
  body: GiftCardChanges,
): Promise<GiftCard> {
  const current = await lockGiftCard(tx, caller, id)
  if (current === null) throw notFound('gift card')
  const now = clock.now()
  const malformed: FieldErrors = {}
  const balance =
    body.balance === undefined ? current.balance : readAmount('balance', body.balance, caller.currency, malformed)
  const columns = merged(current, body, malformed)
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)

  const { merchantId, isSandbox } = caller
  const amount = balance - current.balance
  if (amount !== 0) {
    refuseWhileHeld(await findHeldCredit(tx, caller, id), current.balance, caller.currency)
    const movement = { merchantId, giftCardId: id, isSandbox, amount, reason: 'adjusted', subjectId: null } as const
    if ((await moveGiftCardBalance(tx, movement, now)) === null)
      throw new Error('The balance of a gift card moved although its row was locked.')
  }
  const row = await refusingTakenCode(updateGiftCardRow(tx, caller, id, columns, now))
  const updated = viewGiftCard(row, caller.currency)
  await emit(tx, { merchantId }, 'giftcards.update', updated, now)
  return updated
}

/** Also a card that has paid: orders keep their own copy of what they show, and the ledger stays. */
export async function deleteGiftCard(tx: Tx, clock: Clock, caller: Issuer, id: string): Promise<void> {
  const locked = await lockGiftCard(tx, caller, id)
  if (locked === null) throw notFound('gift card')
  const row = { ...locked, held: await findHeldCredit(tx, caller, id) }
  const now = clock.now()
  await closeGiftCardBalances(tx, caller.merchantId, id, now)
  await deleteGiftCardRow(tx, caller, id)
  await emit(tx, { merchantId: caller.merchantId }, 'giftcards.delete', viewGiftCard(row, caller.currency), now)
}

/** What the card becomes: fields sent replace, fields left out stay. */
function merged(current: GiftCardColumns, body: GiftCardChanges, malformed: FieldErrors): GiftCardColumns {
  if (body.code !== undefined && !isCode(body.code)) malformed.code = [CODE_RULE]
  return {
    code: body.code ?? current.code,
    note: body.note === undefined ? current.note : body.note,
    meta: body.meta === undefined ? current.meta : body.meta,
    expires: body.expires === undefined ? current.expires : body.expires,
  }
}

function readAmount(field: 'value' | 'balance', sent: unknown, currency: string, malformed: FieldErrors): Minor {
  const amount = parseAmount(sent, currency, { field })
  if (amount.ok) return amount.minor
  malformed[field] = [amount.reason]
  return 0
}

/** Whoever sees nothing left, as a capture holds all of it, and writes what was sold would double it once the capture fails. */
function refuseWhileHeld(held: Minor, balance: Minor, currency: string) {
  if (held === 0) return
  const [kept, left] = [held, balance].map((amount) => priceOf(amount, currency).formatted_with_code)
  throw notValid({
    balance: [
      `balance cannot be changed from ${left} while ${kept} are held by captures under way: they come back to the card if those fail. Try again once held is zero.`,
    ],
  })
}

/** The index decides and not a look beforehand: between a look and the write another request may take the code. */
async function refusingTakenCode<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw violates(error, 'gift_cards_code_unique') ? codeTaken() : error
  }
}

const codeTaken = () =>
  notValid({ code: ['code is taken by another gift card; in upper or lower case it must be unique.'] })

// A row → the gift card in its newest form, field by field.

export const viewGiftCard = (row: GiftCardRow, currency: string): GiftCard => ({
  id: row.id,
  code: row.code,
  initial_value: priceOf(row.initial_value, currency),
  balance: priceOf(row.balance, currency),
  held: priceOf(row.held, currency),
  note: row.note,
  expires: row.expires,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
})

/** What a card pays, and what is then left on it: the same in live totals, where it is a promise, and in the order that keeps it. */
export const viewAppliedGiftCard = (
  { id, code }: { readonly id: string; readonly code: string },
  credit: Minor,
  balanceAfter: Minor,
  currency: string,
): AppliedGiftCard => ({
  id,
  code,
  balance: priceOf(balanceAfter, currency).raw,
  credit: priceOf(credit, currency),
})

// A code that a shopper enters at the checkout → its gift card, within the limits of guessing.

/** One sentence for unknown, expired and spent: told apart, they would say which cards exist. */
export const REFUSED_GIFT_CARD = 'This gift card cannot be used: it does not exist, has expired or is spent.'

/** Null when the code is refused: answer with REFUSED_GIFT_CARD. Throws `tooManyRequests` after too many refusals. */
export const tryGiftCardCode = (
  db: Database,
  clock: Clock,
  caller: Pick<Caller, 'merchantId' | 'isSandbox'>,
  { code, enteredIn, clientNetworks }: EnteredCode,
): Promise<AppliedGiftCardRow | null> =>
  guessGiftCard(db, {
    merchantId: caller.merchantId,
    isSandbox: caller.isSandbox,
    code,
    now: clock.now(),
    subjects: codeSubjects(caller, enteredIn, clientNetworks),
  })
