// Sets up a payment method, with the fields that its gateway declares.

import type { GatewayRecord, GatewayType } from '../../../../src/api/payment-methods/schema.ts'
import { post } from '../../parts/form/change.ts'
import { Form } from '../../parts/form/form.tsx'
import { Note, NotFound, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { useMode } from '../../session.tsx'
import { GatewayFields, gatewayPayload } from './fields.tsx'
import { BACK, LIST, useGatewayTypes } from './gateway.ts'

/** `id` is the code of the gateway. */
export function PaymentSetUp({ id: code }: ScreenProps) {
  const query = useGatewayTypes()
  const type = query.data?.data.find((each) => each.code === code)
  return (
    <ObjectPage
      of={query}
      title={type === undefined ? 'Way to pay' : `Set up ${type.name}`}
      back={BACK}
      intro={() => type?.description}
    >
      {() => (type === undefined ? <NotFound back={BACK} /> : <SetUp type={type} />)}
    </ObjectPage>
  )
}

function SetUp({ type }: { type: GatewayType }) {
  const [mode] = useMode()
  return (
    <Section title="Settings" hidesTitle kind="narrow">
      <Form
        submit={`Switch on ${type.name}`}
        request={post('/v1/gateways', (values) => ({ code: type.code, ...gatewayPayload(values) }))}
        done={`${type.name} is on`}
        // The next screen checks the credentials with the provider.
        leadsTo={({ id }: GatewayRecord) => `${LIST}/${id}${type.has_credentials ? '?check=1' : ''}`}
      >
        <Note tone={mode === 'live' && type.modes.includes('live') ? 'open' : 'calm'} says={whereText(type, mode)} />
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
