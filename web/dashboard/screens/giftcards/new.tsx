import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Field, Textarea } from '../../parts/field.tsx'
import { Form, type Values } from '../../parts/form.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { say } from '../../parts/toast.tsx'
import { useSession } from '../../session.tsx'
import { drop } from '../../use-query.ts'
import { endOf, LastDay } from '../discounts/code.tsx'
import { type GiftCard, leftList } from './gift-card.ts'

/** Form values as the API takes them. */
export const sentOf = (values: Values, zone: string): Values => ({
  ...values,
  ...('expires' in values ? { expires: endOf(values.expires, zone) } : {}),
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
    <Page title="New gift card" back={{ href: leftList.address, label: 'Gift cards' }}>
      <Section title="Gift card" hidesTitle kind="narrow">
        <Form
          submit="Make the gift card"
          onSubmit={(values) => call<GiftCard>('POST', '/v1/giftcards', { body: sentOf(values, zone) })}
          onDone={({ id }) => {
            drop('/v1/giftcards')
            say('The gift card can be spent')
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
