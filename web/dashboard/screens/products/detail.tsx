// One product: a form with all its data, and its variants below. Only changed fields are sent.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../../api.ts'
import { Checkbox, Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { lazyPart } from '../../parts/page/later.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { Badge } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { Description } from './form/description.tsx'
import { Pictures } from './form/pictures.tsx'
import { type Product, productListView } from './product.ts'

const Options = lazyPart(async () => (await import('./form/options.tsx')).OptionGroups)
const Placement = lazyPart(async () => (await import('./form/placement.tsx')).PlacementFields)
const Attributes = lazyPart(async () => (await import('./form/attributes.tsx')).Attributes)
const Delivery = lazyPart(async () => (await import('./form/delivery.tsx')).DeliveryFields)
const ExtraFields = lazyPart(async () => (await import('./form/extra-fields.tsx')).ExtraFields)
const Variants = lazyPart(async () => (await import('./form/variants.tsx')).Variants)

const back = () => ({ href: productListView.address, label: 'Products' })

/** Initial values of a new product. */
const NEW: Partial<Product> = {
  active: true,
  assets: [],
  categories: [],
  related_products: [],
  attributes: [],
  extra_fields: [],
  variant_groups: [],
}

export function ProductNew() {
  const { route } = useLocation()
  return (
    <Page title="Add a product" back={back()}>
      <Form<Product>
        initial={NEW}
        sendsAll
        submit="Add the product"
        run={(body) => call('POST', '/v1/products', { body })}
        onDone={({ id, name }) => {
          invalidateQueries('/v1/products')
          showToast(`${name} was added`)
          route(`/dashboard/products/${id}`, true)
        }}
      >
        <Fields product={null} />
      </Form>
    </Page>
  )
}

export function ProductDetail({ id }: ScreenProps) {
  const query = useQuery<Product>(`/v1/products/${id}`)
  return (
    <Loaded query={query} back={back()} lines={12}>
      {(product) => <Edit product={product} etag={query.etag} />}
    </Loaded>
  )
}

function Edit({ product, etag }: { product: Product; etag: string | null }) {
  const may = useMay()
  const [isDeleting, setDeleting] = useState(false)
  const canChange = may('products.update')
  const path = `/v1/products/${product.id}`
  return (
    <Page
      title={product.name}
      back={back()}
      aside={product.active ? <Badge tone="good">On sale</Badge> : <Badge>Off</Badge>}
      actions={
        <>
          {product.active && (
            <LinkButton href={product.checkout_url.display} icon="out" isOutside>
              See it as shoppers do
            </LinkButton>
          )}
          {may('products.delete') && (
            <Menu
              label="More actions"
              entries={[
                { label: 'Delete the product', icon: 'close', isDangerous: true, onPress: () => setDeleting(true) },
              ]}
            />
          )}
        </>
      }
    >
      <Form<Product>
        initial={product}
        etag={etag}
        {...(canChange ? { submit: 'Save' } : {})}
        run={(body, { ifMatch }) => call('PUT', path, { body, ifMatch })}
        onDone={() => {
          invalidateQueries('/v1/products')
          showToast('Saved')
        }}
      >
        <fieldset class="form" disabled={!canChange}>
          <legend class="unseen">The product</legend>
          <Fields product={product} />
        </fieldset>
      </Form>
      {product.variant_groups.length > 0 && <Variants product={product} />}
      {isDeleting && <DeleteDialog product={product} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

function Fields({ product }: { product: Product | null }) {
  const { merchant } = useSession()
  return (
    <div class="product-form">
      <div class="product-main">
        <Section title="What it is">
          <div class="form">
            <Field name="name" label="Name" maxLength={255} isFocused={product === null} />
            <Description />
          </div>
        </Section>
        <Section title="Pictures">
          <Pictures />
        </Section>
      </div>
      <div class="product-side">
        <Section title="On sale">
          <div class="form">
            <Checkbox name="active" label="Shoppers see it and can buy it" />
          </div>
        </Section>
        <Section title="Price">
          <div class="form">
            <Field name="price" from="price.raw" label="Price" isNumber unit={merchant.currency} />
            <Checkbox
              name="pay_what_you_want"
              from="is.pay_what_you_want"
              label="Pay what you want"
              hint="Buyers choose what they pay; the price is the least that is taken."
            />
            <Checkbox name="tax_exempt" from="is.tax_exempt" label="No tax is added" />
          </div>
        </Section>
        <Section title="Stock">
          <Stock product={product} />
        </Section>
        <Section title="Where it belongs">
          <Placement productId={product?.id ?? null} />
        </Section>
      </div>
      <div class="product-rest">
        <Section title="Options">
          <Options isNew={product === null} />
        </Section>
        <Section title="Attributes">
          <Attributes />
        </Section>
        <Section title="Questions to the buyer">
          <ExtraFields />
        </Section>
        <Section title="Delivery">
          <Delivery />
        </Section>
        <Section title="In search engines">
          <div class="form">
            <Field name="seo.title" label="Title" isOptional empty="null" maxLength={1_000} />
            <Field name="seo.description" label="Description" isOptional empty="null" maxLength={1_000} />
          </div>
        </Section>
      </div>
    </div>
  )
}

function Stock({ product }: { product: Product | null }) {
  const [mode] = useMode()
  const [isCounted, setCounted] = useState(product?.inventory.managed ?? false)
  const heldCount = product?.inventory.held ?? 0
  return (
    <div class="form">
      <Checkbox
        name="inventory.managed"
        label="Count the stock"
        hint="Without it, it never sells out."
        onChange={setCounted}
      />
      <Field
        name="inventory.on_hand"
        label={product === null ? 'Pieces on the shelf' : `Pieces on the shelf, ${mode}`}
        isNumber
        inputMode="numeric"
        empty="leave"
        disabled={!isCounted}
        hint={
          product === null
            ? 'For sandbox and live; later each has a count of its own.'
            : heldCount > 0
              ? `${heldCount} of them are held by payments under way.`
              : 'Sandbox and live each have a count of their own.'
        }
      />
      <Field name="sku" label="SKU" isOptional empty="null" maxLength={255} hint="Your own number of it." />
    </div>
  )
}

function DeleteDialog({ product, onClose }: { product: Product; onClose: () => void }) {
  const { route } = useLocation()
  return (
    <ActionDialog
      title={`Delete ${product.name}`}
      verb="Delete the product"
      isDangerous
      says={[
        'Takes it out of the shop, with its options, variants and stock. Carts lose it.',
        'Orders keep their own copy of what was bought. Pictures stay among your files.',
        'It cannot be taken back. To only hide it, switch “On sale” off.',
      ]}
      run={() => call('DELETE', `/v1/products/${product.id}`)}
      onDone={() => {
        onClose()
        showToast('Product deleted')
        route(productListView.address, true)
        invalidateQueries('/v1/products')
      }}
      onClose={onClose}
    />
  )
}
