// Dialog that changes many products at once. It explains the effect before the merchant confirms.

import { useState } from 'preact/hooks'
import { call } from '../../../api.ts'
import { findAmong, MultiPick, type PickItem } from '../../../parts/form/combobox.tsx'
import { Field } from '../../../parts/form/field.tsx'
import type { FormValues } from '../../../parts/form/form.tsx'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { useMode, useSession } from '../../../session.tsx'
import { PlainSelect } from '../form/plain-field.tsx'
import { type NamedObject, toPicked, useEvery } from '../product.ts'
import type { Batch } from './batch.ts'

export type BatchChange = 'price' | 'stock' | 'categories' | 'on' | 'off' | 'delete'

type ChangeProps = {
  readonly change: BatchChange
  readonly ids: readonly string[]
  readonly onClose: () => void
  readonly onDone: (batch: Batch) => void
}

type Kind = {
  readonly title: (things: string) => string
  readonly says: readonly string[]
  readonly body: (values: FormValues) => FormValues
}

type StockValues = { readonly inventory: FormValues }

const EACH = 'Each is changed by itself. You see what came of each, and can leave meanwhile.'

const KINDS: Readonly<Record<BatchChange, Kind>> = {
  price: {
    title: (things) => `Change the price of ${things}`,
    says: ['Carts show the new price at once. Orders keep what was paid.', EACH],
    body: (values) => values,
  },
  stock: {
    title: (things) => `Set the stock of ${things}`,
    says: ['Counts the stock of each from now on. Variants with a stock of their own keep it.', EACH],
    body: ({ changes }) => ({ changes: { inventory: { managed: true, ...(changes as StockValues).inventory } } }),
  },
  categories: {
    title: (things) => `Change the categories of ${things}`,
    says: ['Other categories stay as they are.', EACH],
    body: (values) => values,
  },
  on: {
    title: (things) => `Put ${things} on sale`,
    says: ['Shoppers see them and can buy them.', EACH],
    body: () => ({ changes: { active: true } }),
  },
  off: {
    title: (things) => `Switch ${things} off`,
    says: ['Shoppers do not see them any more, and cannot pay for those in their carts.', EACH],
    body: () => ({ changes: { active: false } }),
  },
  delete: {
    title: (things) => `Delete ${things}`,
    says: [
      'Takes them out of the shop for good, with their options, variants and stock.',
      'Orders keep their own copy of what was bought. Pictures stay among your files.',
      EACH,
    ],
    body: () => ({ delete: true }),
  },
}

export function ChangeDialog({ change, ids, onClose, onDone }: ChangeProps) {
  const kind = KINDS[change]
  const title = kind.title(plural(ids.length, 'product'))
  return (
    <ActionDialog<Batch>
      title={title}
      verb={title}
      isDangerous={change === 'delete'}
      says={kind.says}
      run={(values, { idempotencyKey }) =>
        call('POST', '/v1/products/batch', { body: { ids, ...kind.body(values) }, idempotencyKey })
      }
      onDone={onDone}
      onClose={onClose}
    >
      {change === 'price' && <PriceFields />}
      {change === 'stock' && <StockField />}
      {change === 'categories' && <CategoryFields />}
    </ActionDialog>
  )
}

/** Ways to change a price: field name in the API, and label. */
const HOW = [
  ['changes.price', 'Set to'],
  ['price.add', 'Add (or take off, with a minus)'],
  ['price.multiply', 'Multiply by'],
] as const

function PriceFields() {
  const { merchant } = useSession()
  const [how, setHow] = useState<string>('changes.price')
  const isFactor = how === 'price.multiply'
  return (
    <>
      <PlainSelect label="How" value={how} options={HOW} onChange={setHow} />
      <Field
        key={how}
        name={how}
        label={isFactor ? 'Factor' : 'Amount'}
        isNumber
        {...(isFactor ? { hint: '1.1 is 10 % more, 0.9 is 10 % less.' } : { unit: merchant.currency })}
      />
    </>
  )
}

function StockField() {
  const [mode] = useMode()
  return (
    <Field
      name="changes.inventory.on_hand"
      label={`Pieces on the shelf of each, ${mode}`}
      isNumber
      inputMode="numeric"
      isFocused
    />
  )
}

const nothing = (): readonly PickItem[] => []

function CategoryFields() {
  const find = findAmong(useEvery<NamedObject>('/v1/categories').map(toPicked))
  const shared = { placeholder: 'Find a category', find, from: nothing, none: undefined }
  return (
    <>
      <MultiPick name="categories.add" label="Put into" {...shared} />
      <MultiPick name="categories.remove" label="Take out of" {...shared} />
    </>
  )
}
