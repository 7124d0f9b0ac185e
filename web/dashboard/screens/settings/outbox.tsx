// The outbox: mails that were stored instead of sent. A list on the mail screen, and a page for one mail.

import type { DeveloperMail } from '../../../../src/api/developer/routes.ts'
import { ListTable, useList } from '../../parts/list/list.tsx'
import { Facts, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay, useMode } from '../../session.tsx'
import { kindName } from './mail-kinds.ts'
import { MailBody } from './mail-preview.tsx'
import { FieldSection } from './merchant.tsx'

export function Outbox({ isSent }: { isSent: boolean }) {
  const may = useMay()
  const [mode] = useMode()
  if (!may('developer.list_mails')) return null
  return (
    <Section title="Outbox">
      {mode === 'sandbox' ? (
        <StoredMails isSent={isSent} />
      ) : (
        <p>
          Mails of the live shop are kept nowhere: their links would open what your customers have bought. Switch to the
          sandbox to read the mails of test orders.
        </p>
      )}
    </Section>
  )
}

function StoredMails({ isSent }: { isSent: boolean }) {
  const mails = useList<DeveloperMail>('/v1/developer/outbox', ['page'], { limit: 20 })
  return (
    <ListTable
      list={mails}
      isPart
      caption="Outbox"
      things={['mail', 'mails']}
      hrefOf={({ id }) => `/dashboard/settings/mail/${id}`}
      empty={{
        title: 'No mails',
        text: (
          <p>
            {isSent
              ? 'Nothing was kept: mails are sent, also those of the sandbox.'
              : 'No mail in the last seven days. Buy something in the sandbox, and its receipt stands here.'}
          </p>
        ),
      }}
      columns={[
        { label: 'Subject', cell: ({ subject }) => subject },
        { label: 'Mail', cell: ({ kind }) => kindName(kind) },
        { label: 'To', cell: ({ to }) => to },
        { label: 'Kept', cell: ({ created }) => <When at={created} />, phone: 'aside' },
      ]}
    />
  )
}

export function OutboxMail({ id }: ScreenProps) {
  return (
    <ObjectPage<DeveloperMail>
      of={`/v1/developer/outbox/${id}`}
      title={({ subject }) => subject}
      untitled="Mail"
      back={{ href: '/dashboard/settings/mail', label: 'Mail' }}
    >
      {({ to, from, kind, created, subject, text }) => (
        <FieldSection title="As it was kept">
          <Facts
            facts={[
              ['To', to],
              ['From', from],
              ['Mail', kindName(kind)],
              ['Kept', <When key="when" at={created} isFull />],
            ]}
          />
          <MailBody title={subject} src={`/dashboard/api/mails/outbox/${id}`} text={text} />
        </FieldSection>
      )}
    </ObjectPage>
  )
}
