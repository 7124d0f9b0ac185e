// Inputs of a list that is sent as one field, so they have no names in the form.

import { useId } from 'preact/hooks'

type PlainFieldProps = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hidesLabel?: boolean
  readonly placeholder?: string
  readonly isNumber?: boolean
  readonly isLong?: boolean
  readonly type?: 'text' | 'date'
  readonly wrong?: string | undefined
}

export function PlainField(props: PlainFieldProps) {
  const { label, value, onInput, hidesLabel = false, isNumber = false, isLong = false, type = 'text', wrong } = props
  const id = useId()
  const shared = {
    id,
    value,
    placeholder: props.placeholder,
    autocomplete: 'off',
    'aria-invalid': wrong === undefined ? undefined : true,
    'aria-describedby': wrong === undefined ? undefined : `${id}-wrong`,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onInput(event.currentTarget.value),
  } as const
  return (
    <div class={`field${wrong === undefined ? '' : ' wrong'}`}>
      <label for={id} class={hidesLabel ? 'unseen' : undefined}>
        {label}
      </label>
      {isLong ? (
        <textarea {...shared} rows={3} />
      ) : (
        <input {...shared} type={type as 'text'} inputMode={isNumber ? 'decimal' : undefined} />
      )}
      {wrong !== undefined && (
        <p class="wrong-text" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  )
}

type PlainSelectProps = {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string) => void
  readonly wrong?: string | undefined
  readonly hidesLabel?: boolean
}

export function PlainSelect({ label, value, options, onChange, wrong, hidesLabel = false }: PlainSelectProps) {
  const id = useId()
  return (
    <div class={`field${wrong === undefined ? '' : ' wrong'}`}>
      <label for={id} class={hidesLabel ? 'unseen' : undefined}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      {wrong !== undefined && <p class="wrong-text">{wrong}</p>}
    </div>
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
