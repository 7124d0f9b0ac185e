import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Form } from '../../parts/form/form.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { useSession } from '../../session.tsx'
import { invalidateQueries } from '../../use-query.ts'
import { type Discount, discountListView } from './discount.ts'
import { DiscountFields, discountPayload } from './form.tsx'

export function DiscountNew() {
  const { route } = useLocation()
  const zone = useSession().merchant.time_zone
  return (
    <Page title="New discount" back={{ href: discountListView.address, label: 'Discounts' }}>
      <Section title="Discount" hidesTitle kind="narrow">
        <Form
          submit="Make the code"
          run={(values) => call<Discount>('POST', '/v1/discounts', { body: discountPayload(values, zone) })}
          onDone={({ id, code }) => {
            invalidateQueries('/v1/discounts')
            showToast(`${code} can be used`)
            route(`/dashboard/discounts/${id}`)
          }}
        >
          <DiscountFields />
        </Form>
      </Section>
    </Page>
  )
}
