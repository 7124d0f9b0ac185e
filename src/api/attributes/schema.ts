// The attribute as the API shows it, and the bodies that create and change one.

import { type Static, Type } from 'typebox'
import { kind, Meta, oneOf, Timestamp } from '../../http/endpoint/schema.ts'

const ATTRIBUTE_TYPES = ['short_text', 'long_text', 'options', 'number', 'checkbox', 'date', 'radio'] as const

const Name = { minLength: 1, maxLength: 255 }

const DefaultValue = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'integer', 'boolean', 'null'],
  maxLength: 10_000,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'Used where no value is given. Text for short_text and long_text, an integer for number, YYYY-MM-DD for date, true or false for a checkbox without options, else the value of an option.',
})

export const Attribute = kind('attribute', {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: oneOf(ATTRIBUTE_TYPES),
  required: Type.Boolean({ description: 'A value must be entered where the attribute is attached.' }),
  is_public: Type.Boolean({ description: 'Whether calls with a public key show it.' }),
  is_multiselect: Type.Boolean({ description: 'Whether an attribute of type options takes several values.' }),
  default_value: DefaultValue,
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
  options: Type.Array(Type.Object({ id: Type.String(), value: Type.String(), label: Type.String() })),
})

export type Attribute = Static<typeof Attribute>

const Option = Type.Object({
  id: Type.Optional(Type.String({ description: 'An option of this attribute, to keep its id while changing it.' })),
  value: Type.Optional(Type.String(Name)),
  label: Type.Optional(Type.String(Name)),
})

const fields = {
  name: Type.String(Name),
  description: Type.String({ maxLength: 10_000, description: 'For the merchant; shoppers do not see it.' }),
  type: oneOf(ATTRIBUTE_TYPES),
  required: Type.Optional(Type.Boolean({ description: 'false unless given.' })),
  is_public: Type.Optional(Type.Boolean({ description: 'true unless given.' })),
  is_multiselect: Type.Optional(Type.Boolean({ description: 'false unless given; true for type options only.' })),
  options: Type.Optional(
    Type.Array(Option, {
      maxItems: 500,
      description: 'For the types options, radio and checkbox. Give value, label or both; one stands for the other.',
    }),
  ),
  default_value: Type.Optional(DefaultValue),
  meta: Type.Optional(Meta),
}

export const CreateAttribute = Type.Object(fields)

export const UpdateAttribute = Type.Partial(Type.Object(fields))

export type AttributeChanges = Static<typeof UpdateAttribute>
