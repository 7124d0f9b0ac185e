// Inputs of a value that is sent as one field, such as a list of rows, so they have no names in the form.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Button } from '../page/button.tsx'
import { WithUnit } from './field.tsx'

type LabelProps = {
  readonly label: string
  readonly hidesLabel?: boolean
  /** Error of the API. */
  readonly wrong?: string | undefined
}

/** `id` is the id of the control. */
function Labeled(props: LabelProps & { readonly id: string; readonly children: ComponentChildren }) {
  const { id, label, hidesLabel = false, wrong, children } = props
  return (
    <div class={`field${wrong === undefined ? '' : ' wrong'}`}>
      <label for={id} class={hidesLabel ? 'unseen' : undefined}>
        {label}
      </label>
      {children}
      {wrong !== undefined && (
        <p class="wrong-text" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  )
}

type PlainFieldProps = LabelProps & {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly placeholder?: string
  readonly maxLength?: number
  readonly isNumber?: boolean
  readonly isLong?: boolean
  readonly type?: 'text' | 'date'
  /** Unit beside the input, for example a currency. */
  readonly unit?: string
}

export function PlainField(props: PlainFieldProps) {
  const { value, onInput, placeholder, maxLength, unit, isLong = false, type = 'text', wrong } = props
  const isNumber = props.isNumber ?? unit !== undefined
  const id = useId()
  const shared = {
    id,
    value,
    placeholder,
    maxLength,
    autocomplete: 'off',
    'aria-invalid': wrong === undefined ? undefined : true,
    'aria-describedby': wrong === undefined ? undefined : `${id}-wrong`,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onInput(event.currentTarget.value),
  } as const
  const input = <input {...shared} type={type as 'text'} inputMode={isNumber ? 'decimal' : undefined} />
  return (
    <Labeled {...props} id={id}>
      {isLong ? (
        <textarea {...shared} rows={3} />
      ) : unit === undefined ? (
        input
      ) : (
        <WithUnit unit={unit}>{input}</WithUnit>
      )}
    </Labeled>
  )
}

type PlainSelectProps<Value extends string> = LabelProps & {
  readonly value: Value
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly onChange: (value: Value) => void
}

export function PlainSelect<Value extends string>(props: PlainSelectProps<Value>) {
  const { value, options, onChange } = props
  const id = useId()
  return (
    <Labeled {...props} id={id}>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </Labeled>
  )
}

type PlainCheckProps = {
  readonly label: string
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

export function PlainCheck({ label, isChecked, onChange }: PlainCheckProps) {
  const id = useId()
  return (
    <div class="field check">
      <input id={id} type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
    </div>
  )
}

/** Takes an entry out of the list. */
export function TakeAway({ name, onClick }: { name: string; onClick: () => void }) {
  return <Button kind="quiet" icon="close" label={`Take ${name} away`} onClick={onClick} />
}
