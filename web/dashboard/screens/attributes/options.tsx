// Options of an attribute, in order: add, rename, move, remove. The sent list replaces the old one, so existing options keep their ids.

import { useRef } from 'preact/hooks'
import type { Attribute } from '../../../../src/api/attributes/schema.ts'
import { newIdempotencyKey } from '../../api.ts'
import { useHeldValue } from '../../parts/form/held-value.tsx'
import { PlainField } from '../../parts/form/plain-field.tsx'
import { Button } from '../../parts/page/button.tsx'

export type AttributeOptionRow = {
  readonly key: string
  /** Undefined for a new option. */
  readonly id?: string
  readonly label: string
  readonly value: string
}

/** An option in the form of the API. An empty label or value takes the text of the other. */
const toPayload = ({ id, label, value }: AttributeOptionRow) => ({
  ...(id === undefined ? {} : { id }),
  ...(label.trim() === '' ? {} : { label: label.trim() }),
  ...(value.trim() === '' ? {} : { value: value.trim() }),
})

export const useOptions = () =>
  useHeldValue<readonly AttributeOptionRow[]>({
    name: 'options',
    label: 'Options',
    from: ({ options = [] }: Partial<Attribute>) => options.map((option) => ({ key: option.id, ...option })),
    sent: (rows) => rows.map(toPayload),
    say: (rows) => rows.map(({ label }) => label).join(', '),
  })

const MOST_CHARACTERS = 255

export function AttributeOptions({
  options: { value: rows, set, control, errors },
}: {
  options: ReturnType<typeof useOptions>
}) {
  const list = useRef<HTMLOListElement>(null)
  const change = (key: string, changes: Partial<AttributeOptionRow>) =>
    set(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)))
  const move = (row: AttributeOptionRow, to: number) => set(rows.filter((each) => each !== row).toSpliced(to, 0, row))
  const add = () => {
    set([...rows, { key: newIdempotencyKey(), label: '', value: '' }])
    // The input exists only after the next render.
    requestAnimationFrame(() => list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus())
  }
  const listError = errors.get('')
  return (
    <fieldset class="group">
      <legend>Options</legend>
      {control}
      {rows.length === 0 && <p class="hint">What can be chosen, such as Cotton and Wool.</p>}
      {listError !== undefined && <p class="wrong-text">{listError}</p>}
      <ol ref={list} class="stack">
        {rows.map((row, index) => {
          const name = row.label || row.value || `option ${index + 1}`
          return (
            <li key={row.key} class="fields">
              <PlainField
                label={`Option ${index + 1}`}
                maxLength={MOST_CHARACTERS}
                value={row.label}
                wrong={errors.get(`${index}.label`)}
                onInput={(label) => change(row.key, { label })}
              />
              <PlainField
                label="Value in the API (optional)"
                maxLength={MOST_CHARACTERS}
                value={row.value}
                placeholder={row.label}
                wrong={errors.get(`${index}.value`) ?? errors.get(`${index}.id`)}
                onInput={(value) => change(row.key, { value })}
              />
              <span class="row tight">
                <Button
                  isSmall
                  kind="quiet"
                  icon="up"
                  label={`Move ${name} up`}
                  disabled={index === 0}
                  onClick={() => move(row, index - 1)}
                />
                <Button
                  isSmall
                  kind="quiet"
                  icon="lower"
                  label={`Move ${name} down`}
                  disabled={index === rows.length - 1}
                  onClick={() => move(row, index + 1)}
                />
                <Button
                  isSmall
                  kind="quiet"
                  icon="close"
                  label={`Take ${name} away`}
                  onClick={() => set(rows.filter((each) => each !== row))}
                />
              </span>
            </li>
          )
        })}
      </ol>
      <span>
        <Button words="Add an option" isSmall icon="plus" onClick={add} />
      </span>
    </fieldset>
  )
}
