// Shipping methods of a zone, in the order in which shoppers see them.

import type { ShippingZone } from '../../../../src/api/shipping/schema.ts'
import { newIdempotencyKey } from '../../api.ts'
import { Group } from '../../parts/form/field.tsx'
import { useHeldValue } from '../../parts/form/held-value.tsx'
import { Button } from '../../parts/page/button.tsx'
import { useSession } from '../../session.tsx'
import { ListInput } from '../terms/typed.tsx'

const FIELDS = [
  'description',
  'price',
  'on_own',
  'with_others',
  'min_order_value',
  'max_order_value',
  'min_weight',
  'max_weight',
] as const

type FieldName = (typeof FIELDS)[number]

/** Values as typed. */
type Draft = { readonly key: string; readonly id?: string } & Readonly<Record<FieldName, string>>

const BLANK = Object.fromEntries(FIELDS.map((field) => [field, ''])) as Record<FieldName, string>

const draftsOf = ({ methods = [] }: Partial<ShippingZone>): readonly Draft[] =>
  methods.map((method) => ({
    key: method.id,
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

const toPayload = (draft: Draft) => ({
  ...(draft.id === undefined ? {} : { id: draft.id }),
  description: draft.description.trim(),
  price: draft.price.trim(),
  on_own: draft.on_own.trim() || 0,
  with_others: draft.with_others.trim() || 0,
  min_order_value: draft.min_order_value.trim() || null,
  max_order_value: draft.max_order_value.trim() || null,
  min_weight: weight(draft.min_weight.trim()),
  max_weight: weight(draft.max_weight.trim()),
})

export function MethodsField() {
  const { merchant } = useSession()
  const { value, set, control, errors } = useHeldValue<readonly Draft[]>({
    name: 'methods',
    label: 'Ways of sending',
    from: draftsOf,
    sent: (drafts) => drafts.map(toPayload),
    say: (drafts) => drafts.map(({ description, price }) => `${description} ${price}`).join(', '),
  })
  const change = (key: string, changes: Partial<Draft>) =>
    set(value.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)))
  const listError = errors.get('')
  return (
    <Group label="Ways of sending">
      {control}
      {value.length === 0 && <p class="hint">None yet: nothing can be sent there until there is one.</p>}
      {listError !== undefined && <p class="wrong-text">{listError}</p>}
      {value.map((draft, index) => (
        <MethodRow
          key={draft.key}
          draft={draft}
          index={index}
          currency={merchant.currency}
          errorOf={(name) => errors.get(`${index}.${name}`)}
          onChange={(changes) => change(draft.key, changes)}
          onRemove={() => set(value.filter(({ key }) => key !== draft.key))}
          onMoveUp={() => set(value.toSpliced(index, 1).toSpliced(index - 1, 0, draft))}
        />
      ))}
      <div>
        <Button isSmall icon="plus" onClick={() => set([...value, { ...BLANK, key: newIdempotencyKey() }])}>
          Add a way of sending
        </Button>
      </div>
    </Group>
  )
}

type RowProps = {
  readonly draft: Draft
  readonly index: number
  readonly currency: string
  readonly errorOf: (name: FieldName) => string | undefined
  readonly onChange: (changes: Partial<Draft>) => void
  readonly onRemove: () => void
  readonly onMoveUp: () => void
}

function MethodRow({ draft, index, currency, errorOf, onChange, onRemove, onMoveUp }: RowProps) {
  const name = draft.description.trim() || `way ${index + 1}`
  const optionalFields = FIELDS.slice(2)
  const isExpanded = optionalFields.some((field) => draft[field] !== '' || errorOf(field) !== undefined)
  const input = (field: FieldName, label: string, unit?: string) => (
    <ListInput
      label={label}
      {...(unit === undefined ? {} : { unit })}
      value={draft[field]}
      error={errorOf(field)}
      onInput={(text) => onChange({ [field]: text })}
    />
  )
  return (
    <fieldset class="method">
      <legend class="unseen">{name}</legend>
      <div class="columns">
        {input('description', 'What shoppers read')}
        {input('price', 'Price', currency)}
      </div>
      <details open={isExpanded}>
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
      <div class="method-foot">
        {index > 0 && (
          <Button isSmall kind="quiet" icon="up" label={`Move ${name} up`} onClick={onMoveUp}>
            Up
          </Button>
        )}
        <Button isSmall kind="quiet" icon="close" label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  )
}
