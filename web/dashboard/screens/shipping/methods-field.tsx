// Shipping methods of a zone, in the order in which shoppers see them.

import type { ShippingZone } from '../../../../src/api/shipping/schema.ts'
import { RowsField, type RowTexts } from '../../parts/form/rows-field.tsx'
import { useSession } from '../../session.tsx'

const OPTIONAL = ['on_own', 'with_others', 'min_order_value', 'max_order_value', 'min_weight', 'max_weight'] as const

const FIELDS = ['description', 'price', ...OPTIONAL] as const

type Texts = RowTexts<(typeof FIELDS)[number]>

const BLANK = Object.fromEntries(FIELDS.map((field) => [field, ''])) as Texts

const textsOf = ({ methods = [] }: Partial<ShippingZone>): readonly Texts[] =>
  methods.map((method) => ({
    id: method.id,
    description: method.description,
    price: String(method.price.raw),
    on_own: method.on_own.raw === 0 ? '' : String(method.on_own.raw),
    with_others: method.with_others.raw === 0 ? '' : String(method.with_others.raw),
    min_order_value: String(method.min_order_value?.raw ?? ''),
    max_order_value: String(method.max_order_value?.raw ?? ''),
    min_weight: String(method.min_weight ?? ''),
    max_weight: String(method.max_weight ?? ''),
  }))

const WHOLE = /^\d+$/

/** Text that is not a number is sent as typed, so that the API explains the error. */
const weight = (text: string) => (text === '' ? null : WHOLE.test(text) ? Number(text) : text)

const toPayload = (texts: Texts) => ({
  ...(texts.id === undefined ? {} : { id: texts.id }),
  description: texts.description.trim(),
  price: texts.price.trim(),
  on_own: texts.on_own.trim() || 0,
  with_others: texts.with_others.trim() || 0,
  min_order_value: texts.min_order_value.trim() || null,
  max_order_value: texts.max_order_value.trim() || null,
  min_weight: weight(texts.min_weight.trim()),
  max_weight: weight(texts.max_weight.trim()),
})

export function MethodsField() {
  const { currency } = useSession().merchant
  return (
    <RowsField
      name="methods"
      label="Ways of sending"
      none="None yet: nothing can be sent there until there is one."
      from={textsOf}
      sent={toPayload}
      say={({ description, price }) => `${description} ${price}`}
      nameOf={({ description }) => description}
      thing="way"
      blank={BLANK}
      add="Add a way of sending"
      canMove
    >
      {({ row, input, errorOf }) => (
        <>
          <div class="columns">
            {input('description', 'What shoppers read')}
            {input('price', 'Price', currency)}
          </div>
          <details open={OPTIONAL.some((field) => row[field] !== '' || errorOf(field) !== undefined)}>
            <summary>By the piece, and for which orders</summary>
            <div class="columns">
              {input('on_own', 'Added for the first piece', currency)}
              {input('with_others', 'Added for each further piece', currency)}
              {input('min_order_value', 'Only for orders from', currency)}
              {input('max_order_value', 'Only for orders up to', currency)}
              {input('min_weight', 'Only for parcels from', 'g')}
              {input('max_weight', 'Only for parcels up to', 'g')}
            </div>
          </details>
        </>
      )}
    </RowsField>
  )
}
