// Questions to buyers of this product at the checkout, such as the text of an engraving.

import { useHeldValue } from '../../../parts/form/held-value.tsx'
import { Button } from '../../../parts/page/button.tsx'
import type { Product } from '../product.ts'
import { PlainCheck, PlainField, PlainSelect } from './plain-field.tsx'

type Question = {
  readonly key: string
  readonly id?: string
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** One option per line. */
  readonly options: string
}

const TYPES = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['date', 'Date'],
  ['checkbox', 'Tick box'],
  ['options', 'Choice from a list'],
  ['radio', 'Choice, all shown'],
  ['hidden', 'Hidden'],
] as const

const hasOptions = (type: string) => type === 'options' || type === 'radio'

let newCount = 0

export function ExtraFields() {
  const { value, set, control, errors } = useHeldValue<readonly Question[]>({
    name: 'extra_fields',
    label: 'Questions to the buyer',
    from: ({ extra_fields: fields = [] }: Product) =>
      fields.map(({ id, name, type, required, options }) => ({
        key: id,
        id,
        name,
        type,
        required,
        options: (options ?? []).join('\n'),
      })),
    sent: (fields) =>
      fields.map(({ id, name, type, required, options }) => ({
        id,
        name: name.trim(),
        type,
        required,
        ...(hasOptions(type)
          ? { options: options.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])) }
          : {}),
      })),
    say: (fields) => fields.map(({ name }) => name).join(', '),
  })
  const change = (index: number, changes: Partial<Question>) =>
    set(value.map((each, at) => (at === index ? { ...each, ...changes } : each)))
  return (
    <div class="form">
      {control}
      {value.length === 0 && <p class="hint">Nothing is asked. A question could be the text of an engraving.</p>}
      {value.map((field, index) => (
        <fieldset class="option-group" key={field.key}>
          <legend class="unseen">{field.name || `Question ${index + 1}`}</legend>
          <div class="option-line">
            <PlainField
              label="Question"
              value={field.name}
              wrong={errors.get(`${index}.name`)}
              onInput={(name) => change(index, { name })}
            />
            <PlainSelect
              label="Answered by"
              value={field.type}
              options={TYPES}
              wrong={errors.get(`${index}.type`)}
              onChange={(type) => change(index, { type })}
            />
            <Button
              kind="quiet"
              icon="close"
              label={`Take ${field.name || `question ${index + 1}`} away`}
              onClick={() => set(value.filter(({ key }) => key !== field.key))}
            />
          </div>
          {hasOptions(field.type) && (
            <PlainField
              label="Answers to choose from, one a line"
              isLong
              value={field.options}
              wrong={errors.get(`${index}.options`)}
              onInput={(options) => change(index, { options })}
            />
          )}
          <PlainCheck
            label="Must be answered"
            isChecked={field.required}
            onChange={(required) => change(index, { required })}
          />
        </fieldset>
      ))}
      <p>
        <Button
          isSmall
          icon="plus"
          onClick={() =>
            set([...value, { key: `new ${++newCount}`, name: '', type: 'text', required: false, options: '' }])
          }
        >
          Add a question
        </Button>
      </p>
    </div>
  )
}
