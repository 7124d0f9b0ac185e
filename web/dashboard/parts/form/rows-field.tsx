// A list inside a form, such as the rates of a tax zone. Its rows can be added, changed, moved and removed. It is sent as one field.

import type { ComponentChildren, VNode } from 'preact'
import { newIdempotencyKey } from '../../api.ts'
import { Button } from '../page/button.tsx'
import { Group } from './field.tsx'
import { useHeldValue } from './held-value.tsx'
import { PlainField } from './plain-field.tsx'

/** Texts as typed, by the fields of a row in the API. `id`: undefined for a row that the API does not know yet. */
export type RowTexts<Field extends string> = { readonly id?: string } & Readonly<Record<Field, string>>

type KeyedRow<Field extends string> = RowTexts<Field> & { readonly key: string }

type RowParts<Field extends string> = {
  readonly row: RowTexts<Field>
  readonly input: (field: Field, label: string, unit?: string) => VNode
  readonly errorOf: (field: Field) => string | undefined
}

type RowsProps<Field extends string> = {
  /** Path in the API. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Sentence without rows. */
  readonly none?: string
  readonly from: (object: never) => readonly RowTexts<Field>[]
  /** Converts a row for the API. */
  readonly sent: (row: RowTexts<Field>) => unknown
  /** A row in words, for the note about other people's changes. */
  readonly say: (row: RowTexts<Field>) => string
  readonly nameOf: (row: RowTexts<Field>) => string
  /** Name of a row that has none yet: "rate" becomes "rate 1". */
  readonly thing: string
  readonly blank: RowTexts<Field>
  /** Words of the button that adds a row. */
  readonly add: string
  readonly canMove?: boolean
  readonly children: (parts: RowParts<Field>) => ComponentChildren
}

export function RowsField<Field extends string>(props: RowsProps<Field>) {
  const { name, label, hint, none, from, sent, say, nameOf, thing, blank, add, canMove = false, children } = props
  const {
    value: rows,
    set,
    control,
    errors,
  } = useHeldValue<readonly KeyedRow<Field>[]>({
    name,
    label,
    from: (object) => from(object).map((row, index) => ({ key: row.id ?? String(index), ...row })),
    sent: (sentRows) => sentRows.map(sent),
    say: (saidRows) => saidRows.map(say).join(', '),
  })
  const listError = errors.get('')
  return (
    <Group label={label} {...(hint === undefined ? {} : { hint })}>
      {control}
      {none !== undefined && rows.length === 0 && <p class="hint">{none}</p>}
      {listError !== undefined && <p class="wrong-text">{listError}</p>}
      {rows.map((row, index) => {
        const rowName = nameOf(row).trim() || `${thing} ${index + 1}`
        const errorOf = (field: Field) => errors.get(`${index}.${field}`)
        const input = (field: Field, inputLabel: string, unit?: string) => (
          <PlainField
            label={inputLabel}
            {...(unit === undefined ? {} : { unit })}
            value={row[field]}
            wrong={errorOf(field)}
            onInput={(text) => set(rows.with(index, { ...row, [field]: text }))}
          />
        )
        return (
          <fieldset class="method" key={row.key}>
            <legend class="unseen">{rowName}</legend>
            {children({ row, input, errorOf })}
            <div class="method-foot">
              {canMove && index > 0 && (
                <Button
                  words="Up"
                  isSmall
                  kind="quiet"
                  icon="up"
                  label={`Move ${rowName} up`}
                  onClick={() => set(rows.toSpliced(index, 1).toSpliced(index - 1, 0, row))}
                />
              )}
              <Button
                words="Remove"
                isSmall
                kind="quiet"
                icon="close"
                label={`Remove ${rowName}`}
                onClick={() => set(rows.toSpliced(index, 1))}
              />
            </div>
          </fieldset>
        )
      })}
      <div>
        <Button
          words={add}
          isSmall
          icon="plus"
          onClick={() => set([...rows, { ...blank, key: newIdempotencyKey() }])}
        />
      </div>
    </Group>
  )
}
