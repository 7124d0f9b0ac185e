// One customer: details, orders and addresses.

import addressLimits from 'limits:customers.create_address'
import limits from 'limits:customers.update'
import type { Customer, CustomerAddress } from '../../../../src/api/customers/schema.ts'
import type { Order } from '../../../../src/api/orders/schema.ts'
import type { Spending } from '../../../../src/api/reports/schema.ts'
import { del, post, put } from '../../parts/form/change.ts'
import { Checkbox, Field } from '../../parts/form/field.tsx'
import { AddressFields } from '../../parts/form/places.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { type List, type ListPage, ListTable, useList } from '../../parts/list/list.tsx'
import { CopyButton } from '../../parts/page/button.tsx'
import { ActionDialog, DialogButton, FormDialog } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Facts, Loaded, ObjectPage, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { Badge, Money, plural, When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { PostalAddressView } from '../orders/people.tsx'
import { OrderDeliveryBadge, PaymentState } from '../orders/states.tsx'
import { fullCustomerName } from './customer.ts'

export function CustomerDetail({ id }: ScreenProps) {
  const orders = useList<Order>(`/v1/customers/${id}/orders`, ['page'], { limit: 20 })
  const spending = useSpending(id)
  return (
    <ObjectPage<Customer>
      of={`/v1/customers/${id}`}
      title={fullCustomerName}
      untitled="Customer"
      back={backTo('/dashboard/customers', 'Customers')}
      lines={8}
      actions={(customer) => (
        <>
          <DialogButton
            words="Edit"
            permission="customers.update"
            dialog={(close) => <EditDialog customer={customer} onClose={close} />}
          />
          <Menu
            label="More actions"
            entries={[
              {
                label: 'Erase the customer',
                icon: 'close',
                isDangerous: true,
                permission: 'customers.delete',
                dialog: (close) => <EraseDialog customer={customer} onClose={close} />,
              },
            ]}
          />
        </>
      )}
    >
      {(customer) => (
        <>
          <Section title="Customer" hidesTitle>
            <Facts
              facts={[
                [
                  'E-mail',
                  <span class="row tight" key="email">
                    <a href={`mailto:${customer.email}`}>{customer.email}</a>
                    <CopyButton text={customer.email} what="E-mail address" />
                  </span>,
                ],
                customer.phone === null ? null : ['Phone', customer.phone],
                ['Since', <When key="since" at={customer.created} />],
                orders.query.data === undefined ? null : ['Orders', plural(orders.total, 'order')],
                spending === null ? null : ['Spent in all', spending],
                customer.external_id === null ? null : ['Your own id', <code key="id">{customer.external_id}</code>],
              ]}
            />
          </Section>
          <Orders orders={orders} />
          <Addresses customerId={id} />
        </>
      )}
    </ObjectPage>
  )
}

/** Spending in each currency, minus refunds. Null if it is unknown, or if the reader may not see it. */
function useSpending(id: string) {
  const may = useMay()
  const { data } = useQuery<Spending>(may('customers.get_spending') ? `/v1/customers/${id}/spending` : null)
  if (data === undefined) return null
  if (data.data.length === 0) return 'Nothing yet'
  return data.data.map(({ spent }) => spent.formatted_with_symbol).join(' · ')
}

function Orders({ orders }: { orders: List<Order> }) {
  return (
    <Section title="Orders">
      <ListTable
        list={orders}
        isPart
        lines={4}
        caption="Orders of this customer"
        things={['order', 'orders']}
        empty={{ title: 'This customer has not ordered anything.' }}
        hrefOf={({ id }) => `/dashboard/orders/${id}`}
        columns={[
          { label: 'Order', cell: (order) => order.customer_reference },
          { label: 'Placed', cell: (order) => <When at={order.created} /> },
          { label: 'Payment', cell: (order) => <PaymentState order={order} /> },
          { label: 'Delivery', cell: (order) => <OrderDeliveryBadge order={order} /> },
          { label: 'Total', cell: (order) => <Money price={order.order_value} />, isNumber: true, phone: 'aside' },
        ]}
      />
    </Section>
  )
}

function Addresses({ customerId }: { customerId: string }) {
  const path = `/v1/customers/${customerId}/addresses`
  return (
    <Section
      title="Addresses"
      actions={
        <DialogButton
          words="Add"
          isSmall
          icon="plus"
          permission="customers.create_address"
          dialog={(close) => <AddressDialog path={path} address={null} onClose={close} />}
        />
      }
    >
      <Loaded<ListPage<CustomerAddress>>
        of={`${path}?limit=100`}
        lines={3}
        ifEmpty={<p class="hint">No address is kept. Each order has its own.</p>}
      >
        {({ data }) => (
          <ul class="book">
            {data.map((address) => (
              <li key={address.id} class="stack tight">
                <PostalAddressView address={address} canCopy />
                <p class="acts">
                  {address.default_shipping && <Badge>Ships here</Badge>}
                  {address.default_billing && <Badge>Billed here</Badge>}
                </p>
                <AddressActions path={path} address={address} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

function AddressActions({ path, address }: { path: string; address: CustomerAddress }) {
  return (
    <p class="acts">
      <DialogButton
        words="Edit"
        isSmall
        permission="customers.update_address"
        dialog={(close) => <AddressDialog path={path} address={address} onClose={close} />}
      />
      <DialogButton
        words="Delete"
        isSmall
        kind="quiet"
        permission="customers.delete_address"
        dialog={(close) => (
          <ActionDialog
            title="Delete the address"
            verb="Delete the address"
            says={['Takes it out of the customer’s book. Orders keep the address they were made with.']}
            request={del(`${path}/${address.id}`)}
            done="Address deleted"
            onClose={close}
          />
        )}
      />
    </p>
  )
}

type AddressProps = {
  readonly path: string
  /** Null for a new one. */
  readonly address: CustomerAddress | null
  readonly onClose: () => void
}

function AddressDialog({ path, address, onClose }: AddressProps) {
  const words =
    address === null
      ? { title: 'Add an address', submit: 'Add the address', done: 'Address added', request: post(path) }
      : {
          title: 'Edit the address',
          submit: 'Save',
          done: 'Saved',
          request: put(`${path}/${address.id}`),
          initial: address,
        }
  return (
    <FormDialog {...words} limits={addressLimits} onClose={onClose}>
      <AddressFields />
      <Checkbox name="default_shipping" label="Ships here unless said otherwise" />
      <Checkbox name="default_billing" label="Billed here unless said otherwise" />
    </FormDialog>
  )
}

type CustomerDialogProps = { readonly customer: Customer; readonly onClose: () => void }

function EditDialog({ customer, onClose }: CustomerDialogProps) {
  return (
    <FormDialog
      title={`Edit ${fullCustomerName(customer)}`}
      initial={customer}
      limits={limits}
      submit="Save"
      request={put(`/v1/customers/${customer.id}`)}
      done="Saved"
      onClose={onClose}
    >
      <p class="hint">Orders that were made keep the name and the address they were made with.</p>
      <Field name="email" label="E-mail" type="email" />
      <Field name="firstname" label="First name" />
      <Field name="lastname" label="Last name" />
      <Field name="phone" label="Phone" type="tel" />
      <Field name="external_id" label="Your own id" hint="Of this customer in another system." />
    </FormDialog>
  )
}

function EraseDialog({ customer, onClose }: CustomerDialogProps) {
  return (
    <ActionDialog
      title={`Erase ${fullCustomerName(customer)}`}
      verb="Erase the customer"
      says={[
        'Deletes name, e-mail address, phone and all addresses of this record, and ends its logins.',
        'Orders stay, with the name and the addresses they were made with: your books need them.',
        'No money moves, and nobody gets a mail. It cannot be taken back.',
      ]}
      request={del(`/v1/customers/${customer.id}`)}
      done="Customer erased"
      leadsTo={backTo('/dashboard/customers', 'Customers').href}
      onClose={onClose}
    />
  )
}
