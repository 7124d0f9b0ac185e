// Mail settings: mails that are sent, their previews, a test mail, and the outbox.

import limits from 'limits:developer.test_mail'
import { useState } from 'preact/hooks'
import type { MailSetup, TestMail } from '../../../../src/api/developer/mails.ts'
import { post } from '../../parts/form/change.ts'
import { Checkbox, Field, Select } from '../../parts/form/field.tsx'
import { Form, valueAtPath } from '../../parts/form/form.tsx'
import { DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, Loaded, Note, Page, Section } from '../../parts/page/page.tsx'
import { None } from '../../parts/show/values.tsx'
import { useMay, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { KINDS } from './mail-kinds.ts'
import { MailPreviewDialog } from './mail-preview.tsx'
import { FieldSection, MerchantForm } from './merchant.tsx'
import { Outbox } from './outbox.tsx'

export function MailSettingsScreen() {
  const setup = useQuery<MailSetup>('/v1/developer/mail')
  const may = useMay()
  return (
    <Page title="Mail" intro="What your customers and you are told by mail.">
      <Loaded of={setup} lines={3}>
        {(data) => (
          <>
            <Sender setup={data} />
            {data.is_sent && may('developer.test_mail') && <TestMailSection />}
          </>
        )}
      </Loaded>
      <MailChoice />
      <Outbox isSent={setup.data?.is_sent ?? false} />
    </Page>
  )
}

function Sender({ setup }: { setup: MailSetup }) {
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

function MailChoice() {
  const list = (to: 'customer' | 'merchant') => (
    <ul class="ruled">
      {KINDS.filter(({ setting }) => setting.split('.')[1] === to).map(
        ({ kind, setting, name, label = name, hint }) => (
          <li key={kind} class="row apart">
            <Checkbox name={setting} label={label} hint={hint} />
            <DialogButton
              words="Preview"
              isSmall
              permission="developer.preview_mail"
              label={`Preview: ${label}`}
              dialog={(close) => <MailPreviewDialog kind={kind} onClose={close} />}
            />
          </li>
        ),
      )}
    </ul>
  )
  return (
    <MerchantForm
      facts={(merchant) =>
        KINDS.map(({ setting, name, label = name }) => [
          label,
          valueAtPath(merchant, setting) === true ? 'sent' : 'not sent',
        ])
      }
    >
      {() => (
        <>
          <Section title="To your customers">{list('customer')}</Section>
          <FieldSection title="To you">
            {list('merchant')}
            <Field
              name="notifications.merchant.email"
              label="Send them to"
              type="email"
              hint="Empty: to the shop’s e-mail for customers."
            />
          </FieldSection>
        </>
      )}
    </MerchantForm>
  )
}

function TestMailSection() {
  const { account } = useSession()
  const [result, setResult] = useState<TestMail | null>(null)
  return (
    <Section title="Test mail">
      <p class="hint">Tries the mail server now, and says what it answers. Marked as a test; 20 an hour at most.</p>
      <Form
        submit="Send a test mail"
        limits={limits}
        request={post('/v1/developer/test-mail')}
        onBusy={() => setResult(null)}
        onDone={setResult}
      >
        <div class="columns">
          <Field name="to" label="To" type="email" value={account.email} autocomplete="email" />
          <Select
            name="kind"
            label="Which mail"
            options={[['test', 'A plain test'], ...KINDS.map(({ kind, name }) => [kind, name] as const)]}
          />
        </div>
      </Form>
      <div role="status">
        {result !== null && <Note tone={result.is_sent ? 'good' : 'bad'} says={`To ${result.to}: ${result.message}`} />}
      </div>
    </Section>
  )
}
