// The outbox: mails that were stored instead of sent. A list on the mail screen, and a page for one mail.

import { useFilters } from '../../parts/list/filters.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay, useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { kindName } from './mail-kinds.ts'
import { MailBody } from './mail-preview.tsx'

type StoredMail = {
  readonly id: string
  readonly kind: string
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly created: number
}

type Listed = ListPage<StoredMail>

const BACK = { href: '/dashboard/settings/mail', label: 'Mail' }

export function Outbox({ isSent }: { isSent: boolean }) {
  const filters = useFilters(['page'])
  const may = useMay()
  const [mode] = useMode()
  const isShown = mode === 'sandbox' && may('developer.list_mails')
  const query = useQuery<Listed>(isShown ? `/v1/developer/outbox?${filters.query({ limit: '20' })}` : null, {
    keepsPrevious: true,
  })
  if (!may('developer.list_mails')) return null
  return (
    <Section title="Outbox">
      {!isShown ? (
        <p>
          Mails of the live shop are kept nowhere: their links would open what your customers have bought. Switch to the
          sandbox to read the mails of test orders.
        </p>
      ) : (
        <Loaded query={query}>
          {({ data, meta: { pagination } }) =>
            data.length === 0 ? (
              <p>
                {isSent
                  ? 'Nothing was kept: mails are sent, also those of the sandbox.'
                  : 'No mail in the last seven days. Buy something in the sandbox, and its receipt stands here.'}
              </p>
            ) : (
              <>
                <Table
                  caption="Outbox"
                  rows={data}
                  keyOf={({ id }) => id}
                  hrefOf={({ id }) => `/dashboard/settings/mail/${id}`}
                  isBusy={query.isLoading}
                  columns={[
                    { label: 'Subject', cell: ({ subject }) => subject },
                    { label: 'Mail', cell: ({ kind }) => kindName(kind) },
                    { label: 'To', cell: ({ to }) => to },
                    { label: 'Kept', cell: ({ created }) => <When at={created} />, phone: 'aside' },
                  ]}
                />
                {pagination.total_pages > 1 && (
                  <div class="section-foot">
                    <Pager
                      pagination={pagination}
                      things={['mail', 'mails']}
                      hrefOf={(page) => filters.hrefWith({ page: String(page) })}
                    />
                  </div>
                )}
              </>
            )
          }
        </Loaded>
      )}
    </Section>
  )
}

export function OutboxMail({ id }: ScreenProps) {
  const query = useQuery<StoredMail>(`/v1/developer/outbox/${id}`)
  return (
    <Page title={query.data?.subject ?? 'Mail'} back={BACK}>
      <Loaded query={query} back={BACK}>
        {(mail) => (
          <Section title="As it was kept">
            <div class="form">
              <Facts
                facts={[
                  ['To', mail.to],
                  ['From', mail.from],
                  ['Mail', kindName(mail.kind)],
                  ['Kept', <When key="when" at={mail.created} isFull />],
                ]}
              />
              <MailBody title={mail.subject} src={`/dashboard/api/mails/outbox/${id}`} text={mail.text} />
            </div>
          </Section>
        )}
      </Loaded>
    </Page>
  )
}
