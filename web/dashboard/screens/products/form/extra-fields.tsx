// Questions to buyers of this product at the checkout, such as the text of an engraving.

import type { ExtraField, Product } from '../../../../../src/api/products/schema.ts'
import { useHeldValue } from '../../../parts/form/held-value.tsx'
import { PlainCheck, PlainField, PlainSelect, TakeAway } from '../../../parts/form/plain-field.tsx'
import { Button } from '../../../parts/page/button.tsx'

type Question = Pick<ExtraField, 'name' | 'type' | 'required'> & {
  readonly key: string
  readonly id?: string
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

const hasOptions = (type: ExtraField['type']) => type === 'options' || type === 'radio'

let newCount = 0
const newQuestion = (): Question => {
  newCount += 1
  return { key: `new ${newCount}`, name: '', type: 'text', required: false, options: '' }
}

export function ExtraFields() {
  const { value, set, control, errors } = useHeldValue<readonly Question[]>({
    name: 'extra_fields',
    label: 'Questions to the buyer',
    from: ({ extra_fields: fields = [] }: Product) =>
      fields.map(({ options, ...field }) => ({ ...field, key: field.id, options: (options ?? []).join('\n') })),
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
  return (
    <div class="form">
      {control}
      {value.length === 0 && <p class="hint">Nothing is asked. A question could be the text of an engraving.</p>}
      {value.map((field, index) => {
        const change = (changes: Partial<Question>) => set(value.with(index, { ...field, ...changes }))
        return (
          <fieldset class="group option-group" key={field.key}>
            <legend class="unseen">{field.name || `Question ${index + 1}`}</legend>
            <div class="fields close">
              <PlainField
                label="Question"
                value={field.name}
                wrong={errors.get(`${index}.name`)}
                onInput={(name) => change({ name })}
              />
              <PlainSelect
                label="Answered by"
                value={field.type}
                options={TYPES}
                wrong={errors.get(`${index}.type`)}
                onChange={(type) => change({ type })}
              />
              <TakeAway name={field.name || `question ${index + 1}`} onClick={() => set(value.toSpliced(index, 1))} />
            </div>
            {hasOptions(field.type) && (
              <PlainField
                label="Answers to choose from, one a line"
                isLong
                value={field.options}
                wrong={errors.get(`${index}.options`)}
                onInput={(options) => change({ options })}
              />
            )}
            <PlainCheck
              label="Must be answered"
              isChecked={field.required}
              onChange={(required) => change({ required })}
            />
          </fieldset>
        )
      })}
      <p>
        <Button words="Add a question" isSmall icon="plus" onClick={() => set([...value, newQuestion()])} />
      </p>
    </div>
  )
}
