// One gift card: its code, its balance and its ledger.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { useFilters } from '../../parts/list/filters.tsx'
import { Pager } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Money, When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { BigCode, LastDay } from '../discounts/code.tsx'
import type { ListPage } from '../discounts/discount.ts'
import { ENTRY_WORDS, type GiftCard, giftCardListView, type LedgerEntry } from './gift-card.ts'
import { GiftCardStatus } from './list.tsx'
import { CardNote, giftCardPayload } from './new.tsx'

export function GiftCardDetail({ id }: ScreenProps) {
  const query = useQuery<GiftCard>(`/v1/giftcards/${id}`)
  const may = useMay()
  const { route } = useLocation()
  const [open, setOpen] = useState<'balance' | 'delete' | null>(null)
  const back = { href: giftCardListView.address, label: 'Gift cards' }
  const card = query.data
  const close = () => setOpen(null)
  return (
    <Page
      title="Gift card"
      back={back}
      aside={card && <GiftCardStatus card={card} />}
      actions={
        card !== undefined && (
          <>
            {may('giftcards.update') && (
              <Button icon="money" onClick={() => setOpen('balance')}>
                Set the balance
              </Button>
            )}
            {may('giftcards.delete') && (
              <Button icon="close" onClick={() => setOpen('delete')}>
                Delete
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query} back={back}>
        {(loaded) => (
          <>
            <Overview card={loaded} />
            <Ledger cardId={id} />
            {may('giftcards.update') && <Settings card={loaded} etag={query.etag} />}
            {open === 'balance' && <BalanceDialog card={loaded} onClose={close} />}
            {open === 'delete' && (
              <DeleteDialog
                card={loaded}
                onClose={close}
                onDeleted={() => {
                  showToast('The gift card is deleted')
                  route(giftCardListView.address)
                  invalidateQueries('/v1/giftcards')
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Overview({ card }: { card: GiftCard }) {
  const [mode] = useMode()
  return (
    <Section title="Code" hidesTitle>
      <BigCode text={card.code} what="Code" />
      <Facts
        facts={[
          [`Left in ${mode}`, <Money price={card.balance} />],
          ['Value when made', <Money price={card.initial_value} />],
          card.held.raw === 0 ? null : ['Held by payments under way', <Money price={card.held} />],
          ['Until', card.expires === null ? 'No end' : <When at={card.expires} isFull />],
          card.note === null ? null : ['Note', card.note],
          ['Made', <When at={card.created} />],
        ]}
      />
    </Section>
  )
}

function Ledger({ cardId }: { cardId: string }) {
  const filters = useFilters(['page'])
  const query = useQuery<ListPage<LedgerEntry>>(`/v1/giftcards/${cardId}/entries?${filters.query({ limit: '20' })}`, {
    keepsPrevious: true,
  })
  const [mode] = useMode()
  return (
    <Section title={`What happened in ${mode}`} kind="ledger">
      <Loaded query={query} lines={4}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <p class="hint">Nothing was ever on this card in {mode}.</p>
          ) : (
            <>
              <Table
                caption="What happened to the balance"
                rows={data}
                keyOf={({ created, type, balance }) => `${created} ${type} ${balance.raw}`}
                isBusy={query.isLoading}
                columns={[
                  { key: 'what', label: 'What', cell: (entry) => <EntryText entry={entry} /> },
                  { key: 'when', label: 'When', cell: ({ created }) => <When at={created} /> },
                  {
                    key: 'amount',
                    label: 'Amount',
                    cell: ({ amount }) => (
                      <>
                        {amount.raw > 0 && '+'}
                        <Money price={amount} />
                      </>
                    ),
                    isNumber: true,
                    phone: 'aside',
                  },
                  {
                    key: 'left',
                    label: 'Left after it',
                    cell: ({ balance }) => (
                      <>
                        <Money price={balance} />
                        <span class="phone-word"> left</span>
                      </>
                    ),
                    isNumber: true,
                  },
                ]}
              />
              {pagination.total_pages > 1 && (
                <Pager
                  pagination={pagination}
                  things={['entry', 'entries']}
                  hrefOf={(page) => filters.hrefWith({ page: String(page) })}
                />
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function EntryText({ entry: { type, order_id, customer_reference } }: { entry: LedgerEntry }) {
  const [withOrder, without] = ENTRY_WORDS[type]
  if (order_id === null) return <>{without}</>
  return (
    <>
      {withOrder} <a href={`/dashboard/orders/${order_id}`}>{customer_reference}</a>
    </>
  )
}

function Settings({ card, etag }: { card: GiftCard; etag: string | null }) {
  const zone = useSession().merchant.time_zone
  return (
    <Section title="Change it" kind="narrow">
      <Form
        initial={card}
        etag={etag}
        submit="Save"
        onSubmit={(changes, ifMatch) =>
          call('PUT', `/v1/giftcards/${card.id}`, { body: giftCardPayload(changes, zone), ifMatch })
        }
        onDone={() => {
          invalidateQueries('/v1/giftcards')
          showToast('Saved')
        }}
      >
        <Field
          name="code"
          label="Code"
          maxLength={64}
          hint="Once it is changed, the former code pays for nothing any more."
        />
        <LastDay />
        <CardNote />
      </Form>
    </Section>
  )
}

type DialogProps = { readonly card: GiftCard; readonly onClose: () => void }

function BalanceDialog({ card, onClose }: DialogProps) {
  const { merchant } = useSession()
  const [mode] = useMode()
  const other = mode === 'live' ? 'the sandbox' : 'live'
  return (
    <ActionDialog
      title="Set the balance"
      verb="Set the balance"
      says={[
        `What can be spent in ${mode} becomes this much; what is left in ${other} stays.`,
        'It stands in the ledger as set by hand. No money moves.',
      ]}
      run={(body) => call('PUT', `/v1/giftcards/${card.id}`, { body })}
      onDone={() => {
        invalidateQueries('/v1/giftcards')
        showToast('The balance is set')
        onClose()
      }}
      onClose={onClose}
    >
      <Field
        name="balance"
        label="Left on the card"
        isNumber
        isFocused
        unit={merchant.currency}
        value={card.balance.raw}
      />
    </ActionDialog>
  )
}

function DeleteDialog({ card, onClose, onDeleted }: DialogProps & { readonly onDeleted: () => void }) {
  const [mode] = useMode()
  return (
    <ActionDialog
      title={`Delete the gift card ${card.code}`}
      verb="Delete the gift card"
      isDangerous
      says={[
        `What is left on it is gone: ${card.balance.formatted_with_symbol} in ${mode}, and what is left in ${mode === 'live' ? 'the sandbox' : 'live'} too.`,
        'Nobody can pay with it any more. Carts that have it go on without it.',
        'Orders that it paid for stay paid.',
      ]}
      run={() => call('DELETE', `/v1/giftcards/${card.id}`)}
      onDone={onDeleted}
      onClose={onClose}
    />
  )
}
