// All payment methods: state and modes of each, and the ones that can be added.

import { useState } from 'preact/hooks'
import { call, type Mode, problemOf } from '../../api.ts'
import { Table } from '../../parts/list/table.tsx'
import { Button, LinkButton } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Badge } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import {
  GATEWAY_TYPES_PATH,
  GATEWAYS,
  type Gateway,
  type GatewayType,
  gatewayMode,
  gatewayName,
  gatewayStatus,
  isMissing,
  LIST,
} from './gateway.ts'

type Both = { readonly gateways: readonly Gateway[]; readonly types: readonly GatewayType[] }

export function PaymentList() {
  const types = useQuery<{ data: readonly GatewayType[] }>(GATEWAY_TYPES_PATH)
  const gateways = useQuery<{ data: readonly Gateway[] }>(GATEWAYS)
  const both: Both | undefined = types.data && gateways.data && { types: types.data.data, gateways: gateways.data.data }
  const query = { data: both, problem: gateways.problem ?? types.problem, reload: gateways.reload }
  return (
    <Page
      title="Payment"
      intro="How shoppers can pay. Sandbox and live are set up apart from each other: a test never moves money."
      actions={<TestPurchase />}
    >
      <Loaded query={query} lines={8}>
        {(loaded) => (
          <>
            <Ways data={loaded} />
            <Add data={loaded} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

type Way = {
  readonly key: string
  readonly type: GatewayType | undefined
  /** Null if it works without setup. */
  readonly gateway: Gateway | null
}

function waysOf({ gateways, types }: Both): Way[] {
  const defaults = types.filter(({ code, works_unset }) => works_unset && !gateways.some((each) => each.code === code))
  return [
    ...gateways.map((gateway) => ({
      key: gateway.id,
      gateway,
      type: types.find(({ code }) => code === gateway.code),
    })),
    ...defaults.map((type) => ({ key: type.code, gateway: null, type })),
  ]
}

const wayModes = ({ gateway, type }: Way): readonly Mode[] =>
  gateway === null ? (type?.modes ?? []) : [gatewayMode(gateway)]

function Ways({ data }: { data: Both }) {
  const [mode] = useMode()
  const may = useMay()
  const [typeToSwitchOff, setTypeToSwitchOff] = useState<GatewayType | null>(null)
  const ways = waysOf(data)
  const isOpen = ways.some((way) => wayModes(way).includes(mode) && (way.gateway === null || way.gateway.enabled))
  return (
    <>
      {!isOpen && (
        <Note tone="open">
          <p>
            <strong>Nobody can pay in {mode} yet.</strong>{' '}
            {may('gateways.create') ? 'Switch on a way below.' : 'An owner of the shop can switch on a way.'}
          </p>
        </Note>
      )}
      {ways.length > 0 && (
        <Table
          caption="Ways to pay"
          rows={ways}
          keyOf={({ key }) => key}
          columns={[
            {
              label: 'Way to pay',
              cell: ({ gateway, type }) =>
                gateway === null ? type?.name : <a href={`${LIST}/${gateway.id}`}>{gatewayName(gateway, type)}</a>,
            },
            { label: 'Works in', cell: (way) => <Modes modes={wayModes(way)} /> },
            {
              label: 'Without scripting',
              phone: 'none',
              cell: ({ type }) => (type?.works_without_scripting ? 'Can pay' : 'Cannot pay'),
            },
            {
              label: 'Standing',
              cell: ({ gateway }) => <GatewayStatus gateway={gateway} />,
              phone: 'aside',
            },
            {
              label: 'Actions',
              isNumber: true,
              cell: ({ gateway, type }) =>
                gateway !== null ? (
                  <LinkButton isSmall href={`${LIST}/${gateway.id}`}>
                    {may('gateways.update') ? 'Change' : 'Look at'}
                    <span class="unseen"> {gatewayName(gateway, type)}</span>
                  </LinkButton>
                ) : (
                  type !== undefined &&
                  may('gateways.create') && (
                    <Button isSmall label={`Switch off ${type.name}`} onClick={() => setTypeToSwitchOff(type)}>
                      Switch off
                    </Button>
                  )
                ),
            },
          ]}
        />
      )}
      {typeToSwitchOff !== null && <UnsetOffDialog type={typeToSwitchOff} onClose={() => setTypeToSwitchOff(null)} />}
    </>
  )
}

export function Modes({ modes }: { modes: readonly Mode[] }) {
  return (
    <span class="modes">
      {modes.map((mode) => (
        <Badge key={mode} tone={mode === 'live' ? 'good' : 'calm'}>
          {mode === 'live' ? 'Live' : 'Sandbox'}
        </Badge>
      ))}
    </span>
  )
}

export function GatewayStatus({ gateway }: { gateway: Gateway | null }) {
  const [tone, text] = gateway === null ? (['good', 'On'] as const) : gatewayStatus(gateway)
  return <Badge tone={tone}>{text}</Badge>
}

/** A method that works without setup is switched off by setting it up as disabled. */
function UnsetOffDialog({ type, onClose }: { type: GatewayType; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Switch off ${type.name}`}
      verb="Switch off"
      says={['The sandbox does not offer it any more.', 'It can be switched on again at any time.']}
      run={(_, { idempotencyKey }) =>
        call('POST', '/v1/gateways', { body: { code: type.code, enabled: false }, idempotencyKey })
      }
      onDone={() => {
        invalidateQueries('/v1/gateways', '/v1/reports')
        showToast(`${type.name} is off`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function Add({ data: { gateways, types } }: { data: Both }) {
  const [mode] = useMode()
  const may = useMay()
  const missing = types.filter((type) => isMissing(type, gateways, mode))
  if (missing.length === 0 || !may('gateways.create')) return null
  return (
    <Section title={`Add a way to pay in ${mode}`}>
      <ul class="offers">
        {missing.map((type) => (
          <Offer key={type.code} type={type} />
        ))}
      </ul>
    </Section>
  )
}

function Offer({ type }: { type: GatewayType }) {
  const [mode] = useMode()
  const [isBusy, setBusy] = useState(false)
  const simulate = async () => {
    setBusy(true)
    try {
      await call('POST', '/v1/gateways', { body: { code: type.code, simulated: true } })
      invalidateQueries('/v1/gateways', '/v1/reports')
      showToast(`${type.name} is simulated in the sandbox`)
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <li>
      <div>
        <h3>{type.name}</h3>
        <p>{type.description}</p>
        <p class="hint">
          Works in {type.modes.join(' and ')}
          {type.has_credentials && ', each with an account of its own'}
          {!type.works_without_scripting && '. Shoppers need scripting'}.
        </p>
      </div>
      <div class="offer-actions">
        {mode === 'sandbox' && type.can_be_simulated && (
          <Button isSmall isBusy={isBusy} onClick={simulate}>
            Try {type.name} without an account
          </Button>
        )}
        <LinkButton isSmall icon="plus" href={`${LIST}/new/${type.code}`}>
          Set up {type.name}
        </LinkButton>
      </div>
    </li>
  )
}

type ProductLinks = {
  readonly data: readonly { readonly name: string; readonly checkout_url: { readonly checkout: string } }[]
}

/** Links of products lead to the current mode. With real money, nobody is invited to test. */
function TestPurchase() {
  const [mode, setMode] = useMode()
  const { modes } = useSession()
  const may = useMay()
  const products = useQuery<ProductLinks>(
    mode === 'sandbox' && may('products.list') ? '/v1/products?limit=1&active=1' : null,
  )
  if (mode === 'live')
    return modes.includes('sandbox') ? <Button onClick={() => setMode('sandbox')}>Try it in the sandbox</Button> : null
  const first = products.data?.data[0]
  return first === undefined ? null : (
    <LinkButton icon="out" isOutside href={first.checkout_url.checkout}>
      Make a test purchase
    </LinkButton>
  )
}
