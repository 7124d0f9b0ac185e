// The rules of gift cards: how one is issued, changed and taken back, with a ledger that explains every balance, and how what one paid for
// an order is given back.

import type { Scope, Tx } from '../../db/db.ts'
import { unlessTaken } from '../../db/records.ts'
import { emit } from '../../events/emit.ts'
import { canWriteLive } from '../../http/endpoint/caller.ts'
import { notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { sentOr } from '../../lib/json.ts'
import { type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { CODE_RULE, type CodeContext, type EnteredCode, isCode, newCode, tryCode } from '../discounts/code.ts'
import {
  closeGiftCardBalances,
  type EntryRow,
  findHeldCredit,
  type Movement,
  moveGiftCardBalance,
} from './ledger-store.ts'
import type { AppliedGiftCard, GiftCard, GiftCardChanges, GiftCardEntry, NewGiftCard } from './schema.ts'
import {
  type AppliedGiftCardRow,
  deleteGiftCardRow,
  type GiftCardColumns,
  type GiftCardRow,
  guessUsableGiftCard,
  type Issue,
  insertGiftCard,
  lockGiftCard,
  lockGiftCardUsability,
  updateGiftCardRow,
} from './store.ts'

/** Both modes begin with the whole value: a card can be tried out without spending it. A caller who may not write live makes no live credit. */
export async function createGiftCard({ db, clock, caller }: RuleContext, body: NewGiftCard): Promise<GiftCard> {
  const now = clock.now()
  const problems = new Problems()
  const value = readAmount('value', body.value, caller.currency, problems)
  if (value === 0 && !problems.has('value')) problems.malformed('value', 'must be more than zero')
  const columns = mergeChanges({ code: newCode(), note: null, meta: null, expires: null }, body, problems)
  problems.throwIfAny()
  const issue = { value, onlyIn: canWriteLive(caller) ? null : caller.isSandbox, subjectId: null }
  return db.transaction((tx) => issueGiftCard(tx, caller, columns, issue, now))
}

/** Inside the transaction of what it is issued for. Writes a new card and its event. */
async function issueGiftCard(
  tx: Tx,
  caller: RuleContext['caller'],
  columns: GiftCardColumns,
  issue: Issue,
  now: Date,
): Promise<GiftCard> {
  const row = await insertGiftCard(tx, caller, newId('giftCard', now), columns, issue, now)
  if (row === null) throw codeTaken()
  const created = viewGiftCard(row, caller.currency)
  await emit(tx, caller, 'giftcards.create', created, now)
  return created
}

export const updateGiftCard = (context: RuleContext, id: string, body: GiftCardChanges): Promise<GiftCard> =>
  withRecord(context, 'gift card', lockGiftCard, id, async (tx, current, now) => {
    const { caller } = context
    const { currency } = caller
    const problems = new Problems()
    const balance =
      body.balance === undefined ? current.balance : readAmount('balance', body.balance, currency, problems)
    const columns = mergeChanges(current, body, problems)
    problems.throwIfAny()

    const amount = balance - current.balance
    if (amount !== 0) {
      refuseWhileHeld(await findHeldCredit(tx, caller, id), current.balance, currency)
      await moveLocked(tx, caller, { giftCardId: id, amount, reason: 'adjusted', subjectId: null }, now)
    }
    const row = await unlessTaken(updateGiftCardRow(tx, caller, id, columns, now), 'gift_cards_code_unique', codeTaken)
    const updated = viewGiftCard(row, currency)
    await emit(tx, caller, 'giftcards.update', updated, now)
    return updated
  })

/** Also a card that has paid: orders keep their own copy of what they show, and the ledger stays. */
export const deleteGiftCard = (context: RuleContext, id: string): Promise<void> =>
  withRecord(context, 'gift card', lockGiftCard, id, async (tx, current, now) => {
    const { caller } = context
    const row = { ...current, held: await findHeldCredit(tx, caller, id) }
    await closeGiftCardBalances(tx, caller, id, now)
    await deleteGiftCardRow(tx, caller, id)
    await emit(tx, caller, 'giftcards.delete', viewGiftCard(row, caller.currency), now)
  })

/** What the card becomes: fields sent replace, fields left out stay. */
function mergeChanges(current: GiftCardColumns, body: GiftCardChanges, problems: Problems): GiftCardColumns {
  if (body.code !== undefined && !isCode(body.code)) problems.malformed('code', CODE_RULE)
  return {
    code: body.code ?? current.code,
    note: sentOr(body.note, current.note),
    meta: sentOr(body.meta, current.meta),
    expires: sentOr(body.expires, current.expires),
  }
}

function readAmount(field: 'value' | 'balance', sent: unknown, currency: string, problems: Problems): Minor {
  const amount = parseAmount(sent, currency, { field })
  if (amount.ok) return amount.minor
  problems.malformedAs({ [field]: [amount.reason] })
  return 0
}

/** Of a card whose row is locked, and whose balance therefore suffices. */
async function moveLocked(tx: Tx, scope: Scope, movement: Movement, now: Date) {
  if ((await moveGiftCardBalance(tx, scope, movement, now)) === null)
    throw new Error(`The balance of ${movement.giftCardId} could not be moved although its row was locked.`)
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

const codeTaken = () =>
  notValid({ code: ['code is taken by another gift card; in upper or lower case it must be unique.'] })

/** Where the credit went: `replaced` says why it is another card than the one that paid, and is null where it is the same. */
export type ReturnedCredit = {
  readonly gift_card_id: string
  readonly amount: Minor
  readonly replaced: 'card_deleted' | 'card_expired' | null
}

type Credit = { readonly giftCardId: string; readonly amount: Minor; readonly orderId: string }

/**
 * Gives back what a gift card paid for an order, inside the order's transaction: to the card, or to a new one where the card pays nothing any
 * more. What a shopper has paid is never returned to nowhere. A new card has its value in the mode of `caller` alone: what the sandbox
 * gives back is worth nothing live.
 */
export async function returnCredit(
  tx: Tx,
  caller: RuleContext['caller'],
  { giftCardId, amount, orderId }: Credit,
  now: Date,
): Promise<ReturnedCredit> {
  const isUsable = await lockGiftCardUsability(tx, caller, giftCardId, now)
  if (isUsable) {
    await moveLocked(tx, caller, { giftCardId, amount, reason: 'returned', subjectId: orderId }, now)
    return { gift_card_id: giftCardId, amount, replaced: null }
  }
  const [replaced, why] =
    isUsable === null ? (['card_deleted', 'had been deleted'] as const) : (['card_expired', 'had expired'] as const)
  const note = `Credit that the order ${orderId} gave back: ${giftCardId}, which had paid it, ${why}.`
  const columns = { code: newCode(), note, meta: null, expires: null }
  const issue = { value: amount, onlyIn: caller.isSandbox, subjectId: orderId }
  const card = await issueGiftCard(tx, caller, columns, issue, now)
  return { gift_card_id: card.id, amount, replaced }
}

/** Field by field, in the newest form. */
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

export const viewEntry = ({ amount, balance, reason, order, created }: EntryRow, currency: string): GiftCardEntry => ({
  created,
  type: reason === 'reserved' && order !== null ? 'spent' : reason,
  amount: priceOf(amount, currency),
  balance: priceOf(balance, currency),
  order_id: order?.id ?? null,
  customer_reference: order?.customer_reference ?? null,
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

/** One sentence for unknown, expired and spent: told apart, they would say which cards exist. */
export const REFUSED_GIFT_CARD = 'This gift card cannot be used: it does not exist, has expired or is spent.'

/** The same for shoppers. */
export const GIFT_CARD_NOT_ACCEPTED = refusal('gift_card_not_accepted')

/** Null when the code is refused: answer with REFUSED_GIFT_CARD. */
export const tryGiftCardCode = (context: CodeContext, entered: EnteredCode): Promise<AppliedGiftCardRow | null> =>
  tryCode(context, guessUsableGiftCard, entered)
