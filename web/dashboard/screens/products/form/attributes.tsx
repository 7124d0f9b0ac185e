// Attributes of a product, each with an input for its type. The attributes themselves are managed on their own screen.

import type { Attribute } from '../../../../../src/api/attributes/schema.ts'
import type { AttributeValue, Product } from '../../../../../src/api/products/schema.ts'
import { Combobox, findAmong } from '../../../parts/form/combobox.tsx'
import { Group } from '../../../parts/form/field.tsx'
import { useHeldValue } from '../../../parts/form/held-value.tsx'
import { PlainCheck, PlainField, PlainSelect, TakeAway } from '../../../parts/form/plain-field.tsx'
import { toPicked, useEvery } from '../choices.ts'

/** A value as it is sent: options by their values. */
type SentValue = string | number | boolean | readonly string[] | null
type AttributeEntry = { readonly id: string; readonly name: string; readonly value: SentValue }

const toPayload = (value: AttributeValue): SentValue =>
  Array.isArray(value) ? value.map((option) => option.value) : value

export function Attributes() {
  const allAttributes = useEvery<Attribute>('/v1/attributes')
  const { value, set, control, errors } = useHeldValue<readonly AttributeEntry[]>({
    name: 'attributes',
    label: 'Attributes',
    from: ({ attributes = [] }: Product) =>
      attributes.map(({ id, name, value: stored }) => ({ id, name, value: toPayload(stored) })),
    sent: (entries) => entries.map((entry) => ({ id: entry.id, value: entry.value })),
    say: (entries) => entries.map((entry) => `${entry.name}: ${String(entry.value ?? '–')}`).join(', '),
  })
  return (
    <div class="form">
      {control}
      {value.map((entry, index) => {
        const attribute = allAttributes.find(({ id }) => id === entry.id)
        return (
          <div class="fields" key={entry.id}>
            {attribute !== undefined && (
              <AttributeInput
                attribute={attribute}
                value={entry.value}
                wrong={errors.get(`${index}.value`) ?? errors.get(`${index}.id`)}
                onChange={(next) => set(value.with(index, { ...entry, value: next }))}
              />
            )}
            <TakeAway name={entry.name} onClick={() => set(value.toSpliced(index, 1))} />
          </div>
        )
      })}
      {allAttributes.length === 0 ? (
        <p class="hint">Attributes, such as a material, are made under “Attributes”; then products can have them.</p>
      ) : (
        <Combobox
          label="Add an attribute"
          placeholder="Find an attribute"
          find={findAmong(allAttributes.map(toPicked))}
          without={value.map(({ id }) => id)}
          onPick={({ id }) => set([...value, ...allAttributes.filter((each) => each.id === id).map(newEntry)])}
        />
      )}
    </div>
  )
}

/** True if several options can be chosen. */
const hasMany = ({ options, type, is_multiselect }: Attribute): boolean =>
  options.length > 0 && (type === 'checkbox' || (type === 'options' && is_multiselect))

function newEntry(attribute: Attribute): AttributeEntry {
  const { id, name, type, default_value: first } = attribute
  if (hasMany(attribute)) return { id, name, value: typeof first === 'string' ? [first] : first }
  return { id, name, value: first ?? (type === 'checkbox' ? false : null) }
}

type InputProps = {
  readonly attribute: Attribute
  readonly value: SentValue
  readonly wrong: string | undefined
  readonly onChange: (value: SentValue) => void
}

function AttributeInput({ attribute, value, wrong, onChange }: InputProps) {
  const { name: label, type, options } = attribute
  const allValues = options.map((option) => option.value)
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  if (hasMany(attribute))
    return (
      <Group label={label}>
        {options.map((option) => (
          <PlainCheck
            key={option.value}
            label={option.label}
            isChecked={list.includes(option.value)}
            onChange={(isOn) =>
              onChange(allValues.filter((each) => (each === option.value ? isOn : list.includes(each))))
            }
          />
        ))}
        {wrong !== undefined && <p class="wrong-text">{wrong}</p>}
      </Group>
    )
  if (options.length > 0)
    return (
      <PlainSelect
        label={label}
        value={String((Array.isArray(value) ? value[0] : value) ?? '')}
        options={[['', '–'], ...options.map((option) => [option.value, option.label] as const)]}
        onChange={(text) => onChange(text === '' ? null : text)}
        wrong={wrong}
      />
    )
  if (type === 'checkbox') return <PlainCheck label={label} isChecked={value === true} onChange={onChange} />
  return (
    <PlainField
      label={label}
      value={String(value ?? '')}
      isNumber={type === 'number'}
      isLong={type === 'long_text'}
      type={type === 'date' ? 'date' : 'text'}
      wrong={wrong}
      onInput={(text) => onChange(text === '' ? null : type === 'number' ? numberOr(text) : text)}
    />
  )
}

/** Text that is not a number is sent as typed, so that the API explains the error. An unfinished number is sent as typed too. */
const numberOr = (text: string): string | number => (String(Number(text)) === text.trim() ? Number(text) : text)
