// One customer: details, orders and addresses.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { AddressFields } from '../../parts/form/address-fields.tsx'
import { Checkbox, Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { useFilters } from '../../parts/list/filters.tsx'
import { Pager, type PagerPages } from '../../parts/list/pager.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { ActionDialog, Dialog } from '../../parts/page/dialog.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Facts, Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Badge, Money, type Price, plural, When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import type { Order } from '../orders/order.ts'
import { PostalAddressView } from '../orders/people.tsx'
import { OrderDeliveryBadge, PaymentState } from '../orders/states.tsx'
import { type BookAddress, type Customer, customerListView, fullCustomerName } from './customer.ts'

type Listed<T> = { readonly data: readonly T[]; readonly meta: { readonly pagination: PagerPages } }

export function CustomerDetail({ id }: ScreenProps) {
  const query = useQuery<Customer>(`/v1/customers/${id}`)
  const back = { href: customerListView.address, label: 'Customers' }
  const customer = query.data
  if (customer === undefined)
    return (
      <Page title="Customer" back={back}>
        <Loaded query={query} back={back} lines={8}>
          {() => null}
        </Loaded>
      </Page>
    )
  return <CustomerPage customer={customer} back={back} />
}

type CustomerPageProps = {
  readonly customer: Customer
  readonly back: { readonly href: string; readonly label: string }
}

function CustomerPage({ customer, back }: CustomerPageProps) {
  const may = useMay()
  const [open, setOpen] = useState<'edit' | 'erase' | null>(null)
  const orders = useOrders(customer.id)
  const spending = useSpending(customer.id)
  return (
    <Page
      title={fullCustomerName(customer)}
      back={back}
      actions={
        <>
          {may('customers.update') && <Button onClick={() => setOpen('edit')}>Edit</Button>}
          {may('customers.delete') && (
            <Menu
              label="More actions"
              entries={[
                { label: 'Erase the customer', icon: 'close', isDangerous: true, onPress: () => setOpen('erase') },
              ]}
            />
          )}
        </>
      }
    >
      <Section title="Customer" hidesTitle>
        <Facts
          facts={[
            [
              'E-mail',
              <span class="with-copy" key="email">
                <a href={`mailto:${customer.email}`}>{customer.email}</a>
                <CopyButton text={customer.email} what="E-mail address" />
              </span>,
            ],
            customer.phone === null ? null : ['Phone', customer.phone],
            ['Since', <When key="since" at={customer.created} />],
            orders.data === undefined ? null : ['Orders', plural(orders.data.meta.pagination.total, 'order')],
            spending === null ? null : ['Spent in all', spending],
            customer.external_id === null ? null : ['Your own id', <code key="id">{customer.external_id}</code>],
          ]}
        />
      </Section>
      <Orders query={orders} />
      <Addresses customerId={customer.id} />
      {open === 'edit' && <EditDialog customer={customer} onClose={() => setOpen(null)} />}
      {open === 'erase' && <EraseDialog customer={customer} onClose={() => setOpen(null)} />}
    </Page>
  )
}

type Spending = { readonly data: readonly { readonly spent: Price }[] }

/** Spending in each currency, minus refunds. Null if it is unknown, or if the reader may not see it. */
function useSpending(id: string) {
  const may = useMay()
  const { data } = useQuery<Spending>(may('customers.get_spending') ? `/v1/customers/${id}/spending` : null)
  if (data === undefined) return null
  if (data.data.length === 0) return 'Nothing yet'
  return data.data.map(({ spent }) => spent.formatted_with_symbol).join(' · ')
}

function useOrders(id: string) {
  const filters = useFilters(['page'])
  const query = useQuery<Listed<Order>>(`/v1/customers/${id}/orders?${filters.query({ limit: '20' })}`, {
    keepsPrevious: true,
  })
  return { ...query, hrefOf: (page: number) => filters.hrefWith({ page: String(page) }) }
}

function Orders({ query }: { query: ReturnType<typeof useOrders> }) {
  return (
    <Section title="Orders">
      <Loaded query={query} lines={4}>
        {({ data, meta: { pagination } }) =>
          data.length === 0 ? (
            <p class="hint">This customer has not ordered anything.</p>
          ) : (
            <>
              <Table
                caption="Orders of this customer"
                rows={data}
                keyOf={({ id }) => id}
                hrefOf={({ id }) => `/dashboard/orders/${id}`}
                isBusy={query.isLoading}
                columns={[
                  { key: 'number', label: 'Order', cell: (order) => order.customer_reference },
                  { key: 'when', label: 'Placed', cell: (order) => <When at={order.created} /> },
                  { key: 'paid', label: 'Payment', cell: (order) => <PaymentState order={order} /> },
                  { key: 'sent', label: 'Delivery', cell: (order) => <OrderDeliveryBadge order={order} /> },
                  {
                    key: 'total',
                    label: 'Total',
                    cell: (order) => <Money price={order.order_value} />,
                    isNumber: true,
                    phone: 'aside',
                  },
                ]}
              />
              {pagination.total_pages > 1 && (
                <div class="pager-below">
                  <Pager pagination={pagination} things={['order', 'orders']} hrefOf={query.hrefOf} />
                </div>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Addresses({ customerId }: { customerId: string }) {
  const may = useMay()
  const path = `/v1/customers/${customerId}/addresses`
  const query = useQuery<Listed<BookAddress>>(`${path}?limit=100`)
  const [open, setOpen] = useState<BookAddress | 'new' | null>(null)
  const [addressToDelete, setAddressToDelete] = useState<BookAddress | null>(null)
  return (
    <Section
      title="Addresses"
      actions={
        may('customers.create_address') && (
          <Button isSmall icon="plus" onClick={() => setOpen('new')}>
            Add
          </Button>
        )
      }
    >
      <Loaded query={query} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">No address is kept. Each order has its own.</p>
          ) : (
            <ul class="book">
              {data.map((address) => (
                <li key={address.id}>
                  <PostalAddressView address={address} canCopy />
                  <p class="book-states">
                    {address.default_shipping && <Badge>Ships here</Badge>}
                    {address.default_billing && <Badge>Billed here</Badge>}
                  </p>
                  <p class="book-actions">
                    {may('customers.update_address') && (
                      <Button isSmall onClick={() => setOpen(address)}>
                        Edit
                      </Button>
                    )}
                    {may('customers.delete_address') && (
                      <Button isSmall kind="quiet" onClick={() => setAddressToDelete(address)}>
                        Delete
                      </Button>
                    )}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open !== null && <AddressDialog path={path} address={open} onClose={() => setOpen(null)} />}
      {addressToDelete !== null && (
        <ActionDialog
          title="Delete the address"
          verb="Delete the address"
          isDangerous
          says={['Takes it out of the customer’s book. Orders keep the address they were made with.']}
          run={() => call('DELETE', `${path}/${addressToDelete.id}`)}
          onDone={() => {
            invalidateQueries('/v1/customers')
            showToast('Address deleted')
            setAddressToDelete(null)
          }}
          onClose={() => setAddressToDelete(null)}
        />
      )}
    </Section>
  )
}

type AddressProps = {
  readonly path: string
  readonly address: BookAddress | 'new'
  readonly onClose: () => void
}

function AddressDialog({ path, address, onClose }: AddressProps) {
  const isNew = address === 'new'
  return (
    <Dialog title={isNew ? 'Add an address' : 'Edit the address'} onClose={onClose}>
      <Form
        {...(isNew ? {} : { initial: address })}
        submit={isNew ? 'Add the address' : 'Save'}
        onSubmit={(body) => (isNew ? call('POST', path, { body }) : call('PUT', `${path}/${address.id}`, { body }))}
        onDone={() => {
          invalidateQueries('/v1/customers')
          showToast(isNew ? 'Address added' : 'Saved')
          onClose()
        }}
      >
        <AddressFields />
        <Checkbox name="default_shipping" label="Ships here unless said otherwise" />
        <Checkbox name="default_billing" label="Billed here unless said otherwise" />
      </Form>
    </Dialog>
  )
}

type CustomerDialogProps = { readonly customer: Customer; readonly onClose: () => void }

function EditDialog({ customer, onClose }: CustomerDialogProps) {
  return (
    <Dialog title={`Edit ${fullCustomerName(customer)}`} onClose={onClose}>
      <Form
        initial={customer}
        submit="Save"
        onSubmit={(changes) => call('PUT', `/v1/customers/${customer.id}`, { body: changes })}
        onDone={() => {
          invalidateQueries('/v1/customers')
          showToast('Saved')
          onClose()
        }}
      >
        <p class="hint">Orders that were made keep the name and the address they were made with.</p>
        <Field name="email" label="E-mail" type="email" maxLength={320} />
        <Field name="firstname" label="First name" isOptional empty="null" maxLength={255} />
        <Field name="lastname" label="Last name" isOptional empty="null" maxLength={255} />
        <Field name="phone" label="Phone" type="tel" isOptional empty="null" maxLength={64} />
        <Field
          name="external_id"
          label="Your own id"
          isOptional
          empty="null"
          maxLength={255}
          hint="Of this customer in another system."
        />
      </Form>
    </Dialog>
  )
}

function EraseDialog({ customer, onClose }: CustomerDialogProps) {
  const { route } = useLocation()
  return (
    <ActionDialog
      title={`Erase ${fullCustomerName(customer)}`}
      verb="Erase the customer"
      isDangerous
      says={[
        'Deletes name, e-mail address, phone and all addresses of this record, and ends its logins.',
        'Orders stay, with the name and the addresses they were made with: your books need them.',
        'No money moves, and nobody gets a mail. It cannot be taken back.',
      ]}
      run={() => call('DELETE', `/v1/customers/${customer.id}`)}
      onDone={() => {
        onClose()
        invalidateQueries('/v1/customers')
        showToast('Customer erased')
        route(customerListView.address, true)
      }}
      onClose={onClose}
    />
  )
}
