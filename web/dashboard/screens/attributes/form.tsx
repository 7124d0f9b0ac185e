// The form of an attribute, new or existing: name, type, options and default value.

import limits from 'limits:attributes.create'
import { useState } from 'preact/hooks'
import type { Attribute } from '../../../../src/api/attributes/schema.ts'
import { del, post, put } from '../../parts/form/change.ts'
import { Checkbox, Field, Select, Textarea } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { ObjectPage, Page, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { ATTRIBUTE_TYPE_NAMES, type AttributeType, takesOptions } from './attribute.ts'
import { type AttributeOptionRow, AttributeOptions, useOptions } from './options.tsx'

const back = () => backTo('/dashboard/attributes', 'Attributes')

export function AttributeScreen({ id }: ScreenProps) {
  return id === 'new' ? <NewAttribute /> : <OneAttribute id={id} />
}

/** The attribute before the change. */
type Former = Pick<Attribute, 'type' | 'is_public' | 'is_multiselect' | 'default_value' | 'options'>

const BLANK: Former = { type: 'short_text', is_public: true, is_multiselect: false, default_value: null, options: [] }

function NewAttribute() {
  return (
    <Page title="New attribute" back={back()}>
      <Section title="The new attribute" hidesTitle>
        <Form
          initial={BLANK}
          limits={limits}
          submit="Create the attribute"
          request={post('/v1/attributes', (values) => bodyOf(values, BLANK))}
          done={({ name }: Attribute) => `“${name}” is there`}
          leadsTo={back().href}
        >
          <Fields attribute={BLANK} />
        </Form>
      </Section>
    </Page>
  )
}

function OneAttribute({ id }: { id: string }) {
  return (
    <ObjectPage<Attribute>
      of={`/v1/attributes/${id}`}
      title={({ name }) => name}
      untitled="Attribute"
      back={back()}
      backButton="To the attributes"
      actions={(attribute) => (
        <DialogButton
          words="Delete"
          permission="attributes.delete"
          dialog={(close) => <DeleteDialog attribute={attribute} onClose={close} />}
        />
      )}
    >
      {(attribute, etag) => (
        <Section title="Attribute" hidesTitle>
          <Form
            initial={attribute}
            etag={etag}
            limits={limits}
            submit="Save"
            permission="attributes.update"
            request={put(`/v1/attributes/${id}`, (changes) => bodyOf(changes, attribute))}
            done={({ name }: Attribute) => `“${name}” is saved`}
          >
            <Fields attribute={attribute} />
          </Form>
        </Section>
      )}
    </ObjectPage>
  )
}

/** A type without options removes existing options. A checkbox without options has true or false as its default. */
function bodyOf({ default_value, ...values }: FormValues, attribute: Former): FormValues {
  const type = (values.type ?? attribute.type) as AttributeType
  const options = (values.options ?? attribute.options) as readonly unknown[]
  const hasOptions = takesOptions(type)
  return {
    ...values,
    ...(!hasOptions && attribute.options.length > 0 ? { options: [] } : {}),
    ...(type !== 'options' && attribute.is_multiselect ? { is_multiselect: false } : {}),
    ...(default_value === undefined
      ? {}
      : { default_value: type === 'checkbox' && options.length === 0 ? toBoolean(default_value) : default_value }),
  }
}

type FieldsProps = { readonly attribute: Former; readonly type: AttributeType }

function Fields({ attribute }: Pick<FieldsProps, 'attribute'>) {
  const [type, setType] = useState(attribute.type)
  const isNew = attribute === BLANK
  return (
    <>
      <Field name="name" label="Name" isFocused={isNew} hint="As in Material, Care or Year." />
      <Select
        name="type"
        label="Type"
        options={ATTRIBUTE_TYPE_NAMES}
        onChange={(next) => setType(next as AttributeType)}
        {...(!isNew && type !== attribute.type
          ? { hint: 'What products already say stays as it was written until they are saved again.' }
          : {})}
      />
      {takesOptions(type) ? (
        <OptionFields attribute={attribute} type={type} />
      ) : (
        <DefaultField type={type} attribute={attribute} rows={[]} />
      )}
      <Checkbox name="required" label="Must be filled in where a product has it" />
      <Checkbox name="is_public" label="Shown to shoppers" hint="Otherwise only you and your server see it." />
      <Textarea name="description" label="Note for your team" isOptional rows={2} />
    </>
  )
}

function OptionFields({ attribute, type }: FieldsProps) {
  const options = useOptions()
  return (
    <>
      <AttributeOptions options={options} />
      {type === 'options' && <Checkbox name="is_multiselect" label="A product may have several of these" />}
      <DefaultField type={type} attribute={attribute} rows={options.value} />
    </>
  )
}

const toBoolean = (typed: unknown): unknown => (typed === 'true' ? true : typed === 'false' ? false : typed)

type DefaultProps = FieldsProps & { readonly rows: readonly AttributeOptionRow[] }

/** The key contains the type, so the input is created anew for each type. A value of another type is not carried over. */
function DefaultField({ type, attribute, rows }: DefaultProps) {
  const value = type === attribute.type && attribute.default_value !== null ? String(attribute.default_value) : ''
  const common = { key: type, name: 'default_value', label: 'Usual value', value, empty: 'null' } as const
  const named = rows.filter((row) => row.label.trim() !== '' || row.value.trim() !== '')
  if (type === 'checkbox' && named.length === 0)
    return (
      <Select
        {...common}
        options={[
          ['', 'Nothing'],
          ['true', 'Ticked'],
          ['false', 'Not ticked'],
        ]}
      />
    )
  if (takesOptions(type))
    return (
      <Select
        {...common}
        key={`${type} options`}
        options={[
          ['', 'Nothing'],
          ...named.map((row) => [row.value.trim() || row.label.trim(), row.label.trim() || row.value.trim()] as const),
        ]}
      />
    )
  if (type === 'long_text') return <Textarea {...common} />
  if (type === 'number') return <Field {...common} isNumber inputMode="numeric" />
  if (type === 'date') return <Field {...common} type="date" />
  return <Field {...common} />
}

function DeleteDialog({ attribute, onClose }: { attribute: Attribute; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Delete “${attribute.name}”`}
      verb="Delete the attribute"
      says={[
        `Takes “${attribute.name}” away from every product that has it, with what it says there.`,
        ...(attribute.options.length === 0
          ? []
          : [
              `Its options go with it: ${attribute.options
                .slice(0, 5)
                .map(({ label }) => label)
                .join(', ')}${attribute.options.length > 5 ? ' …' : ''}.`,
            ]),
        ...(attribute.is_public ? ['Storefronts do not show it any more.'] : []),
        'The products themselves stay. This cannot be taken back.',
      ]}
      request={del(`/v1/attributes/${attribute.id}`)}
      done={`“${attribute.name}” is deleted`}
      leadsTo={back().href}
      onClose={onClose}
    />
  )
}
