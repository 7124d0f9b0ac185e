// Refunds an order: all that is left, chosen items, or an amount. The API previews the sum, its ways and the effect on stock, by the same
// code that refunds. The request includes the amount that the page believes is left. If two refunds are sent at once, only one of them is
// made.

import limits from 'limits:orders.refund'
import { useEffect, useState } from 'preact/hooks'
import type { RefundPreview } from '../../../../../src/api/orders/money/schema.ts'
import type { Order } from '../../../../../src/api/orders/schema.ts'
import { call, problemOf } from '../../../api.ts'
import { post } from '../../../parts/form/change.ts'
import { Checkbox, Field } from '../../../parts/form/field.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { addNumbers, isByHand, refundTarget } from '../order.ts'
import { Choices } from './choices.tsx'
import { OrderAction, type OrderDialogProps } from './order-action.tsx'
import { type ChosenQuantities, chosenItems, Quantities } from './quantity.tsx'

type Kind = 'all' | 'items' | 'amount'

export function RefundDialog(props: OrderDialogProps) {
  const { order } = props
  const [kind, setKind] = useState<Kind>('all')
  const [chosen, setChosen] = useState<ChosenQuantities>({})
  const [amount, setAmount] = useState('')
  const [isRestocking, setRestocking] = useState(false)
  /** The new kind has its own, empty fields, so values of the former fields must not be sent. */
  const changeKind = (nextKind: Kind) => {
    setKind(nextKind)
    setAmount('')
    if (nextKind === 'amount') setRestocking(false)
  }
  const refundableText = order.order.total_refundable.formatted_with_symbol
  const lines = order.order.line_items.filter((line) => line.quantity > line.quantity_refunded)
  const items = chosenItems(chosen)
  const pieces = addNumbers(items.map(({ quantity }) => quantity))
  const isChosen = kind === 'all' || (kind === 'items' ? pieces > 0 : amount.trim() !== '')
  const body = {
    expected_left: order.order.total_refundable.raw,
    ...(kind !== 'all' && amount.trim() !== '' ? { amount: amount.trim() } : {}),
    ...(kind === 'items' ? { items: items.map(({ id, quantity }) => ({ line_item_id: id, quantity })) } : {}),
    ...(kind !== 'amount' && isRestocking ? { restock: true } : {}),
  }
  const { preview, refusal } = usePreview(order.id, isChosen ? body : null)
  const amountField = { name: 'amount', inputMode: 'decimal', unit: order.currency.code, onInput: setAmount } as const
  return (
    <OrderAction<Order>
      {...props}
      title={`Refund ${order.customer_reference}`}
      verb={preview === null ? 'Refund' : `Refund ${preview.amount.formatted_with_symbol}`}
      isDangerous
      // A refused refund can still be sent: the error then appears at its field.
      isReady={isChosen && (preview !== null || refusal !== null)}
      says={
        preview === null
          ? [refusal ?? (isChosen ? 'Asking what that comes to…' : PROMPTS[kind])]
          : sentencesOf(preview, isRestocking)
      }
      limits={limits}
      request={post(`/v1/orders/${order.id}/refund`, ({ reason }) => ({ ...body, reason }))}
      done={(now) => `Refunded: ${now.order.total_refunded.formatted_with_symbol} of this order in all`}
    >
      <Choices
        label="What to give back"
        name="refund-of"
        value={kind}
        onChange={changeKind}
        options={[
          ['all', `All that is left: ${refundableText}`],
          ...(lines.length === 0 ? [] : ([['items', 'What was paid for some items']] as const)),
          ['amount', 'An amount'],
        ]}
      />
      {kind === 'items' && (
        <>
          <Quantities
            label="Which items"
            quantities={chosen}
            onChoose={setChosen}
            choices={lines.map((line) => ({
              id: line.id,
              name: line.product_name,
              options: line.selected_options,
              most: line.quantity - line.quantity_refunded,
            }))}
          />
          <Field
            {...amountField}
            label="Another amount for them"
            isOptional
            empty="leave"
            hint="Without one: what was paid for them, with tax and after discounts, without shipping."
          />
        </>
      )}
      {kind === 'amount' && <Field {...amountField} label="Amount" hint={`At most ${refundableText}.`} isFocused />}
      {kind !== 'amount' && (
        <Checkbox
          name="restock"
          label="Put the items back into stock"
          hint="Only if they are on your shelf, or on the way back to it."
          onChange={setRestocking}
        />
      )}
      <Field name="reason" label="Reason" hint="For you and your team." />
    </OrderAction>
  )
}

const PROMPTS: Readonly<Record<Kind, string>> = {
  all: '',
  items: 'Choose what to refund.',
  amount: 'Say how much to refund.',
}

type Answer = { readonly preview: RefundPreview | null; readonly refusal: string | null }

const NONE: Answer = { preview: null, refusal: null }
/** Delay after a keystroke, because numbers are typed digit by digit. */
const PAUSE_MS = 150

/** Preview of the refund with this body; previews of other bodies are not shown. `null` requests none. */
function usePreview(orderId: string, body: object | null): Answer {
  const bodyText = body === null ? null : JSON.stringify(body)
  const [latest, setLatest] = useState<Answer & { readonly bodyText: string }>({ ...NONE, bodyText: '' })
  useEffect(() => {
    if (bodyText === null) return
    const controller = new AbortController()
    const { signal } = controller
    const take = (answer: Answer) => signal.aborted || setLatest({ ...answer, bodyText })
    const timer = setTimeout(() => {
      call<RefundPreview>('POST', `/v1/orders/${orderId}/refund/preview`, { body: JSON.parse(bodyText), signal }).then(
        (preview) => take({ preview, refusal: null }),
        (error) => take({ preview: null, refusal: problemOf(error).message }),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [orderId, bodyText])
  return latest.bodyText === bodyText ? latest : NONE
}

function sentencesOf(preview: RefundPreview, isRestocking: boolean): string[] {
  const { amount, payments, giftcard, mailed_to: email } = preview
  const parts = [
    ...payments.map((payment) => [payment.amount, refundTarget(payment)] as const),
    ...(giftcard === null ? [] : [[giftcard, 'the gift card'] as const]),
  ]
  const [only, ...more] = parts.map(([sum, way]) => `${sum.formatted_with_symbol} to ${way}`)
  return [
    more.length === 0 ? `Refunds ${only}.` : `Refunds ${amount.formatted_with_symbol}: ${[only, ...more].join(', ')}.`,
    ...(payments.some(isByHand) ? ['What was paid by hand you give back yourself: here it is only noted.'] : []),
    stockSentence(preview, isRestocking),
    email === null ? 'Mails nobody: mails about refunds are switched off.' : `Mails ${email} what was given back.`,
  ]
}

function stockSentence({ items, restocked }: RefundPreview, isRestocking: boolean): string {
  if (!isRestocking) return 'Stock stays as it is.'
  const [all, back] = [items, restocked].map((lines) => addNumbers(lines.map(({ quantity }) => quantity)))
  if (back === 0) return 'Stock stays as it is: that of these items is not counted.'
  return back === all
    ? `Returns ${plural(back ?? 0, 'piece')} to stock.`
    : `Returns ${back} of ${plural(all ?? 0, 'piece')} to stock: that of the others is not counted.`
}
