// Quantities of lines: typed, or set by buttons that are large enough for a thumb.

import { useContext, useId } from 'preact/hooks'
import type { OrderLine } from '../../../../../src/api/orders/schema.ts'
import { FormContext } from '../../../parts/form/form.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { optionsText } from '../order.ts'

type QuantityChoice = {
  readonly id: string
  readonly name: string
  readonly options: OrderLine['selected_options']
  /** Largest quantity that can be chosen. */
  readonly most: number
}

export type ChosenQuantities = Readonly<Record<string, number>>

type QuantitiesProps = {
  readonly label: string
  readonly choices: readonly QuantityChoice[]
  readonly quantities: ChosenQuantities
  readonly onChoose: (chosen: ChosenQuantities) => void
}

export function Quantities({ label, choices, quantities, onChoose }: QuantitiesProps) {
  const isAll = choices.every(({ id, most }) => quantities[id] === most)
  // The API names wrong fields by the index among the sent items. Their order may differ from the order of the choices.
  const sentIds = chosenItems(quantities).map(({ id }) => id)
  return (
    <fieldset class="quantities stack tight">
      <legend>{label}</legend>
      <ul class="ruled">
        {choices.map((choice) => (
          <Quantity
            key={choice.id}
            choice={choice}
            value={quantities[choice.id] ?? 0}
            place={sentIds.indexOf(choice.id)}
            onChange={(value) => onChoose({ ...quantities, [choice.id]: value })}
          />
        ))}
      </ul>
      {choices.length > 1 && (
        <Button
          words={isAll ? 'Choose none' : 'Choose all'}
          kind="quiet"
          isSmall
          onClick={() => onChoose(Object.fromEntries(choices.map(({ id, most }) => [id, isAll ? 0 : most])))}
        />
      )}
    </fieldset>
  )
}

type QuantityProps = {
  readonly choice: QuantityChoice
  readonly value: number
  readonly place: number
  readonly onChange: (value: number) => void
}

function Quantity({ choice: { name, options, most }, value, place, onChange }: QuantityProps) {
  const id = useId()
  const { errors } = useContext(FormContext)
  const path = `items.${place}.quantity`
  const messages = errors[path] ?? []
  const set = (next: number) => onChange(Math.max(0, Math.min(most, Math.round(next) || 0)))
  const text = optionsText(options)
  return (
    <li class={messages.length > 0 ? 'row quantity wrong' : 'row quantity'}>
      <label for={id}>
        {name}
        {text !== '' && <span class="hint">{text}</span>}
      </label>
      <span class="with-unit stepper">
        <Button words="−" label={`One ${name} less`} disabled={value === 0} onClick={() => set(value - 1)} />
        <input
          id={id}
          name={place < 0 ? undefined : path}
          type="number"
          inputMode="numeric"
          min={0}
          max={most}
          value={value}
          autocomplete="off"
          aria-invalid={messages.length > 0 || undefined}
          aria-describedby={`${id}-of`}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            set(Number(event.currentTarget.value))
            event.currentTarget.value = String(Math.max(0, Math.min(most, Number(event.currentTarget.value) || 0)))
          }}
        />
        <span id={`${id}-of`} class="hint unit">
          of {most}
        </span>
        <Button words="+" label={`One ${name} more`} disabled={value === most} onClick={() => set(value + 1)} />
      </span>
      {messages.length > 0 && <p class="wrong-text">{messages.join(' ')}</p>}
    </li>
  )
}

/** Chosen items as the API takes them. */
export const chosenItems = (chosen: ChosenQuantities): { readonly id: string; readonly quantity: number }[] =>
  Object.entries(chosen)
    .filter(([, quantity]) => quantity > 0)
    .map(([id, quantity]) => ({ id, quantity }))
