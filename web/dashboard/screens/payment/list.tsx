// All payment methods: state and modes of each, and the ones that can be added.

import type { GatewayRecord, GatewayType } from '../../../../src/api/payment-methods/schema.ts'
import type { Mode } from '../../api.ts'
import { post } from '../../parts/form/change.ts'
import type { ListPage } from '../../parts/list/list.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button, LinkButton } from '../../parts/page/button.tsx'
import { ChangeButton } from '../../parts/page/change-button.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Note, ObjectPage, Section } from '../../parts/page/page.tsx'
import { Badge } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { gatewayMode, gatewayName, gatewayStatus, isMissing, LIST, useGatewayTypes } from './gateway.ts'
import { useProductForSale } from './product-for-sale.ts'

type Both = { readonly gateways: readonly GatewayRecord[]; readonly types: readonly GatewayType[] }

export function PaymentList() {
  const types = useGatewayTypes()
  const gateways = useQuery<ListPage<GatewayRecord>>('/v1/gateways?limit=200')
  const both: Both | undefined = types.data && gateways.data && { types: types.data.data, gateways: gateways.data.data }
  const query = { data: both, problem: gateways.problem ?? types.problem, reload: gateways.reload }
  return (
    <ObjectPage
      of={query}
      title="Payment"
      lines={8}
      intro="How shoppers can pay. Sandbox and live are set up apart from each other: a test never moves money."
      actions={<TestPurchase />}
    >
      {(loaded) => (
        <>
          <Ways data={loaded} />
          <Add data={loaded} />
        </>
      )}
    </ObjectPage>
  )
}

type Way = {
  readonly key: string
  readonly type: GatewayType | undefined
  /** Null if it works without setup. */
  readonly gateway: GatewayRecord | null
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
                  <LinkButton
                    isSmall
                    href={`${LIST}/${gateway.id}`}
                    words={
                      <>
                        {may('gateways.update') ? 'Change' : 'Look at'}
                        <span class="unseen"> {gatewayName(gateway, type)}</span>
                      </>
                    }
                  />
                ) : (
                  type !== undefined && (
                    <DialogButton
                      words="Switch off"
                      isSmall
                      permission="gateways.create"
                      label={`Switch off ${type.name}`}
                      dialog={(close) => <UnsetOffDialog type={type} onClose={close} />}
                    />
                  )
                ),
            },
          ]}
        />
      )}
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

export function GatewayStatus({ gateway }: { gateway: GatewayRecord | null }) {
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
      request={post('/v1/gateways', { code: type.code, enabled: false })}
      done={`${type.name} is off`}
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
      <ul class="offers ruled">
        {missing.map((type) => (
          <Offer key={type.code} type={type} />
        ))}
      </ul>
    </Section>
  )
}

function Offer({ type }: { type: GatewayType }) {
  const [mode] = useMode()
  return (
    <li class="row apart">
      <div>
        <h3>{type.name}</h3>
        <p>{type.description}</p>
        <p class="hint">
          Works in {type.modes.join(' and ')}
          {type.has_credentials && ', each with an account of its own'}
          {!type.works_without_scripting && '. Shoppers need scripting'}.
        </p>
      </div>
      <div class="acts">
        {mode === 'sandbox' && type.can_be_simulated && (
          <ChangeButton
            words={`Try ${type.name} without an account`}
            isSmall
            permission="gateways.create"
            request={post('/v1/gateways', { code: type.code, simulated: true })}
            done={`${type.name} is simulated in the sandbox`}
          />
        )}
        <LinkButton words={`Set up ${type.name}`} isSmall icon="plus" href={`${LIST}/new/${type.code}`} />
      </div>
    </li>
  )
}

/** Links of products lead to the current mode. With real money, nobody is invited to test. */
function TestPurchase() {
  const [mode, setMode] = useMode()
  const { modes } = useSession()
  const product = useProductForSale(mode === 'sandbox')
  if (mode === 'live')
    return modes.includes('sandbox') ? (
      <Button words="Try it in the sandbox" onClick={() => setMode('sandbox')} />
    ) : null
  return product === undefined ? null : (
    <LinkButton words="Make a test purchase" icon="out" isOutside href={product.checkout_url.checkout} />
  )
}
