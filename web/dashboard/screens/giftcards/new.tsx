// A new gift card, and the fields that its page has too.

import limits from 'limits:giftcards.create'
import type { GiftCard } from '../../../../src/api/gift-cards/schema.ts'
import { post } from '../../parts/form/change.ts'
import { Field, Textarea } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { Page, Section } from '../../parts/page/page.tsx'
import { useSession } from '../../session.tsx'
import { LastDay, withEndOfDay } from '../discounts/code.tsx'

export const CardNote = () => (
  <Textarea name="note" label="Note" rows={2} hint="For your team; shoppers do not see it." />
)

export function GiftCardNew() {
  const { merchant } = useSession()
  return (
    <Page title="New gift card" back={backTo('/dashboard/giftcards', 'Gift cards')}>
      <Section title="Gift card" hidesTitle kind="narrow">
        <Form
          limits={limits}
          submit="Make the gift card"
          request={post('/v1/giftcards', (values) => withEndOfDay(values, merchant.time_zone))}
          done="The gift card can be spent"
          leadsTo={({ id }: GiftCard) => `/dashboard/giftcards/${id}`}
        >
          <Field
            name="value"
            label="Value"
            isNumber
            isFocused
            unit={merchant.currency}
            hint="So much can be spent in sandbox and in live: a card can be tried out without spending it."
          />
          <Field
            name="code"
            label="Code"
            empty="leave"
            hint="Whoever knows it can spend it. Without one we make one up that nobody guesses."
          />
          <LastDay />
          <CardNote />
        </Form>
      </Section>
    </Page>
  )
}
