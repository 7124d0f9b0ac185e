// Dialog that changes many products at once. It explains the effect before the merchant confirms.

import type { FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Category } from '../../../../../src/api/categories/schema.ts'
import type { ProductBatch } from '../../../../../src/api/products/batch/schema.ts'
import type { ProductChanges } from '../../../../../src/api/products/body-schema.ts'
import { post } from '../../../parts/form/change.ts'
import { findAmong, MultiPick } from '../../../parts/form/combobox.tsx'
import { Field } from '../../../parts/form/field.tsx'
import type { FormValues } from '../../../parts/form/form.tsx'
import { PlainSelect } from '../../../parts/form/plain-field.tsx'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { useMode, useSession } from '../../../session.tsx'
import { toPicked, useEvery } from '../choices.ts'
import { batchScreen, rememberBatch } from './batch.ts'

export type BatchChange = 'price' | 'stock' | 'categories' | 'on' | 'off' | 'delete'

type Kind = {
  readonly title: (things: string) => string
  readonly says: readonly string[]
  readonly Fields?: FunctionComponent
  /** By default the values of the fields. */
  readonly body?: (values: FormValues) => object
}

const EACH = 'Each is changed by itself. You see what came of each, and can leave meanwhile.'

const KINDS: Readonly<Record<BatchChange, Kind>> = {
  price: {
    title: (things) => `Change the price of ${things}`,
    says: ['Carts show the new price at once. Orders keep what was paid.', EACH],
    Fields: PriceFields,
  },
  stock: {
    title: (things) => `Set the stock of ${things}`,
    says: ['Counts the stock of each from now on. Variants with a stock of their own keep it.', EACH],
    Fields: StockField,
    body: ({ changes }) => ({ changes: { inventory: { managed: true, ...(changes as ProductChanges).inventory } } }),
  },
  categories: {
    title: (things) => `Change the categories of ${things}`,
    says: ['Other categories stay as they are.', EACH],
    Fields: CategoryFields,
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

type ChangeProps = { readonly change: BatchChange; readonly ids: readonly string[]; readonly onClose: () => void }

export function ChangeDialog({ change, ids, onClose }: ChangeProps) {
  const { route } = useLocation()
  const { title, says, Fields, body = (values) => values } = KINDS[change]
  const words = title(plural(ids.length, 'product'))
  return (
    <ActionDialog<ProductBatch>
      title={words}
      verb={words}
      isDangerous={change === 'delete'}
      says={says}
      request={post('/v1/products/batch', (values: FormValues) => ({ ids, ...body(values) }))}
      onDone={({ id }) => {
        rememberBatch(id)
        route(batchScreen(id))
      }}
      onClose={onClose}
    >
      {Fields !== undefined && <Fields />}
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
  const [how, setHow] = useState<(typeof HOW)[number][0]>('changes.price')
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

function CategoryFields() {
  const find = findAmong(useEvery<Category>('/v1/categories').map(toPicked))
  const shared = { placeholder: 'Find a category', find, from: () => [], none: undefined }
  return (
    <>
      <MultiPick name="categories.add" label="Put into" {...shared} />
      <MultiPick name="categories.remove" label="Take out of" {...shared} />
    </>
  )
}
