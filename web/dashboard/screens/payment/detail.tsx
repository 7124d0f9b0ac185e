// One payment method: whether it is on and works, the URL for its provider's messages, and its settings without secrets.

import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call, problemOf } from '../../api.ts'
import type { SendOptions } from '../../parts/form/change.ts'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { Facts, Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { GatewayFields, gatewayPayload } from './fields.tsx'
import { GATEWAY_TYPES_PATH, type Gateway, type GatewayType, gatewayMode, gatewayName, LIST } from './gateway.ts'
import { GatewayStatus, Modes } from './list.tsx'

const BACK = { href: LIST, label: 'Payment' }

type DialogName = 'off' | 'delete'

type GatewayProps = { readonly gateway: Gateway; readonly type: GatewayType | undefined }

export function PaymentDetail({ id }: ScreenProps) {
  const query = useQuery<Gateway>(`/v1/gateways/${id}`)
  const { data: types } = useQuery<{ data: readonly GatewayType[] }>(GATEWAY_TYPES_PATH)
  const [openDialog, setOpenDialog] = useState<DialogName | null>(null)
  const gateway = query.data
  const type = types?.data.find(({ code }) => code === gateway?.code)
  const isHere = useIsEditable(gateway)
  return (
    <Page
      title={gateway === undefined ? 'Way to pay' : gatewayName(gateway, type)}
      back={BACK}
      aside={gateway && <GatewayStatus gateway={gateway} />}
      actions={gateway && isHere && <Actions gateway={gateway} type={type} onOpen={setOpenDialog} />}
      intro={type?.description}
    >
      <Loaded query={query} back={BACK}>
        {(loaded) =>
          types === undefined ? null : (
            <>
              {!isHere && <Elsewhere gateway={loaded} type={type} />}
              <Standings gateway={loaded} type={type} />
              {isHere && type !== undefined && <Settings gateway={loaded} etag={query.etag} type={type} />}
              {openDialog === 'off' && <OffDialog gateway={loaded} type={type} onClose={() => setOpenDialog(null)} />}
              {openDialog === 'delete' && (
                <DeleteDialog gateway={loaded} type={type} onClose={() => setOpenDialog(null)} />
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

/** A method that takes live payments can be changed only in live. */
function useIsEditable(gateway: Gateway | undefined): boolean {
  const [mode] = useMode()
  return gateway !== undefined && (mode === 'live' || gateway.sandbox)
}

function Elsewhere({ gateway, type }: GatewayProps) {
  const [, setMode] = useMode()
  const { modes } = useSession()
  return (
    <Note tone="open">
      <p>{gatewayName(gateway, type)} takes live payments: it is changed in live, not in the sandbox.</p>
      {modes.includes('live') && (
        <p>
          <Button onClick={() => setMode('live')}>Switch to live</Button>
        </p>
      )}
    </Note>
  )
}

function Actions({ gateway, type, onOpen }: GatewayProps & { readonly onOpen: (opened: DialogName) => void }) {
  const may = useMay()
  const [isBusy, setBusy] = useState(false)
  const switchOn = async () => {
    setBusy(true)
    try {
      await call('PUT', `/v1/gateways/${gateway.id}`, { body: { enabled: true } })
      invalidateQueries('/v1/gateways', '/v1/reports')
      showToast(`${gatewayName(gateway, type)} is on`)
    } catch (error) {
      showToast(problemOf(error).message, 'bad')
    }
    setBusy(false)
  }
  const entries: (MenuEntry | false)[] = [
    may('gateways.delete') && { label: 'Delete', icon: 'close', isDangerous: true, onPress: () => onOpen('delete') },
  ]
  if (!may('gateways.update')) return null
  return (
    <>
      {gateway.enabled ? (
        <Button onClick={() => onOpen('off')}>Switch off</Button>
      ) : (
        <Button kind="primary" isBusy={isBusy} onClick={switchOn}>
          Switch on
        </Button>
      )}
      <Menu label="More actions" entries={entries.filter((entry) => entry !== false)} />
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
        <div class="message-address">
          <p class="hint">
            Where {gateway.name} sends its messages. Type it in there, so that late payments are heard of:
          </p>
          <p class="with-copy">
            <code>{address}</code>
            <CopyButton text={address} what="Address" />
          </p>
        </div>
      )}
      {type?.has_credentials && !gateway.simulated && <Check gateway={gateway} />}
    </Section>
  )
}

type CheckResult = { readonly usable: boolean; readonly message: string }

/** Check by the provider, in its own words. It runs by itself when credentials were just saved. */
function Check({ gateway }: { gateway: Gateway }) {
  const may = useMay()
  const { query } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<CheckResult | null>(null)
  const runCheck = async () => {
    setBusy(true)
    try {
      setResult(await call<CheckResult>('POST', `/v1/gateways/${gateway.id}/test`))
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
        <Button icon="check" isBusy={isBusy} onClick={runCheck}>
          Ask {gateway.name} whether it works
        </Button>
      </p>
    </div>
  )
}

type SettingsProps = { readonly gateway: Gateway; readonly etag: string | null; readonly type: GatewayType }

function Settings({ gateway, etag, type }: SettingsProps) {
  const may = useMay()
  const { route } = useLocation()
  const [saves, setSaves] = useState(0)
  if (type.fields.length === 0) return null
  if (!may('gateways.update')) return <ReadOnlySettings gateway={gateway} type={type} />
  const submit = (values: FormValues, { ifMatch }: SendOptions) => {
    // Credentials end a simulation: with both, nobody could tell which one takes the money.
    const body = { ...gatewayPayload(values), ...(gateway.simulated ? { simulated: false } : {}) }
    return call('PUT', `/v1/gateways/${gateway.id}`, { body, ifMatch })
  }
  return (
    <Section title="Settings" kind="narrow">
      <Form
        initial={gateway}
        etag={etag}
        submit={gateway.simulated ? 'Use this account' : 'Save'}
        run={submit}
        onDone={() => {
          invalidateQueries('/v1/gateways', '/v1/reports')
          showToast('Saved')
          setSaves(saves + 1)
          if (type.has_credentials) route(`${LIST}/${gateway.id}?check=${saves + 1}`, true)
        }}
      >
        <GatewayFields fields={type.fields} storedConfig={gateway.config} />
      </Form>
    </Section>
  )
}

/** For roles that may see the settings but not change them. */
function ReadOnlySettings({ gateway, type }: { gateway: Gateway; type: GatewayType }) {
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

const inMode = (gateway: Gateway): string => (gatewayMode(gateway) === 'live' ? 'live' : 'the sandbox')

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
      run={() => call('PUT', `/v1/gateways/${gateway.id}`, { body: { enabled: false } })}
      onDone={() => {
        invalidateQueries('/v1/gateways', '/v1/reports')
        showToast(`${gatewayName(gateway, type)} is off`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function DeleteDialog({ gateway, type, onClose }: DialogProps) {
  const { route } = useLocation()
  return (
    <ActionDialog
      title={`Delete ${gatewayName(gateway, type)}`}
      verb="Delete it"
      isDangerous
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
      run={() => call('DELETE', `/v1/gateways/${gateway.id}`)}
      onDone={() => {
        onClose()
        invalidateQueries('/v1/gateways', '/v1/reports')
        showToast(`${gatewayName(gateway, type)} is deleted`)
        route(LIST, true)
      }}
      onClose={onClose}
    />
  )
}
