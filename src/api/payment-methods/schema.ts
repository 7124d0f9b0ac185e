// A gateway as the API shows it to the merchant, the gateways as a checkout shows them, and the bodies that set one up.

import { type Static, Type } from 'typebox'
import { gateways } from '../../gateways/index.ts'
import { kind, nested, nullable, oneOf, SECRET, Timestamp } from '../../http/endpoint/schema.ts'

const CODES = gateways.map(({ code }) => code)

/** The fields of each gateway, with a question mark after optional ones. */
const FIELDS = gateways
  .map(({ code, config }) => {
    const names = Object.entries(config).map(([name, { isRequired }]) => (isRequired ? name : `${name}?`))
    return `${code}: ${names.join(', ') || 'nothing'}`
  })
  .join('; ')

const SIMULATED = gateways
  .flatMap(({ code, createSimulation }) => (createSimulation === undefined ? [] : [code]))
  .join(', ')

export const GatewayRecord = kind('gateway', {
  id: Type.String(),
  code: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean({ description: 'Whether shoppers can pay by it. Never where it cannot take payments yet.' }),
  sandbox: Type.Boolean({
    description: 'Whether it serves the sandbox, and not live keys.',
  }),
  simulated: Type.Boolean({
    description:
      "Whether it is tried out in the sandbox without an account: its payments are made up, and named by the provider's own names for test cards.",
  }),
  config: Type.Unsafe<Record<string, string | null>>({
    type: 'object',
    additionalProperties: { type: ['string', 'null'] },
    description: 'What was set up. Of a secret only the last four characters are shown.',
  }),
  webhook_path: nullable(Type.String(), {
    description:
      'The path of this service to which the provider sends its messages. Enter it at the provider, after the address of this service. null where there is no provider.',
  }),
  created: Timestamp,
  updated: Timestamp,
})

export const GatewayTest = kind('gateway_test', {
  id: Type.String(),
  code: Type.String(),
  sandbox: Type.Boolean(),
  usable: Type.Boolean({ description: 'Whether the provider knows the credentials, in the mode that they are for.' }),
  message: Type.String({ description: 'The same in one sentence, for a person.' }),
})

export type GatewayTest = Static<typeof GatewayTest>

/** A gateway that can be set up, with all that a form for it needs. */
export const GatewayType = kind('gateway_type', {
  code: Type.String(),
  name: Type.String(),
  description: Type.String({ description: 'What it is, in a sentence for a merchant.' }),
  modes: Type.Array(oneOf(['sandbox', 'live']), {
    description: 'Where it works. Each mode is set up by itself.',
  }),
  has_credentials: Type.Boolean({
    description: 'Whether it needs an account, whose credentials it is set up with.',
  }),
  can_be_simulated: Type.Boolean({ description: 'Whether the sandbox can try it out before there is an account.' }),
  is_repeatable: Type.Boolean({ description: 'Whether it may be set up several times.' }),
  works_unset: Type.Boolean({ description: 'Whether it works without being set up, until it is switched off.' }),
  works_without_scripting: Type.Boolean({
    description: 'Whether a shopper can pay by it on the hosted checkout without scripting.',
  }),
  hosts: Type.Array(Type.String(), {
    description:
      'The hosts that the Content-Security-Policy of a page must allow for shoppers to pay by it, in the mode of the key.',
  }),
  fields: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As `config` of a gateway names it.' }),
      label: Type.String(),
      help: Type.String(),
      is_required: Type.Boolean(),
      is_secret: Type.Boolean({ description: 'Whether it is never shown again once it was sent.' }),
      is_long: Type.Boolean({ description: 'Whether it is text of several lines.' }),
      options: nullable(Type.Array(Type.String()), { description: 'What it may be; null: any text.' }),
    }),
  ),
})

export type GatewayType = Static<typeof GatewayType>

export const GatewayTypes = Type.Object({ data: Type.Array(nested(GatewayType)) })

export type GatewayTypes = Static<typeof GatewayTypes>

export type GatewayRecord = Static<typeof GatewayRecord>

// The gateway checks the fields (payment-method.ts); one schema for all would only say "must match one of".
const Config = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  ...SECRET,
  description: `What the gateway needs, as text. ${FIELDS}. Secrets are encrypted before they are stored; a service that has no key for that (CREDENTIALS_KEY) refuses them.`,
})

const fields = {
  config: Type.Optional(Config),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'true unless given; false for one that cannot take payments yet, which cannot be switched on.',
    }),
  ),
  sandbox: Type.Optional(
    Type.Boolean({
      description:
        'Whether it is for the sandbox. As the key of the request, unless given; false needs a live secret key.',
    }),
  ),
  simulated: Type.Optional(
    Type.Boolean({
      description: `Tries a provider out without an account: ${SIMULATED}. false unless given. Sandbox keys only, and not together with credentials; no field of config is required then.`,
    }),
  ),
}

export const CreateGateway = Type.Object({ code: oneOf(CODES), ...fields })

export const UpdateGateway = Type.Object({ code: Type.Optional(oneOf(CODES)), ...fields })

export type NewGateway = Static<typeof CreateGateway>
export type GatewayChanges = Static<typeof UpdateGateway>

/** A gateway as shoppers see it. `settings` is a list if a merchant may set it up several times. */
export type OfferedGateway = {
  type: 'card' | 'third_party'
  settings: Record<string, string | null> | Record<string, string | null>[]
  cards_accepted?: string[]
  simulated?: true
}

const Offered = Type.Unsafe<OfferedGateway>({
  type: 'object',
  required: ['type', 'settings'],
  properties: {
    type: { type: 'string', enum: ['card', 'third_party'] },
    settings: {
      description:
        'What the browser needs: an object; a list of them, each with its id, where the gateway may be set up several times.',
    },
    cards_accepted: { type: 'array', items: { type: 'string' }, description: 'For type card.' },
    simulated: {
      type: 'boolean',
      description: 'true where payments by it are made up, in the sandbox; otherwise absent.',
    },
  },
})

/** Gateways of a checkout: which of them can be used, and the details of those. */
export const AvailableGateways = kind('available_gateways', {
  available: Type.Object(
    Object.fromEntries(
      gateways.map(({ code, isOptIn }) => [code, isOptIn ? Type.Optional(Type.Boolean()) : Type.Boolean()]),
    ),
  ),
  available_count: Type.Integer(),
  ...Object.fromEntries(CODES.map((code) => [code, Type.Optional(Offered)])),
})

export type AvailableGateways = {
  available: Record<string, boolean>
  available_count: number
} & { [code: string]: OfferedGateway | Record<string, boolean> | number }
