// Options of a product, such as size and colour. Existing groups and options keep their ids, so that variants and carts stay valid.

import type { Product } from '../../../../../src/api/products/schema.ts'
import { useHeldValue } from '../../../parts/form/held-value.tsx'
import { PlainField, TakeAway } from '../../../parts/form/plain-field.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { useSession } from '../../../session.tsx'

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
  const { merchant } = useSession()
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
      {value.map((group, index) => {
        const groupName = group.name || `option ${index + 1}`
        const { options } = group
        const changeGroup = (changes: Partial<Group>) => set(value.with(index, { ...group, ...changes }))
        return (
          <fieldset class="group option-group" key={group.key}>
            <legend class="unseen">{groupName}</legend>
            <div class="fields close">
              <PlainField
                label="Name of the option"
                value={group.name}
                placeholder="Size"
                wrong={errors.get(`${index}.name`) ?? errors.get(`${index}`)}
                onInput={(name) => changeGroup({ name })}
              />
              <TakeAway name={groupName} onClick={() => set(value.toSpliced(index, 1))} />
            </div>
            {options.map((option, position) => {
              const path = `${index}.options.${position}`
              const optionName = option.name || `choice ${position + 1}`
              const changeOption = (changes: Partial<Option>) =>
                changeGroup({ options: options.with(position, { ...option, ...changes }) })
              return (
                <div class="fields close" key={option.key}>
                  <PlainField
                    label={`Choice ${position + 1} of ${groupName}`}
                    hidesLabel
                    value={option.name}
                    placeholder="Small"
                    wrong={errors.get(`${path}.name`)}
                    onInput={(name) => changeOption({ name })}
                  />
                  <PlainField
                    label={`What ${optionName} adds to the price`}
                    hidesLabel
                    isNumber
                    value={option.price}
                    placeholder={`+ 0 ${merchant.currency}`}
                    wrong={errors.get(`${path}.price`)}
                    onInput={(price) => changeOption({ price })}
                  />
                  <TakeAway
                    name={optionName}
                    onClick={() => changeGroup({ options: options.toSpliced(position, 1) })}
                  />
                </div>
              )
            })}
            <p>
              <Button
                words="Add a choice"
                isSmall
                icon="plus"
                label={`Add a choice to ${groupName}`}
                onClick={() => changeGroup({ options: [...options, newOption()] })}
              />
            </p>
          </fieldset>
        )
      })}
      <p>
        <Button words="Add an option" isSmall icon="plus" onClick={() => set([...value, newGroup()])} />
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
