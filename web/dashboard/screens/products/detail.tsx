// One product: a form with all its data, and its variants below. Only changed fields are sent.

import limits from 'limits:products.create'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Product } from '../../../../src/api/products/schema.ts'
import { del, post, put } from '../../parts/form/change.ts'
import { Checkbox, Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { backTo } from '../../parts/list/last-address.ts'
import { LinkButton } from '../../parts/page/button.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { lazyPart } from '../../parts/page/later.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { ObjectPage, Page, type ScreenProps, Section } from '../../parts/page/page.tsx'
import { Badge } from '../../parts/show/values.tsx'
import { useMode, useSession } from '../../session.tsx'
import { Description } from './form/description.tsx'
import { Pictures } from './form/pictures.tsx'

const Options = lazyPart(async () => (await import('./form/options.tsx')).OptionGroups)
const Placement = lazyPart(async () => (await import('./form/placement.tsx')).PlacementFields)
const Attributes = lazyPart(async () => (await import('./form/attributes.tsx')).Attributes)
const Delivery = lazyPart(async () => (await import('./form/delivery.tsx')).DeliveryFields)
const ExtraFields = lazyPart(async () => (await import('./form/extra-fields.tsx')).ExtraFields)
const Variants = lazyPart(async () => (await import('./form/variants.tsx')).Variants)

const back = () => backTo('/dashboard/products', 'Products')

/** Initial values of a new product. */
const NEW: Partial<Product> = { active: true }

export function ProductNew() {
  return (
    <Page title="Add a product" back={back()}>
      <Form<Product>
        initial={NEW}
        sendsAll
        limits={limits}
        submit="Add the product"
        request={post('/v1/products')}
        done={({ name }) => `${name} was added`}
        leadsTo={({ id }) => `/dashboard/products/${id}`}
      >
        <Fields product={null} />
      </Form>
    </Page>
  )
}

export function ProductDetail({ id }: ScreenProps) {
  const path = `/v1/products/${id}`
  return (
    <ObjectPage<Product>
      of={path}
      title={({ name }) => name}
      back={back()}
      lines={12}
      aside={({ active }) => (active ? <Badge tone="good">On sale</Badge> : <Badge>Off</Badge>)}
      actions={(product) => (
        <>
          {product.active && (
            <LinkButton words="See it as shoppers do" href={product.checkout_url.display} icon="out" isOutside />
          )}
          <Menu
            label="More actions"
            entries={[
              {
                label: 'Delete the product',
                icon: 'close',
                isDangerous: true,
                permission: 'products.delete',
                dialog: (close) => <DeleteDialog product={product} onClose={close} />,
              },
            ]}
          />
        </>
      )}
    >
      {(product, etag) => (
        <>
          <Form
            initial={product}
            etag={etag}
            limits={limits}
            submit="Save"
            permission="products.update"
            request={put(path)}
            done="Saved"
          >
            <Fields product={product} />
          </Form>
          {product.variant_groups.length > 0 && <Variants product={product} />}
        </>
      )}
    </ObjectPage>
  )
}

function FieldSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Section title={title}>
      <div class="form">{children}</div>
    </Section>
  )
}

function Fields({ product }: { product: Product | null }) {
  const { merchant } = useSession()
  return (
    <div class="product-form">
      <div class="column">
        <FieldSection title="What it is">
          <Field name="name" label="Name" isFocused={product === null} />
          <Description />
        </FieldSection>
        <Section title="Pictures">
          <Pictures />
        </Section>
      </div>
      <div class="product-side">
        <FieldSection title="On sale">
          <Checkbox name="active" label="Shoppers see it and can buy it" />
        </FieldSection>
        <FieldSection title="Price">
          <Field name="price" from="price.raw" label="Price" isNumber unit={merchant.currency} />
          <Checkbox
            name="pay_what_you_want"
            from="is.pay_what_you_want"
            label="Pay what you want"
            hint="Buyers choose what they pay; the price is the least that is taken."
          />
          <Checkbox name="tax_exempt" from="is.tax_exempt" label="No tax is added" />
        </FieldSection>
        <FieldSection title="Stock">
          <StockFields product={product} />
        </FieldSection>
        <Section title="Where it belongs">
          <Placement productId={product?.id ?? null} />
        </Section>
      </div>
      <div class="column">
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
        <FieldSection title="In search engines">
          <Field name="seo.title" label="Title" />
          <Field name="seo.description" label="Description" />
        </FieldSection>
      </div>
    </div>
  )
}

function StockFields({ product }: { product: Product | null }) {
  const [mode] = useMode()
  const [isCounted, setCounted] = useState(product?.inventory.managed ?? false)
  const heldCount = product?.inventory.held ?? 0
  return (
    <>
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
        isOptional={false}
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
      <Field name="sku" label="SKU" hint="Your own number of it." />
    </>
  )
}

function DeleteDialog({ product, onClose }: { product: Product; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Delete ${product.name}`}
      verb="Delete the product"
      says={[
        'Takes it out of the shop, with its options, variants and stock. Carts lose it.',
        'Orders keep their own copy of what was bought. Pictures stay among your files.',
        'It cannot be taken back. To only hide it, switch “On sale” off.',
      ]}
      request={del(`/v1/products/${product.id}`)}
      done="Product deleted"
      leadsTo={back().href}
      onClose={onClose}
    />
  )
}
