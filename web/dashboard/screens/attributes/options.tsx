// The options of an attribute, in their order: added, renamed, moved by buttons, taken away. The list that is sent replaces the old one, so the
// ones that stay bring their ids.

import { useId, useRef } from 'preact/hooks'
import { newKey } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { useHeld, WrongText } from '../../parts/held-value.tsx'
import type { Attribute, Option } from './attribute.ts'

export type Row = {
  readonly key: string
  /** Undefined for one that is new. */
  readonly id?: string
  readonly label: string
  readonly value: string
}

const rowOf = ({ id, label, value }: Option): Row => ({ key: id, id, label, value })

/** As the API takes it. An empty label or value is that of the other. */
const sentOf = ({ id, label, value }: Row) => ({
  ...(id === undefined ? {} : { id }),
  ...(label.trim() === '' ? {} : { label: label.trim() }),
  ...(value.trim() === '' ? {} : { value: value.trim() }),
})

export const useOptions = () =>
  useHeld<readonly Row[]>({
    name: 'options',
    label: 'Options',
    from: ({ options = [] }: Partial<Attribute>) => options.map(rowOf),
    sent: (rows) => rows.map(sentOf),
    say: (rows) => rows.map(({ label }) => label).join(', '),
  })

export function Options({ of: { value: rows, set, control, errors } }: { of: ReturnType<typeof useOptions> }) {
  const list = useRef<HTMLOListElement>(null)
  const change = (key: string, changes: Partial<Row>) =>
    set(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)))
  const move = (row: Row, to: number) => set(rows.filter((each) => each !== row).toSpliced(to, 0, row))
  const add = () => {
    set([...rows, { key: newKey(), label: '', value: '' }])
    // It is there when the page has been drawn.
    requestAnimationFrame(() => list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus())
  }
  const whole = errors.get('')
  return (
    <fieldset class="group options">
      <legend>Options</legend>
      {control}
      {rows.length === 0 && <p class="hint">What can be chosen, such as Cotton and Wool.</p>}
      {whole !== undefined && <WrongText errors={new Map([['', whole]])} />}
      <ol ref={list}>
        {rows.map((row, index) => {
          const name = row.label || row.value || `option ${index + 1}`
          return (
            <li key={row.key}>
              <Typed
                label={`Option ${index + 1}`}
                value={row.label}
                error={errors.get(`${index}.label`)}
                onInput={(label) => change(row.key, { label })}
              />
              <Typed
                label="Value in the API (optional)"
                value={row.value}
                placeholder={row.label}
                error={errors.get(`${index}.value`) ?? errors.get(`${index}.id`)}
                onInput={(value) => change(row.key, { value })}
              />
              <span class="option-acts">
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
        <Button isSmall icon="plus" onClick={add}>
          Add an option
        </Button>
      </span>
    </fieldset>
  )
}

type TypedProps = {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly error: string | undefined
  readonly onInput: (text: string) => void
}

/** It has no name of its own: what it holds is sent with the list. */
function Typed({ label, value, placeholder, error, onInput }: TypedProps) {
  const id = useId()
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        maxLength={255}
        value={value}
        placeholder={placeholder}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-wrong`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {error !== undefined && (
        <p class="wrong-text" id={`${id}-wrong`}>
          {error}
        </p>
      )}
    </div>
  )
}
