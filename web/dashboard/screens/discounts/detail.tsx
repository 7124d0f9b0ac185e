// One discount: its code, its status and its settings.

import limits from 'limits:discounts.update'
import type { Discount } from '../../../../src/api/discounts/schema.ts'
import { del, put } from '../../parts/form/change.ts'
import { Form } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { Facts, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { plural, When } from '../../parts/show/values.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { BigCode, withEndOfDay } from './code.tsx'
import { worthText } from './discount.ts'
import { DiscountFields } from './form.tsx'
import { DiscountStatus, usesText } from './list.tsx'

export function DiscountDetail({ id }: ScreenProps) {
  const query = useQuery<Discount>(`/v1/discounts/${id}`)
  const may = useMay()
  return (
    <ObjectPage
      of={query}
      title={query.data === undefined ? 'Discount' : `Discount ${query.data.code}`}
      back={backTo('/dashboard/discounts', 'Discounts')}
      aside={(discount) => <DiscountStatus discount={discount} />}
      actions={(discount) => (
        <DialogButton
          words="Delete"
          icon="close"
          permission="discounts.delete"
          dialog={(close) => <DeleteDialog discount={discount} onClose={close} />}
        />
      )}
    >
      {(discount, etag) => (
        <>
          <Overview discount={discount} />
          {may('discounts.update') && <Settings discount={discount} etag={etag} />}
        </>
      )}
    </ObjectPage>
  )
}

function Overview({ discount }: { discount: Discount }) {
  const { merchant } = useSession()
  const [mode] = useMode()
  return (
    <Section title="Code" hidesTitle>
      <BigCode text={discount.code} what="Code" />
      <Facts
        facts={[
          ['Takes off', worthText(discount, merchant.currency)],
          [`Uses in ${mode}`, usesText(discount)],
          ['Until', discount.expires === null ? 'No end' : <When at={discount.expires} isFull />],
          ['For', discount.product_ids.length === 0 ? 'Every product' : plural(discount.product_ids.length, 'product')],
          discount.description === null ? null : ['What it is for', discount.description],
          ['Made', <When at={discount.created} />],
        ]}
      />
    </Section>
  )
}

function Settings({ discount, etag }: { discount: Discount; etag: string | null }) {
  const zone = useSession().merchant.time_zone
  return (
    <Section title="Change it" kind="narrow">
      <Form
        initial={discount}
        etag={etag}
        limits={limits}
        submit="Save"
        request={put(`/v1/discounts/${discount.id}`, (changes) => withEndOfDay(changes, zone))}
        done="Saved"
      >
        <DiscountFields discount={discount} />
      </Form>
    </Section>
  )
}

function DeleteDialog({ discount, onClose }: { discount: Discount; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Delete ${discount.code}`}
      verb="Delete the code"
      says={[
        'Nobody can use the code any more, in sandbox and live alike.',
        'Carts that have it go on without it, and show the full price.',
        'Orders that were made with it keep their price.',
        'How often it was used is gone with it. To keep the count, set a last day that is over instead.',
      ]}
      request={del(`/v1/discounts/${discount.id}`)}
      done={`${discount.code} is deleted`}
      leadsTo={backTo('/dashboard/discounts', 'Discounts').href}
      onClose={onClose}
    />
  )
}
