// The fields of a discount, for a new one and for an existing one.

import { useState } from 'preact/hooks'
import type { Discount } from '../../../../src/api/discounts/schema.ts'
import { Field, Select, Textarea } from '../../parts/form/field.tsx'
import { useSession } from '../../session.tsx'
import { LastDay } from './code.tsx'
import { DiscountProducts } from './products.tsx'

export function DiscountFields({ discount }: { discount?: Discount }) {
  const { merchant } = useSession()
  const [pickedType, setPickedType] = useState<Discount['type'] | null>(null)
  const type = pickedType ?? discount?.type ?? 'percentage'
  return (
    <>
      <Field
        name="code"
        label="Code"
        {...(discount === undefined
          ? {
              empty: 'leave' as const,
              isFocused: true,
              placeholder: 'SUMMER-10',
              hint: 'What shoppers type, in upper or lower case. Without one we make it up.',
            }
          : { hint: 'What shoppers type, in upper or lower case.' })}
      />
      <div class="columns">
        <Select
          name="type"
          label="What it takes off"
          options={[
            ['percentage', 'A percentage'],
            ['fixed', 'A fixed amount'],
          ]}
          onChange={(value) => setPickedType(value as Discount['type'])}
        />
        <Field name="value" label="How much" isNumber unit={type === 'percentage' ? '%' : merchant.currency} />
      </div>
      <div class="columns">
        <Field
          name="limit"
          label="How many orders"
          isNumber
          inputMode="numeric"
          hint="So many orders can use it, in each of sandbox and live. Without a number any."
        />
        <LastDay />
      </div>
      <DiscountProducts />
      <Textarea name="description" label="What it is for" rows={2} hint="For your team; shoppers do not see it." />
    </>
  )
}
