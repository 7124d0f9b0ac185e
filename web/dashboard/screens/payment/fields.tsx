// The fields of a gateway, built from its own description. A stored secret is never returned: only its last characters are shown.

import type { GatewayRecord, GatewayType } from '../../../../src/api/payment-methods/schema.ts'
import { Checkbox, Field, Select, Textarea } from '../../parts/form/field.tsx'
import type { FormValues } from '../../parts/form/form.tsx'

type ConfigField = GatewayType['fields'][number]

const REMOVED = 'removed'

/** Form values as the API takes them. Null removes a value. */
export function gatewayPayload({ config, [REMOVED]: removals }: FormValues): { config: FormValues } {
  const names = Object.entries((removals ?? {}) as Record<string, boolean>).flatMap(([name, isOn]) =>
    isOn ? [name] : [],
  )
  return { config: { ...(config as FormValues | undefined), ...Object.fromEntries(names.map((name) => [name, null])) } }
}

type FieldsProps = {
  readonly fields: readonly ConfigField[]
  /** Stored values; none for a new gateway. */
  readonly storedConfig?: GatewayRecord['config']
}

export function GatewayFields({ fields, storedConfig = {} }: FieldsProps) {
  return (
    <>
      {fields.map((field) => (
        <OneField key={field.name} field={field} kept={storedConfig[field.name] ?? null} />
      ))}
    </>
  )
}

function OneField({ field, kept }: { field: ConfigField; kept: string | null }) {
  const { name, label, help, is_required, is_secret, is_long, options } = field
  const common = {
    name: `config.${name}`,
    label,
    hint: help,
    isOptional: !is_required,
    ...(is_required ? {} : { empty: 'null' as const }),
  }
  if (is_secret) return <SecretField field={field} kept={kept} />
  if (options !== null)
    return (
      <Select {...common} options={[['', 'Not set'] as const, ...options.map((option) => [option, option] as const)]} />
    )
  return is_long ? <Textarea {...common} rows={4} /> : <Field {...common} />
}

function SecretField({ field: { name, label, help, is_required }, kept }: { field: ConfigField; kept: string | null }) {
  const end = kept?.replaceAll('*', '') ?? ''
  return (
    <>
      <Field
        name={`config.${name}`}
        label={label}
        type="password"
        // Empty, because the stored value is only a mask.
        value=""
        // Keeps the browser from filling in a password that it has saved for this page.
        autocomplete="new-password"
        empty="leave"
        isOptional={!is_required}
        {...(kept === null ? {} : { placeholder: 'Kept. Leave it empty to keep it' })}
        hint={
          kept === null
            ? `${help} It is not shown again.`
            : `One is kept${end === '' ? '' : `, ending in ${end}`}, and is not shown again. Type another to replace it.`
        }
      />
      {kept !== null && !is_required && (
        <Checkbox name={`${REMOVED}.${name}`} label={`Remove the ${label.toLowerCase()} that is kept`} />
      )}
    </>
  )
}
