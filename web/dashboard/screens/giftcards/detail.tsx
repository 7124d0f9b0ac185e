// One gift card: its code, its balance and its ledger.

import limits from 'limits:giftcards.update'
import type { GiftCard, GiftCardEntry } from '../../../../src/api/gift-cards/schema.ts'
import { del, put } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { ListTable, useList } from '../../parts/list/list.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { Money, When } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { BigCode, LastDay, withEndOfDay } from '../discounts/code.tsx'
import { ENTRY_WORDS } from './gift-card.ts'
import { GiftCardStatus } from './list.tsx'
import { CardNote } from './new.tsx'

export function GiftCardDetail({ id }: ScreenProps) {
  const may = useMay()
  return (
    <ObjectPage<GiftCard>
      of={`/v1/giftcards/${id}`}
      title="Gift card"
      back={backTo('/dashboard/giftcards', 'Gift cards')}
      aside={(card) => <GiftCardStatus card={card} />}
      actions={(card) => (
        <>
          <DialogButton
            words="Set the balance"
            icon="money"
            permission="giftcards.update"
            dialog={(close) => <BalanceDialog card={card} onClose={close} />}
          />
          <DialogButton
            words="Delete"
            icon="close"
            permission="giftcards.delete"
            dialog={(close) => <DeleteDialog card={card} onClose={close} />}
          />
        </>
      )}
    >
      {(card, etag) => (
        <>
          <Overview card={card} />
          <Ledger cardId={id} />
          {may('giftcards.update') && <Settings card={card} etag={etag} />}
        </>
      )}
    </ObjectPage>
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
  const entries = useList<GiftCardEntry>(`/v1/giftcards/${cardId}/entries`, ['page'], { limit: 20 })
  const [mode] = useMode()
  return (
    <Section title={`What happened in ${mode}`} kind="ledger">
      <ListTable
        list={entries}
        isPart
        lines={4}
        caption="What happened to the balance"
        things={['entry', 'entries']}
        empty={{ title: `Nothing was ever on this card in ${mode}.` }}
        keyOf={({ created, type, balance }) => `${created} ${type} ${balance.raw}`}
        columns={[
          { label: 'What', cell: (entry) => <EntryText entry={entry} /> },
          { label: 'When', cell: ({ created }) => <When at={created} /> },
          {
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
    </Section>
  )
}

function EntryText({ entry: { type, order_id, customer_reference } }: { entry: GiftCardEntry }) {
  const [withOrder, without] = ENTRY_WORDS[type]
  if (order_id === null) return <>{without}</>
  return (
    <>
      {withOrder} <a href={`/dashboard/orders/${order_id}`}>{customer_reference}</a>
    </>
  )
}

function Settings({ card, etag }: { card: GiftCard; etag: string | null }) {
  const { time_zone } = useSession().merchant
  return (
    <Section title="Change it" kind="narrow">
      <Form
        initial={card}
        etag={etag}
        limits={limits}
        submit="Save"
        request={put(`/v1/giftcards/${card.id}`, (changes) => withEndOfDay(changes, time_zone))}
        done="Saved"
      >
        <Field name="code" label="Code" hint="Once it is changed, the former code pays for nothing any more." />
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
      request={put(`/v1/giftcards/${card.id}`)}
      done="The balance is set"
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

function DeleteDialog({ card, onClose }: DialogProps) {
  const [mode] = useMode()
  return (
    <ActionDialog
      title={`Delete the gift card ${card.code}`}
      verb="Delete the gift card"
      says={[
        `What is left on it is gone: ${card.balance.formatted_with_symbol} in ${mode}, and what is left in ${mode === 'live' ? 'the sandbox' : 'live'} too.`,
        'Nobody can pay with it any more. Carts that have it go on without it.',
        'Orders that it paid for stay paid.',
      ]}
      request={del(`/v1/giftcards/${card.id}`)}
      done="The gift card is deleted"
      leadsTo={backTo('/dashboard/giftcards', 'Gift cards').href}
      onClose={onClose}
    />
  )
}
