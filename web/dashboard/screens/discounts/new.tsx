// A new discount.

import limits from 'limits:discounts.create'
import type { Discount } from '../../../../src/api/discounts/schema.ts'
import { post } from '../../parts/form/change.ts'
import { Form } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { Page, Section } from '../../parts/page/page.tsx'
import { useSession } from '../../session.tsx'
import { withEndOfDay } from './code.tsx'
import { DiscountFields } from './form.tsx'

export function DiscountNew() {
  const zone = useSession().merchant.time_zone
  return (
    <Page title="New discount" back={backTo('/dashboard/discounts', 'Discounts')}>
      <Section title="Discount" hidesTitle kind="narrow">
        <Form
          limits={limits}
          submit="Make the code"
          request={post('/v1/discounts', (values) => withEndOfDay(values, zone))}
          done={({ code }: Discount) => `${code} can be used`}
          leadsTo={({ id }) => `/dashboard/discounts/${id}`}
        >
          <DiscountFields />
        </Form>
      </Section>
    </Page>
  )
}
