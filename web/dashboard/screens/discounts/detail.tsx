// One discount: its code, its status and its settings.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Form } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { plural, When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { BigCode } from './code.tsx'
import { type Discount, discountListView, worthText } from './discount.ts'
import { DiscountFields, discountPayload } from './form.tsx'
import { DiscountStatus, usesText } from './list.tsx'

export function DiscountDetail({ id }: ScreenProps) {
  const query = useQuery<Discount>(`/v1/discounts/${id}`)
  const may = useMay()
  const { route } = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const back = { href: discountListView.address, label: 'Discounts' }
  const discount = query.data
  return (
    <Page
      title={discount === undefined ? 'Discount' : `Discount ${discount.code}`}
      back={back}
      aside={discount && <DiscountStatus discount={discount} />}
      actions={
        discount !== undefined &&
        may('discounts.delete') && (
          <Button icon="close" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <Loaded query={query} back={back}>
        {(loaded) => (
          <>
            <Overview discount={loaded} />
            {may('discounts.update') && <Settings discount={loaded} etag={query.etag} />}
            {isDeleting && (
              <DeleteDialog
                discount={loaded}
                onClose={() => setDeleting(false)}
                onDeleted={() => {
                  showToast(`${loaded.code} is deleted`)
                  route(discountListView.address)
                  invalidateQueries('/v1/discounts')
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
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
        submit="Save"
        run={(changes, { ifMatch }) =>
          call('PUT', `/v1/discounts/${discount.id}`, { body: discountPayload(changes, zone), ifMatch })
        }
        onDone={() => {
          invalidateQueries('/v1/discounts')
          showToast('Saved')
        }}
      >
        <DiscountFields discount={discount} />
      </Form>
    </Section>
  )
}

type DeleteProps = { readonly discount: Discount; readonly onClose: () => void; readonly onDeleted: () => void }

function DeleteDialog({ discount, onClose, onDeleted }: DeleteProps) {
  return (
    <ActionDialog
      title={`Delete ${discount.code}`}
      verb="Delete the code"
      isDangerous
      says={[
        'Nobody can use the code any more, in sandbox and live alike.',
        'Carts that have it go on without it, and show the full price.',
        'Orders that were made with it keep their price.',
        'How often it was used is gone with it. To keep the count, set a last day that is over instead.',
      ]}
      run={() => call('DELETE', `/v1/discounts/${discount.id}`)}
      onDone={onDeleted}
      onClose={onClose}
    />
  )
}
