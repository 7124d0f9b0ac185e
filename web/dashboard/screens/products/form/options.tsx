// Options of a product, such as size and colour. Existing groups and options keep their ids, so that variants and carts stay valid.

import type { Product } from '../../../../../src/api/products/schema.ts'
import { useHeldValue } from '../../../parts/form/held-value.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { useSession } from '../../../session.tsx'
import { PlainField, TakeAway } from './plain-field.tsx'

type Option = { readonly key: string; readonly id?: string; readonly name: string; readonly price: string }
type Group = { readonly key: string; readonly id?: string; readonly name: string; readonly options: readonly Option[] }

let newCount = 0
const newOption = (): Option => ({ key: `new ${++newCount}`, name: '', price: '' })
const newGroup = (): Group => ({ key: `new ${++newCount}`, name: '', options: [newOption()] })

const fromProduct = ({ variant_groups: groups = [] }: Product): readonly Group[] =>
  groups.map(({ id, name, options }) => ({
    key: id,
    id,
    name,
    options: options.map((option) => ({
      key: option.id,
      id: option.id,
      name: option.name,
      price: option.price.raw === 0 ? '' : String(option.price.raw),
    })),
  }))

/** Empty lines are not sent. */
const toPayload = (groups: readonly Group[]) =>
  groups
    .map(({ id, name, options }) => ({
      id,
      name: name.trim(),
      options: options
        .filter((option) => option.name.trim() !== '' || option.id !== undefined)
        .map((option) => ({ id: option.id, name: option.name.trim(), price: option.price.trim() || 0 })),
    }))
    .filter(({ id, name, options }) => id !== undefined || name !== '' || options.length > 0)

export function OptionGroups({ isNew }: { isNew: boolean }) {
  const { value, set, control, errors } = useHeldValue<readonly Group[]>({
    name: 'variant_groups',
    label: 'Options',
    from: fromProduct,
    sent: toPayload,
    say: (groups) =>
      groups.map(({ name, options }) => `${name} (${options.map((option) => option.name).join(', ')})`).join(', '),
  })
  return (
    <div class="form">
      {control}
      {value.length === 0 && (
        <p class="hint">It is sold as it is. Add an option if there are several sizes or colours.</p>
      )}
      {errors.has('') && <p class="wrong-text">{errors.get('')}</p>}
      {value.map((group, index) => (
        <GroupFields
          key={group.key}
          group={group}
          index={index}
          errors={errors}
          onChange={(changes) => set(value.with(index, { ...group, ...changes }))}
          onTakeAway={() => set(value.toSpliced(index, 1))}
        />
      ))}
      <p>
        <Button isSmall icon="plus" onClick={() => set([...value, newGroup()])}>
          Add an option
        </Button>
      </p>
      {value.length > 0 && (
        <p class="hint">
          {isNew
            ? 'Once it is added, each combination gets its own SKU, price and stock here.'
            : 'Save to see a new choice among the variants below.'}
        </p>
      )}
    </div>
  )
}

type GroupProps = {
  readonly group: Group
  readonly index: number
  readonly errors: ReadonlyMap<string, string>
  readonly onChange: (changes: Partial<Group>) => void
  readonly onTakeAway: () => void
}

function GroupFields({ group, index, errors, onChange, onTakeAway }: GroupProps) {
  const { merchant } = useSession()
  const { name, options } = group
  const groupName = name || `option ${index + 1}`
  return (
    <fieldset class="option-group">
      <legend class="unseen">{groupName}</legend>
      <div class="option-line">
        <PlainField
          label="Name of the option"
          value={name}
          placeholder="Size"
          wrong={errors.get(`${index}.name`) ?? errors.get(`${index}`)}
          onInput={(text) => onChange({ name: text })}
        />
        <TakeAway name={groupName} onClick={onTakeAway} />
      </div>
      {options.map((option, position) => {
        const path = `${index}.options.${position}`
        const optionName = option.name || `choice ${position + 1}`
        const change = (changes: Partial<Option>) =>
          onChange({ options: options.with(position, { ...option, ...changes }) })
        return (
          <div class="option-line" key={option.key}>
            <PlainField
              label={`Choice ${position + 1} of ${groupName}`}
              hidesLabel
              value={option.name}
              placeholder="Small"
              wrong={errors.get(`${path}.name`)}
              onInput={(text) => change({ name: text })}
            />
            <PlainField
              label={`What ${optionName} adds to the price`}
              hidesLabel
              isNumber
              value={option.price}
              placeholder={`+ 0 ${merchant.currency}`}
              wrong={errors.get(`${path}.price`)}
              onInput={(price) => change({ price })}
            />
            <TakeAway name={optionName} onClick={() => onChange({ options: options.toSpliced(position, 1) })} />
          </div>
        )
      })}
      <p>
        <Button
          isSmall
          icon="plus"
          label={`Add a choice to ${groupName}`}
          onClick={() => onChange({ options: [...options, newOption()] })}
        >
          Add a choice
        </Button>
      </p>
    </fieldset>
  )
}
