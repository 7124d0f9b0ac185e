// What is known of a product beyond its text, each by the type of its attribute. Which attributes there are is said on their own screen.

import { Button } from '../../../parts/button.tsx'
import { among, Combobox } from '../../../parts/combobox.tsx'
import { Group } from '../../../parts/field.tsx'
import { useHeld } from '../../../parts/held-value.tsx'
import { type Attribute, type AttributeValue, type Product, pickedOf, useEvery } from '../product.ts'
import { PlainCheck, PlainField, PlainSelect } from './plain-field.tsx'

/** As it is sent: of options their values. */
type Sent = string | number | boolean | readonly string[] | null
type Entry = { readonly id: string; readonly name: string; readonly value: Sent }

const isOptions = (value: AttributeValue): value is Extract<AttributeValue, readonly unknown[]> => Array.isArray(value)

const sentOf = (value: AttributeValue): Sent => (isOptions(value) ? value.map((option) => option.value) : value)

export function Attributes() {
  const known = useEvery<Attribute>('/v1/attributes')
  const { value, set, control, errors } = useHeld<readonly Entry[]>({
    name: 'attributes',
    label: 'Attributes',
    from: ({ attributes = [] }: Product) =>
      attributes.map(({ id, name, value: given }) => ({ id, name, value: sentOf(given) })),
    sent: (entries) => entries.map((entry) => ({ id: entry.id, value: entry.value })),
    say: (entries) => entries.map((entry) => `${entry.name}: ${String(entry.value ?? '–')}`).join(', '),
  })
  const change = (id: string, next: Sent) =>
    set(value.map((entry) => (entry.id === id ? { ...entry, value: next } : entry)))
  return (
    <div class="form">
      {control}
      {value.map((entry, index) => {
        const attribute = known.find(({ id }) => id === entry.id)
        return (
          <div class="attribute-line" key={entry.id}>
            {attribute !== undefined && (
              <AttributeInput
                attribute={attribute}
                value={entry.value}
                wrong={errors.get(`${index}.value`) ?? errors.get(`${index}.id`)}
                onChange={(next) => change(entry.id, next)}
              />
            )}
            <Button
              kind="quiet"
              icon="close"
              label={`Take ${entry.name} away`}
              onClick={() => set(value.filter(({ id }) => id !== entry.id))}
            />
          </div>
        )
      })}
      {known.length === 0 ? (
        <p class="hint">Attributes, such as a material, are made under “Attributes”; then products can have them.</p>
      ) : (
        <Combobox
          label="Add an attribute"
          placeholder="Find an attribute"
          find={among(known.map(pickedOf))}
          without={value.map(({ id }) => id)}
          onPick={({ id, label }) => {
            const attribute = known.find((each) => each.id === id)
            const first =
              attribute?.default_value ?? (attribute?.type === 'checkbox' && !hasMany(attribute) ? false : null)
            set([
              ...value,
              { id, name: label, value: hasMany(attribute) && typeof first === 'string' ? [first] : first },
            ])
          }}
        />
      )}
    </div>
  )
}

/** Whether several can be chosen. */
const hasMany = (attribute: Attribute | undefined): boolean =>
  attribute !== undefined &&
  attribute.options.length > 0 &&
  (attribute.type === 'checkbox' || (attribute.type === 'options' && attribute.is_multiselect))

type InputProps = {
  readonly attribute: Attribute
  readonly value: Sent
  readonly wrong: string | undefined
  readonly onChange: (value: Sent) => void
}

function AttributeInput({ attribute, value, wrong, onChange }: InputProps) {
  const { name: label, type, options } = attribute
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
              onChange(
                options
                  .map((each) => each.value)
                  .filter((each) => (each === option.value ? isOn : list.includes(each))),
              )
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

/** What is no number goes out as it was typed: the API says what is wrong with it. Nor is one that is not typed to its end. */
const numberOr = (text: string): string | number => (String(Number(text)) === text.trim() ? Number(text) : text)
