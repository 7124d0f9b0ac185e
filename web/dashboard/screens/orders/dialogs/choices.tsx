// A choice between a few options, each a sentence.

import { useId } from 'preact/hooks'

type ChoicesProps<Value extends string> = {
  readonly label: string
  readonly name: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly onChange: (value: Value) => void
}

export function Choices<Value extends string>({ label, name, value, options, onChange }: ChoicesProps<Value>) {
  const id = useId()
  return (
    <fieldset class="choices stack tight">
      <legend>{label}</legend>
      {options.map(([key, text]) => (
        <div key={key} class="choice">
          <input
            id={`${id}-${key}`}
            type="radio"
            name={name}
            value={key}
            checked={key === value}
            onChange={() => onChange(key)}
          />
          <label for={`${id}-${key}`}>{text}</label>
        </div>
      ))}
    </fieldset>
  )
}
