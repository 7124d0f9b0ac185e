// Sets up a payment method, with the fields that its gateway declares.

import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Form } from '../../parts/form/form.tsx'
import { Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded, NotFound } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMode } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { GatewayFields, gatewayPayload } from './fields.tsx'
import { GATEWAY_TYPES_PATH, type Gateway, type GatewayType, LIST } from './gateway.ts'

const BACK = { href: LIST, label: 'Payment' }

/** `id` is the code of the gateway. */
export function PaymentSetUp({ id: code }: ScreenProps) {
  const query = useQuery<{ data: readonly GatewayType[] }>(GATEWAY_TYPES_PATH)
  const type = query.data?.data.find((each) => each.code === code)
  return (
    <Page title={type === undefined ? 'Way to pay' : `Set up ${type.name}`} back={BACK} intro={type?.description}>
      <Loaded query={query} back={BACK}>
        {() => (type === undefined ? <NotFound back={BACK} /> : <SetUp type={type} />)}
      </Loaded>
    </Page>
  )
}

function SetUp({ type }: { type: GatewayType }) {
  const [mode] = useMode()
  const { route } = useLocation()
  return (
    <Section title="Settings" hidesTitle kind="narrow">
      <Form
        submit={`Switch on ${type.name}`}
        run={(values) =>
          call<Gateway>('POST', '/v1/gateways', { body: { code: type.code, ...gatewayPayload(values) } })
        }
        onDone={({ id }) => {
          invalidateQueries('/v1/gateways', '/v1/reports')
          showToast(`${type.name} is on`)
          // The next screen checks the credentials with the provider.
          route(`${LIST}/${id}${type.has_credentials ? '?check=1' : ''}`)
        }}
      >
        <Note tone={mode === 'live' && type.modes.includes('live') ? 'open' : 'calm'}>
          <p>{whereText(type, mode)}</p>
        </Note>
        <GatewayFields fields={type.fields} />
        {type.fields.length === 0 && <p class="hint">Nothing has to be filled in.</p>}
      </Form>
    </Section>
  )
}

function whereText({ name, modes, has_credentials }: GatewayType, mode: string): string {
  if (has_credentials)
    return mode === 'live'
      ? `For live: shoppers pay with real money from the moment that it is on. Use the credentials of your live account at ${name}.`
      : `For the sandbox: use the credentials for tests that ${name} gives you. Live is set up by itself.`
  if (mode === 'live' && modes.includes('live'))
    return 'For live: your shoppers are offered it from the moment that it is on.'
  return 'For the sandbox only: shoppers of the live shop never see it.'
}
