import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Form } from '../../parts/form.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { say } from '../../parts/toast.tsx'
import { useSession } from '../../session.tsx'
import { drop } from '../../use-query.ts'
import { type Discount, leftList } from './discount.ts'
import { DiscountFields, sentOf } from './form.tsx'

export function DiscountNew() {
  const { route } = useLocation()
  const zone = useSession().merchant.time_zone
  return (
    <Page title="New discount" back={{ href: leftList.address, label: 'Discounts' }}>
      <Section title="Discount" hidesTitle kind="narrow">
        <Form
          submit="Make the code"
          onSubmit={(values) => call<Discount>('POST', '/v1/discounts', { body: sentOf(values, zone) })}
          onDone={({ id, code }) => {
            drop('/v1/discounts')
            say(`${code} can be used`)
            route(`/dashboard/discounts/${id}`)
          }}
        >
          <DiscountFields />
        </Form>
      </Section>
    </Page>
  )
}
