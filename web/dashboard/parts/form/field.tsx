// Form fields with label, control, hint and error, all linked. `name` is the path in the API. The value comes from the form's object by
// default.

import type { ComponentChildren } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { FormContext, valueAtPath } from './form.tsx'

type Common = {
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value?: string | number | null
  /** Path of the value in the form's object, if it differs from the name: `price.raw` for `price`. */
  readonly from?: string
  readonly isOptional?: boolean
  /** Meaning of an empty text: `null` clears the field in the API, and `leave` sends nothing. By default the empty text is sent. */
  readonly empty?: 'null' | 'leave'
  readonly autocomplete?: string
  readonly disabled?: boolean
  /** Read-only; the value is still sent. */
  readonly isFixed?: boolean
  /** Show the label only to screen readers, because the layout makes it clear. */
  readonly hidesLabel?: boolean
}

type FieldProps = Common & {
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'tel' | 'url' | 'date' | 'number'
  /** Sent as a number; phones show the numeric keyboard. */
  readonly isNumber?: boolean
  readonly placeholder?: string
  readonly maxLength?: number
  readonly inputMode?: 'numeric' | 'decimal' | 'text'
  readonly isFocused?: boolean
  readonly onInput?: (value: string) => void
  /** Unit beside the input, for example a currency. */
  readonly unit?: string
}

export function Field(fieldProps: FieldProps) {
  const props = useLimits(fieldProps)
  const { type = 'text', isNumber = false, unit, onInput, isFocused = false } = props
  const { id, shared, value, wrap } = useControl(props)
  const as = isNumber ? 'number' : type === 'password' ? 'password' : 'text'
  const input = (
    <input
      {...shared}
      id={id}
      type={type as 'text'}
      defaultValue={value}
      readOnly={props.isFixed}
      data-as={as}
      inputMode={props.inputMode ?? (isNumber ? 'decimal' : undefined)}
      placeholder={props.placeholder}
      maxLength={props.maxLength}
      autofocus={isFocused}
      onInput={onInput && ((event) => onInput(event.currentTarget.value))}
    />
  )
  return wrap(unit === undefined ? input : <WithUnit unit={unit}>{input}</WithUnit>)
}

export const WithUnit = ({ unit, children }: { unit: string; children: ComponentChildren }) => (
  <span class="with-unit">
    {children}
    <span class="unit">{unit}</span>
  </span>
)

type TextareaProps = Common & {
  readonly rows?: number
  readonly maxLength?: number
  readonly onInput?: (value: string) => void
}

export function Textarea(textareaProps: TextareaProps) {
  const props = useLimits(textareaProps)
  const { id, shared, value, wrap } = useControl(props)
  const { rows = 3, maxLength, onInput } = props
  return wrap(
    <textarea
      {...shared}
      id={id}
      rows={rows}
      maxLength={maxLength}
      defaultValue={value}
      onInput={onInput && ((event) => onInput(event.currentTarget.value))}
    />,
  )
}

type SelectProps = Common & {
  /** True if the values are JSON: `true`, `false`, `null`. */
  readonly isJson?: boolean
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange?: (value: string) => void
}

export function Select(props: SelectProps) {
  const { id, shared, value, wrap } = useControl(props)
  const { options, onChange } = props
  return wrap(
    <select
      {...shared}
      id={id}
      data-as={props.isJson ? 'json' : undefined}
      onChange={onChange && ((event) => onChange(event.currentTarget.value))}
    >
      {options.map(([key, label]) => (
        <option key={key} value={key} {...{ defaultSelected: key === value }}>
          {label}
        </option>
      ))}
    </select>,
  )
}

type CheckboxProps = Omit<Common, 'value' | 'isOptional' | 'empty'> & {
  readonly isChecked?: boolean
  readonly onChange?: (isChecked: boolean) => void
}

export function Checkbox(props: CheckboxProps) {
  const { name, label, isChecked, onChange } = props
  const { id, shared, isWrong, below } = useControl(props)
  const { initial } = useContext(FormContext)
  const isOn = isChecked ?? valueAtPath(initial, props.from ?? name) === true
  return (
    <div class={`field check${isWrong ? ' wrong' : ''}`}>
      <input
        {...shared}
        id={id}
        type="checkbox"
        defaultChecked={isOn}
        onChange={onChange && ((event) => onChange(event.currentTarget.checked))}
      />
      <label for={id}>{label}</label>
      {below}
    </div>
  )
}

/** A group of related fields, such as the events of a webhook. */
export function Group({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
    </fieldset>
  )
}

/** Adds what the schema of the form's operation says about the field. What the screen says wins. */
function useLimits<Props extends Common & { readonly maxLength?: number }>(props: Props): Props {
  const limit = useContext(FormContext).limits[props.name]
  if (limit === undefined) return props
  const { maxLength, isNullable, isOptional } = limit
  return {
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(isNullable ? { empty: 'null' } : {}),
    ...(isOptional ? { isOptional } : {}),
    ...props,
  }
}

function useControl(props: Common) {
  const { name, label, hint, isOptional = false, empty, hidesLabel = false } = props
  const { errors, initial } = useContext(FormContext)
  const id = useId()
  const sentences = errors[name] ?? []
  const isWrong = sentences.length > 0
  const rawValue = props.value ?? valueAtPath(initial, props.from ?? name)
  const value = rawValue === null || rawValue === undefined ? '' : String(rawValue)
  const describedBy = [hint === undefined ? '' : `${id}-hint`, isWrong ? `${id}-wrong` : ''].filter(Boolean).join(' ')
  const below = (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isWrong && (
        <p class="wrong-text" id={`${id}-wrong`}>
          {sentences.join(' ')}
        </p>
      )}
    </>
  )
  const shared = {
    name,
    autocomplete: props.autocomplete ?? 'off',
    disabled: props.disabled,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': isWrong || undefined,
    'data-empty': empty,
  } as const
  const wrap = (control: ComponentChildren) => (
    <div class={`field${isWrong ? ' wrong' : ''}`}>
      <label for={id} class={hidesLabel ? 'unseen' : undefined}>
        {label}
        {isOptional && <span class="optional"> (optional)</span>}
      </label>
      {control}
      {below}
    </div>
  )
  return { id, shared, value, isWrong, below, wrap }
}
