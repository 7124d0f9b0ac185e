// One payment method: whether it is on and works, the URL for its provider's messages, and its settings without secrets.

import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { GatewayRecord, GatewayTest, GatewayType } from '../../../../src/api/payment-methods/schema.ts'
import { call, problemOf } from '../../api.ts'
import { del, put } from '../../parts/form/change.ts'
import { Form } from '../../parts/form/form.tsx'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { useChange } from '../../parts/page/change-button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Facts, Note, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { GatewayFields, gatewayPayload } from './fields.tsx'
import { BACK, gatewayMode, gatewayName, LIST, useGatewayTypes } from './gateway.ts'
import { GatewayStatus, Modes } from './list.tsx'

type GatewayProps = { readonly gateway: GatewayRecord; readonly type: GatewayType | undefined }

export function PaymentDetail({ id }: ScreenProps) {
  const query = useQuery<GatewayRecord>(`/v1/gateways/${id}`)
  const { data: types } = useGatewayTypes()
  const [mode] = useMode()
  const type = types?.data.find(({ code }) => code === query.data?.code)
  /** A method that takes live payments can be changed only in live. */
  const isEditable = ({ sandbox }: GatewayRecord) => mode === 'live' || sandbox
  return (
    <ObjectPage
      of={query}
      title={(gateway) => gatewayName(gateway, type)}
      untitled="Way to pay"
      back={BACK}
      aside={(gateway) => <GatewayStatus gateway={gateway} />}
      actions={(gateway) => isEditable(gateway) && <Actions gateway={gateway} type={type} />}
      intro={() => type?.description}
    >
      {(gateway, etag) =>
        types !== undefined && (
          <>
            {!isEditable(gateway) && <Elsewhere gateway={gateway} type={type} />}
            <Standings gateway={gateway} type={type} />
            {isEditable(gateway) && type !== undefined && <Settings gateway={gateway} etag={etag} type={type} />}
          </>
        )
      }
    </ObjectPage>
  )
}

function Elsewhere({ gateway, type }: GatewayProps) {
  const [, setMode] = useMode()
  const { modes } = useSession()
  return (
    <Note tone="open">
      <p>{gatewayName(gateway, type)} takes live payments: it is changed in live, not in the sandbox.</p>
      {modes.includes('live') && (
        <p>
          <Button words="Switch to live" onClick={() => setMode('live')} />
        </p>
      )}
    </Note>
  )
}

function Actions({ gateway, type }: GatewayProps) {
  const may = useMay()
  const [isSwitchingOff, setSwitchingOff] = useState(false)
  const [isBusy, switchOn] = useChange({
    request: put(`/v1/gateways/${gateway.id}`, { enabled: true }),
    done: `${gatewayName(gateway, type)} is on`,
  })
  if (!may('gateways.update')) return null
  return (
    <>
      {/* One button, which keeps the focus after each change. */}
      {gateway.enabled ? (
        <Button words="Switch off" onClick={() => setSwitchingOff(true)} />
      ) : (
        <Button words="Switch on" kind="primary" isBusy={isBusy} onClick={switchOn} />
      )}
      {isSwitchingOff && <OffDialog gateway={gateway} type={type} onClose={() => setSwitchingOff(false)} />}
      <Menu
        label="More actions"
        entries={[
          {
            label: 'Delete',
            icon: 'close',
            isDangerous: true,
            permission: 'gateways.delete',
            dialog: (close) => <DeleteDialog gateway={gateway} type={type} onClose={close} />,
          },
        ]}
      />
    </>
  )
}

function Standings({ gateway, type }: GatewayProps) {
  const address = gateway.webhook_path === null ? null : location.origin + gateway.webhook_path
  return (
    <Section title="How it stands" kind="stack">
      <Facts
        facts={[
          ['Works in', <Modes modes={[gatewayMode(gateway)]} />],
          ['Shoppers without scripting', type?.works_without_scripting ? 'Can pay by it' : 'Cannot pay by it'],
          ['Set up', <When at={gateway.created} />],
        ]}
      />
      {gateway.simulated && (
        <Note tone="open">
          <p>
            <strong>Simulated.</strong> Its payments are made up in the sandbox, and a checkout looks as if there were
            an account. Enter the credentials below to use a real one.
          </p>
        </Note>
      )}
      {address !== null && (
        <div>
          <p class="hint">
            Where {gateway.name} sends its messages. Type it in there, so that late payments are heard of:
          </p>
          <p class="row tight">
            <code>{address}</code>
            <CopyButton text={address} what="Address" />
          </p>
        </div>
      )}
      {type?.has_credentials && !gateway.simulated && <Check gateway={gateway} />}
    </Section>
  )
}

/** Check by the provider, in its own words. It runs by itself when credentials were just saved. */
function Check({ gateway }: { gateway: GatewayRecord }) {
  const may = useMay()
  const { query } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Pick<GatewayTest, 'usable' | 'message'> | null>(null)
  const runCheck = async () => {
    setBusy(true)
    try {
      setResult(await call<GatewayTest>('POST', `/v1/gateways/${gateway.id}/test`))
    } catch (error) {
      setResult({ usable: false, message: problemOf(error).message })
    }
    setBusy(false)
  }
  useEffect(() => {
    // Each save has another number, so each save runs the check.
    if (query.check !== undefined && may('gateways.test')) runCheck()
  }, [query.check])
  if (!may('gateways.test')) return null
  return (
    <div class="stack">
      <div role="status">
        {result !== null && (
          <Note tone={result.usable ? 'good' : 'bad'}>
            <p>
              <strong>{result.usable ? 'It works.' : 'It does not work yet.'}</strong> {result.message}
            </p>
          </Note>
        )}
      </div>
      <p>
        <Button words={`Ask ${gateway.name} whether it works`} icon="check" isBusy={isBusy} onClick={runCheck} />
      </p>
    </div>
  )
}

type SettingsProps = { readonly gateway: GatewayRecord; readonly etag: string | null; readonly type: GatewayType }

function Settings({ gateway, etag, type }: SettingsProps) {
  const may = useMay()
  const [saves, setSaves] = useState(0)
  if (type.fields.length === 0) return null
  if (!may('gateways.update')) return <ReadOnlySettings gateway={gateway} type={type} />
  // Credentials end a simulation: with both, nobody could tell which one takes the money.
  const endOfSimulation = gateway.simulated ? { simulated: false } : {}
  return (
    <Section title="Settings" kind="narrow">
      <Form
        initial={gateway}
        etag={etag}
        submit={gateway.simulated ? 'Use this account' : 'Save'}
        request={put(`/v1/gateways/${gateway.id}`, (values) => ({ ...gatewayPayload(values), ...endOfSimulation }))}
        done="Saved"
        onDone={() => setSaves(saves + 1)}
        leadsTo={type.has_credentials ? `${LIST}/${gateway.id}?check=${saves + 1}` : undefined}
      >
        <GatewayFields fields={type.fields} storedConfig={gateway.config} />
      </Form>
    </Section>
  )
}

/** For roles that may see the settings but not change them. */
function ReadOnlySettings({ gateway, type }: Omit<SettingsProps, 'etag'>) {
  return (
    <Section title="Settings">
      <Facts
        facts={type.fields.map(({ name, label, is_secret }) => {
          const value = gateway.config[name] ?? null
          return [
            label,
            value === null ? 'Not set' : is_secret ? `Kept (${value.replace(/\*+/, '…')})` : value,
          ] as const
        })}
      />
      <p class="hint">Ways to pay are set up by an owner of the shop.</p>
    </Section>
  )
}

type DialogProps = GatewayProps & { readonly onClose: () => void }

const inMode = (gateway: GatewayRecord): string => (gatewayMode(gateway) === 'live' ? 'live' : 'the sandbox')

function OffDialog({ gateway, type, onClose }: DialogProps) {
  return (
    <ActionDialog
      title={`Switch off ${gatewayName(gateway, type)}`}
      verb="Switch off"
      says={[
        `Shoppers are not offered it any more, in ${inMode(gateway)}.`,
        'Payments that are under way still end, and refunds go on working.',
        'Its settings are kept: it can be switched on again at any time.',
      ]}
      request={put(`/v1/gateways/${gateway.id}`, { enabled: false })}
      done={`${gatewayName(gateway, type)} is off`}
      onClose={onClose}
    />
  )
}

function DeleteDialog({ gateway, type, onClose }: DialogProps) {
  return (
    <ActionDialog
      title={`Delete ${gatewayName(gateway, type)}`}
      verb="Delete it"
      says={[
        `Shoppers are not offered it any more, in ${inMode(gateway)}.`,
        'Payments that are under way still end.',
        ...(type?.has_credentials
          ? [
              'What was typed in is gone, and has to be typed in again to use it. For 30 days it is kept, unseen, for what is under way.',
              'Orders that were paid by it may no longer be refunded from here. To keep that, switch it off instead.',
            ]
          : ['What was typed in is gone. To keep it, switch it off instead.']),
      ]}
      request={del(`/v1/gateways/${gateway.id}`)}
      done={`${gatewayName(gateway, type)} is deleted`}
      leadsTo={LIST}
      onClose={onClose}
    />
  )
}
