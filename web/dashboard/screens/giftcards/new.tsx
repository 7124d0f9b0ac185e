import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Field, Textarea } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { useSession } from '../../session.tsx'
import { invalidateQueries } from '../../use-query.ts'
import { endOfDay, LastDay } from '../discounts/code.tsx'
import { type GiftCard, giftCardListView } from './gift-card.ts'

/** Form values as the API takes them. */
export const giftCardPayload = (values: FormValues, zone: string): FormValues => ({
  ...values,
  ...('expires' in values ? { expires: endOfDay(values.expires, zone) } : {}),
})

export const CardNote = () => (
  <Textarea
    name="note"
    label="Note"
    isOptional
    empty="null"
    rows={2}
    maxLength={10_000}
    hint="For your team; shoppers do not see it."
  />
)

export function GiftCardNew() {
  const { route } = useLocation()
  const { merchant } = useSession()
  const zone = merchant.time_zone
  return (
    <Page title="New gift card" back={{ href: giftCardListView.address, label: 'Gift cards' }}>
      <Section title="Gift card" hidesTitle kind="narrow">
        <Form
          submit="Make the gift card"
          onSubmit={(values) => call<GiftCard>('POST', '/v1/giftcards', { body: giftCardPayload(values, zone) })}
          onDone={({ id }) => {
            invalidateQueries('/v1/giftcards')
            showToast('The gift card can be spent')
            route(`/dashboard/giftcards/${id}`)
          }}
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
            isOptional
            empty="leave"
            maxLength={64}
            hint="Whoever knows it can spend it. Without one we make one up that nobody guesses."
          />
          <LastDay />
          <CardNote />
        </Form>
      </Section>
    </Page>
  )
}
