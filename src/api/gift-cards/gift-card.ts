// The rules of gift cards: issuing, changing and deleting them, with a ledger that explains every balance, and returning what a card paid
// for an order.

import type { Scope, Tx } from '../../db/db.ts'
import { translateUniqueViolation } from '../../db/records.ts'
import { emit } from '../../events/emit.ts'
import { canWriteLive } from '../../http/endpoint/caller.ts'
import { notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { CODE_RULE, type CodeContext, type EnteredCode, isCode, newCode, tryCode } from '../discounts/code.ts'
import {
  type BalanceChange,
  closeGiftCardBalances,
  findHeldCredit,
  type GiftCardEntryRow,
  moveGiftCardBalance,
} from './ledger-store.ts'
import type { AppliedGiftCard, GiftCard, GiftCardChanges, GiftCardEntry, NewGiftCard } from './schema.ts'
import {
  type AppliedGiftCardRow,
  deleteGiftCardRow,
  type GiftCardColumns,
  type GiftCardIssue,
  type GiftCardRow,
  guessUsableGiftCard,
  insertGiftCard,
  lockGiftCard,
  lockGiftCardUsability,
  updateGiftCardRow,
} from './store.ts'

/**
 * Both modes start with the whole value, so that a card can be tried in the sandbox without spending it. A caller without live rights
 * creates no live credit.
 */
export async function createGiftCard({ db, clock, caller }: RuleContext, body: NewGiftCard): Promise<GiftCard> {
  const now = clock.now()
  const problems = new Problems()
  const value = parseField('value', body.value, caller.currency, problems)
  if (value === 0 && !problems.has('value')) problems.malformed('value', 'must be more than zero')
  const columns = mergeChanges({ code: newCode(), note: null, meta: null, expires: null }, body, problems)
  problems.throwIfAny()
  const issue = { value, onlyIn: canWriteLive(caller) ? null : caller.is_sandbox, subjectId: null }
  return db.transaction((tx) => issueGiftCard(tx, caller, columns, issue, now))
}

/** Creates a card and its event, inside the caller's transaction. */
async function issueGiftCard(
  tx: Tx,
  caller: RuleContext['caller'],
  columns: GiftCardColumns,
  issue: GiftCardIssue,
  now: Date,
): Promise<GiftCard> {
  const row = await insertGiftCard(tx, caller, newId('giftCard', now), columns, issue, now)
  if (row === null) throw codeTakenError()
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
      body.balance === undefined ? current.balance : parseField('balance', body.balance, currency, problems)
    const columns = mergeChanges(current, body, problems)
    problems.throwIfAny()

    const amount = balance - current.balance
    if (amount !== 0) {
      refuseWhileHeld(await findHeldCredit(tx, caller, id), current.balance, currency)
      await moveLockedBalance(tx, caller, { giftCardId: id, amount, reason: 'adjusted', subjectId: null }, now)
    }
    const row = await translateUniqueViolation(
      updateGiftCardRow(tx, caller, id, columns, now),
      'gift_cards_code_unique',
      codeTakenError,
    )
    const updated = viewGiftCard(row, currency)
    await emit(tx, caller, 'giftcards.update', updated, now)
    return updated
  })

/** Deletes a card, even if it has paid: orders have their own copy, and the ledger remains. */
export const deleteGiftCard = (context: RuleContext, id: string): Promise<void> =>
  withRecord(context, 'gift card', lockGiftCard, id, async (tx, current, now) => {
    const { caller } = context
    const row = { ...current, held: await findHeldCredit(tx, caller, id) }
    await closeGiftCardBalances(tx, caller, id, now)
    await deleteGiftCardRow(tx, caller, id)
    await emit(tx, caller, 'giftcards.delete', viewGiftCard(row, caller.currency), now)
  })

/** Merges the sent fields into the current ones. */
function mergeChanges(current: GiftCardColumns, body: GiftCardChanges, problems: Problems): GiftCardColumns {
  if (body.code !== undefined && !isCode(body.code)) problems.malformed('code', CODE_RULE)
  return {
    code: body.code ?? current.code,
    note: newOrCurrent(body.note, current.note),
    meta: newOrCurrent(body.meta, current.meta),
    expires: newOrCurrent(body.expires, current.expires),
  }
}

function parseField(field: 'value' | 'balance', input: unknown, currency: string, problems: Problems): Minor {
  const amount = parseAmount(input, currency, { field })
  if (amount.ok) return amount.minor
  problems.malformedAs({ [field]: [amount.reason] })
  return 0
}

/** Changes the balance of a locked card. The lock guarantees that the balance suffices. */
async function moveLockedBalance(tx: Tx, scope: Scope, movement: BalanceChange, now: Date) {
  if ((await moveGiftCardBalance(tx, scope, movement, now)) === null)
    throw new Error(`The balance of ${movement.giftCardId} could not be moved although its row was locked.`)
}

/**
 * A pending capture may hold the whole balance. A merchant who sees 0 and enters the sold value again would double it if the capture fails.
 */
function refuseWhileHeld(held: Minor, balance: Minor, currency: string) {
  if (held === 0) return
  const [hold, rest] = [held, balance].map((amount) => priceOf(amount, currency).formatted_with_code)
  throw notValid({
    balance: [
      `balance cannot be changed from ${rest} while ${hold} are held by captures in progress; failed captures return it to the card. Try again once held is zero.`,
    ],
  })
}

const codeTakenError = () =>
  notValid({ code: ['code is taken by another gift card; it must be unique, regardless of case.'] })

/** The card that got the credit. `replaced` says why it is a new card; null if it is the card that paid. */
export type CreditReturn = {
  readonly gift_card_id: string
  readonly amount: Minor
  readonly replaced: 'card_deleted' | 'card_expired' | null
}

type Credit = { readonly giftCardId: string; readonly amount: Minor; readonly orderId: string }

/**
 * Returns what a gift card paid for an order, inside the order's transaction. The credit goes to the card, or to a new one if the card
 * cannot pay any more, so that no shopper loses it. A new card has value only in the caller's mode, because sandbox credit is worth nothing
 * live.
 */
export async function returnCredit(
  tx: Tx,
  caller: RuleContext['caller'],
  { giftCardId, amount, orderId }: Credit,
  now: Date,
): Promise<CreditReturn> {
  const isUsable = await lockGiftCardUsability(tx, caller, giftCardId, now)
  if (isUsable) {
    await moveLockedBalance(tx, caller, { giftCardId, amount, reason: 'returned', subjectId: orderId }, now)
    return { gift_card_id: giftCardId, amount, replaced: null }
  }
  const [replaced, explanation] =
    isUsable === null ? (['card_deleted', 'had been deleted'] as const) : (['card_expired', 'had expired'] as const)
  const note = `Credit that the order ${orderId} gave back: ${giftCardId}, which had paid it, ${explanation}.`
  const columns = { code: newCode(), note, meta: null, expires: null }
  const issue = { value: amount, onlyIn: caller.is_sandbox, subjectId: orderId }
  const card = await issueGiftCard(tx, caller, columns, issue, now)
  return { gift_card_id: card.id, amount, replaced }
}

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

export const viewEntry = (
  { amount, balance, reason, order, created }: GiftCardEntryRow,
  currency: string,
): GiftCardEntry => ({
  created,
  type: reason === 'reserved' && order !== null ? 'spent' : reason,
  amount: priceOf(amount, currency),
  balance: priceOf(balance, currency),
  order_id: order?.id ?? null,
  customer_reference: order?.customer_reference ?? null,
})

/** The credit and the balance after it. In live totals they are a forecast, in an order they are final. */
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

/** One sentence for unknown, expired and spent. Different ones would reveal which cards exist. */
export const REFUSED_GIFT_CARD = 'This gift card cannot be used: it does not exist, has expired or is spent.'

/** The same refusal for shoppers. */
export const GIFT_CARD_NOT_ACCEPTED = refusal('gift_card_not_accepted')

/** Null if the code is refused. Answer with REFUSED_GIFT_CARD then. */
export const tryGiftCardCode = (context: CodeContext, entered: EnteredCode): Promise<AppliedGiftCardRow | null> =>
  tryCode(context, guessUsableGiftCard, entered)
