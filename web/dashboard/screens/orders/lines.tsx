// Items and totals of an order, with every figure from the API.

import type { Order, OrderLine } from '../../../../src/api/orders/schema.ts'
import { Section } from '../../parts/page/page.tsx'
import { Money, type Price } from '../../parts/show/values.tsx'
import { optionsText } from './order.ts'

export function Lines({ order }: { order: Order }) {
  return (
    <Section title="Items" kind="order-lines">
      <ul class="ruled">
        {order.order.line_items.map((line) => (
          <LineRow key={line.id} line={line} />
        ))}
      </ul>
      <Sums order={order} />
    </Section>
  )
}

function LineRow({ line }: { line: OrderLine }) {
  const details = [optionsText(line.selected_options), line.sku].filter(Boolean).join(' · ')
  const returned = [
    line.quantity_refunded > 0 && `${line.quantity_refunded} refunded`,
    line.quantity_restocked > 0 && `${line.quantity_restocked} back in stock`,
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <li class="line product-cell">
      {line.image === null ? (
        <span class="no-picture" aria-hidden="true" />
      ) : (
        <img src={line.image.url} alt="" loading="lazy" />
      )}
      <div>
        <p>{line.product_name}</p>
        {details !== '' && <p class="hint">{details}</p>}
        {returned !== '' && <p class="hint">{returned}</p>}
      </div>
      <p class="line-count">
        {line.quantity} × <Money price={line.price} />
      </p>
      <p class="line-total">
        <Money price={line.line_total} />
      </p>
    </li>
  )
}

function Sums({ order: { order, adjustments } }: { order: Order }) {
  const { discount, giftcard, shipping, tax } = order
  const hasRefund = order.total_refunded.raw > 0
  const rates = tax.breakdown.map(({ rate_percentage, type }) => `${rate_percentage} ${type}`).join(', ')
  return (
    <dl class="sums">
      <Sum label="Subtotal" amount={order.subtotal} />
      {'code' in discount && <Sum label={`Discount ${discount.code}`} amount={discount.amount_saved} sign="−" />}
      {(shipping.id !== null || shipping.price.raw > 0) && (
        <Sum label={['Shipping', shipping.description].filter(Boolean).join(': ')} amount={shipping.price} />
      )}
      {adjustments.map(({ description, amount }, index) => (
        <Sum key={`${index} ${description}`} label={description ?? 'Adjustment'} amount={amount} />
      ))}
      {(tax.amount.raw > 0 || rates !== '') && (
        <Sum label={`${tax.included_in_price ? 'Tax included' : 'Tax'}${rates && `: ${rates}`}`} amount={tax.amount} />
      )}
      <Sum label="Total" amount={order.total_with_tax} isStrong />
      {'credit' in giftcard && <Sum label="Paid by gift card" amount={giftcard.credit} />}
      <Sum label="Paid" amount={order.total_paid} hint={hasRefund ? 'less what was given back' : ''} />
      {hasRefund && <Sum label="Refunded" amount={order.total_refunded} />}
      {hasRefund && order.total_refundable.raw > 0 && <Sum label="Left to refund" amount={order.total_refundable} />}
    </dl>
  )
}

type SumProps = {
  readonly label: string
  readonly amount: Price
  readonly sign?: string
  readonly hint?: string
  readonly isStrong?: boolean
}

function Sum({ label, amount, sign = '', hint = '', isStrong = false }: SumProps) {
  return (
    <div class={isStrong ? 'sum strong' : 'sum'}>
      <dt>
        {label}
        {hint !== '' && <span class="hint"> {hint}</span>}
      </dt>
      <dd>
        {sign}
        <Money price={amount} />
      </dd>
    </div>
  )
}
