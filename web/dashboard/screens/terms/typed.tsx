// An input of a list inside a form. It has no name of its own, because the list is sent as one field.

import { useId } from 'preact/hooks'

type TypedProps = {
  readonly label: string
  readonly unit?: string
  readonly placeholder?: string
  readonly maxLength?: number
  readonly value: string
  readonly error: string | undefined
  readonly onInput: (text: string) => void
}

export function ListInput({ label, unit, placeholder, maxLength, value, error, onInput }: TypedProps) {
  const id = useId()
  const input = (
    <input
      id={id}
      type="text"
      autocomplete="off"
      inputMode={unit === undefined ? 'text' : 'decimal'}
      maxLength={maxLength}
      value={value}
      placeholder={placeholder}
      aria-invalid={error !== undefined || undefined}
      aria-describedby={error === undefined ? undefined : `${id}-wrong`}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  )
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      {unit === undefined ? (
        input
      ) : (
        <span class="with-unit">
          {input}
          <span class="unit">{unit}</span>
        </span>
      )}
      {error !== undefined && (
        <p class="wrong-text" id={`${id}-wrong`}>
          {error}
        </p>
      )}
    </div>
  )
}
