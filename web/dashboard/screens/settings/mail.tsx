// Mail settings: mails that are sent, their previews, a test mail, and the outbox.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Checkbox, Field, Select } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Facts, Note, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { None } from '../../parts/show/values.tsx'
import { useMay, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { KINDS, type MailKind } from './mail-kinds.ts'
import { MailPreviewDialog } from './mail-preview.tsx'
import { MerchantForm } from './merchant.tsx'
import { Outbox } from './outbox.tsx'

type Setup = {
  readonly is_sent: boolean
  readonly from: string | null
  readonly from_name: string
  readonly reply_to: string | null
  readonly merchant_email: string | null
}

export function MailSettingsScreen() {
  const setup = useQuery<Setup>('/v1/developer/mail')
  const [previewKind, setPreviewKind] = useState<MailKind | null>(null)
  const may = useMay()
  return (
    <Page title="Mail" intro="What your customers and you are told by mail.">
      <Loaded query={setup} lines={3}>
        {(data) => (
          <>
            <Sender setup={data} />
            {data.is_sent && may('developer.test_mail') && <TestMail />}
          </>
        )}
      </Loaded>
      <MailChoice onPreview={setPreviewKind} />
      <Outbox isSent={setup.data?.is_sent ?? false} />
      {previewKind !== null && <MailPreviewDialog kind={previewKind} onClose={() => setPreviewKind(null)} />}
    </Page>
  )
}

function Sender({ setup }: { setup: Setup }) {
  if (!setup.is_sent)
    return (
      <Note tone="open">
        <p>
          <strong>No mail is sent: this service has no mail server.</strong> Therefore:
        </p>
        <ul>
          <li>Customers of the live shop get no receipts, and hear of no parcels, refunds and cancellations.</li>
          <li>Customers cannot log in by a mailed link.</li>
          <li>You hear of new orders here alone.</li>
          <li>Who forgets the password of this dashboard, or is invited to it, is sent no link.</li>
        </ul>
        <p>
          Whoever runs the service sets <code>SMTP_URL</code> and <code>MAIL_FROM</code>. Until then the mails of the
          sandbox are kept below for you to read.
        </p>
      </Note>
    )
  return (
    <Section title="Sender">
      <Facts
        facts={[
          ['Mails come from', `${setup.from_name} <${setup.from ?? ''}>`],
          ['Answers go to', setup.reply_to ?? <None key="none" says="nowhere" />],
          ['Mails to you go to', setup.merchant_email ?? <None key="own" says="nowhere" />],
        ]}
      />
      <p class="hint">
        The name and where answers go are under <a href="/dashboard/settings/shop">Shop</a>; the sending address is that
        of the service.
      </p>
    </Section>
  )
}

function MailChoice({ onPreview }: { onPreview: (kind: MailKind) => void }) {
  const may = useMay()
  const list = (to: 'customer' | 'merchant') => (
    <ul class="mail-kinds">
      {KINDS.filter((kind) => kind.to === to).map(({ kind, setting, label, hint }) => (
        <li key={kind}>
          <Checkbox name={setting} label={label} hint={hint} />
          {may('developer.preview_mail') && (
            <Button isSmall label={`Preview: ${label}`} onClick={() => onPreview(kind)}>
              Preview
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <MerchantForm
      facts={({ notifications }) =>
        KINDS.map(({ setting, label }) => {
          const [, to = '', name = ''] = setting.split('.')
          const group = notifications[to as 'customer' | 'merchant'] as Readonly<Record<string, unknown>>
          return [label, group[name] === true ? 'sent' : 'not sent'] as const
        })
      }
    >
      {() => (
        <>
          <Section title="To your customers">{list('customer')}</Section>
          <Section title="To you">
            <div class="form">
              {list('merchant')}
              <Field
                name="notifications.merchant.email"
                label="Send them to"
                type="email"
                isOptional
                empty="null"
                maxLength={320}
                hint="Empty: to the shop’s e-mail for customers."
              />
            </div>
          </Section>
        </>
      )}
    </MerchantForm>
  )
}

type TestResult = { readonly to: string; readonly is_sent: boolean; readonly message: string }

function TestMail() {
  const { account } = useSession()
  const [result, setResult] = useState<TestResult | null>(null)
  return (
    <Section title="Test mail">
      <p class="hint">Tries the mail server now, and says what it answers. Marked as a test; 20 an hour at most.</p>
      <Form
        submit="Send a test mail"
        run={(body) => {
          setResult(null)
          return call<TestResult>('POST', '/v1/developer/test-mail', { body })
        }}
        onDone={setResult}
      >
        <div class="columns">
          <Field name="to" label="To" type="email" value={account.email} maxLength={320} autocomplete="email" />
          <Select
            name="kind"
            label="Which mail"
            options={[['test', 'A plain test'], ...KINDS.map(({ kind, name }) => [kind, name] as const)]}
          />
        </div>
      </Form>
      <div role="status">
        {result !== null && (
          <Note tone={result.is_sent ? 'good' : 'bad'}>
            <p>
              To {result.to}: {result.message}
            </p>
          </Note>
        )}
      </div>
    </Section>
  )
}
