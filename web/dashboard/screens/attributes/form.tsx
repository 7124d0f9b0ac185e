// The form of an attribute, new or existing: name, type, options and default value.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Checkbox, Field, Select, Textarea } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { ATTRIBUTE_TYPE_NAMES, type Attribute, type AttributeType, takesOptions } from './attribute.ts'
import { type AttributeOptionRow, AttributeOptions, useOptions } from './options.tsx'

const BACK = { href: '/dashboard/attributes', label: 'Attributes' }

const forget = () => invalidateQueries('/v1/attributes', '/v1/products')

export function AttributeScreen({ id }: ScreenProps) {
  return id === 'new' ? <NewAttribute /> : <OneAttribute id={id} />
}

const BLANK: Omit<Attribute, 'id'> = {
  name: '',
  description: '',
  type: 'short_text',
  required: false,
  is_public: true,
  is_multiselect: false,
  default_value: null,
  options: [],
}

function NewAttribute() {
  const { route } = useLocation()
  const [type, setType] = useState(BLANK.type)
  return (
    <Page title="New attribute" back={BACK}>
      <Section title="The new attribute" hidesTitle>
        <Form
          initial={BLANK}
          sendsAll
          submit="Create the attribute"
          run={(values) => call<Attribute>('POST', '/v1/attributes', { body: bodyOf(values, type, BLANK) })}
          onDone={(created) => {
            forget()
            showToast(`“${created.name}” is there`)
            route(BACK.href)
          }}
        >
          <Fields attribute={BLANK} type={type} onType={setType} />
        </Form>
      </Section>
    </Page>
  )
}

function OneAttribute({ id }: { id: string }) {
  const query = useQuery<Attribute>(`/v1/attributes/${id}`)
  const may = useMay()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page
      title={query.data?.name ?? 'Attribute'}
      back={BACK}
      actions={
        may('attributes.delete') &&
        query.data !== undefined && <Button onClick={() => setDeleting(true)}>Delete</Button>
      }
    >
      <Loaded query={query} back={{ ...BACK, label: 'To the attributes' }}>
        {(attribute) => (
          <>
            <EditAttribute attribute={attribute} etag={query.etag} />
            {isDeleting && <DeleteDialog attribute={attribute} onClose={() => setDeleting(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function EditAttribute({ attribute, etag }: { attribute: Attribute; etag: string | null }) {
  const canChange = useMay()('attributes.update')
  const [type, setType] = useState(attribute.type)
  return (
    <Section title="Attribute" hidesTitle>
      <Form
        initial={attribute}
        etag={etag}
        {...(canChange ? { submit: 'Save' } : {})}
        run={(changes, { ifMatch }) =>
          call<Attribute>('PUT', `/v1/attributes/${attribute.id}`, { body: bodyOf(changes, type, attribute), ifMatch })
        }
        onDone={(saved) => {
          forget()
          showToast(`“${saved.name}” is saved`)
        }}
      >
        <fieldset class="form" disabled={!canChange}>
          <legend class="unseen">The attribute</legend>
          <Fields attribute={attribute} type={type} onType={setType} />
        </fieldset>
      </Form>
    </Section>
  )
}

/** A type without options removes existing options. A checkbox without options has true or false as its default. */
const bodyOf = (
  { default_value, ...values }: FormValues,
  type: AttributeType,
  attribute: Omit<Attribute, 'id'>,
): FormValues => {
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

type FieldsProps = {
  readonly attribute: Omit<Attribute, 'id'>
  readonly type: AttributeType
  readonly onType: (type: AttributeType) => void
}

function Fields({ attribute, type, onType }: FieldsProps) {
  const isNew = attribute === BLANK
  return (
    <>
      <Field name="name" label="Name" maxLength={255} isFocused={isNew} hint="As in Material, Care or Year." />
      <Select
        name="type"
        label="Type"
        options={ATTRIBUTE_TYPE_NAMES}
        onChange={(next) => onType(next as AttributeType)}
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

function OptionFields({ attribute, type }: Pick<FieldsProps, 'attribute' | 'type'>) {
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

const LABEL = 'Usual value'

/** The key contains the type, so the input is created anew for each type. A value of another type is not carried over. */
function DefaultField({
  type,
  attribute,
  rows,
}: {
  type: AttributeType
  attribute: Omit<Attribute, 'id'>
  rows: readonly AttributeOptionRow[]
}) {
  const value = type === attribute.type && attribute.default_value !== null ? String(attribute.default_value) : ''
  const common = { key: type, name: 'default_value', label: LABEL, value, empty: 'null' } as const
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
  if (type === 'long_text') return <Textarea {...common} isOptional />
  if (type === 'number') return <Field {...common} isOptional isNumber inputMode="numeric" />
  if (type === 'date') return <Field {...common} isOptional type="date" />
  return <Field {...common} isOptional />
}

function DeleteDialog({ attribute, onClose }: { attribute: Attribute; onClose: () => void }) {
  const { route } = useLocation()
  return (
    <ActionDialog
      title={`Delete “${attribute.name}”`}
      verb="Delete the attribute"
      isDangerous
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
      run={() => call('DELETE', `/v1/attributes/${attribute.id}`)}
      onDone={() => {
        forget()
        showToast(`“${attribute.name}” is deleted`)
        onClose()
        route(BACK.href)
      }}
      onClose={onClose}
    />
  )
}
