// Settings of the shop: name, look, address, time zone and unpaid orders.

import type { Asset } from '../../../../src/api/assets/schema.ts'
import type { Merchant } from '../../../../src/api/merchants/schema.ts'
import { Field, Select, Textarea } from '../../parts/form/field.tsx'
import { useHeldValue, WrongText } from '../../parts/form/held-value.tsx'
import { CountrySelect } from '../../parts/form/places.tsx'
import { UploadBox } from '../../parts/form/upload.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page } from '../../parts/page/page.tsx'
import { None } from '../../parts/show/values.tsx'
import { Colors } from './colors.tsx'
import { FieldSection, MerchantForm } from './merchant.tsx'

export function ShopSettings() {
  return (
    <Page title="Shop" intro="What shoppers see of you on the checkout page and in mails.">
      <MerchantForm
        facts={({ name, support_email, currency, time_zone, description }) => [
          ['Name', name],
          ['E-mail for customers', support_email],
          ['Currency', currency.code],
          ['Time zone', time_zone],
          ['Description', description ?? <None key="none" />],
        ]}
      >
        {(merchant) => (
          <>
            <FieldSection title="Name and contact">
              <Field name="name" label="Name of the shop" autocomplete="organization" />
              <Textarea name="description" label="What you sell" />
              <Field
                name="support_email"
                label="E-mail for customers"
                type="email"
                autocomplete="email"
                hint="Answers to your mails go there, and so do mails about new orders unless you say otherwise."
              />
              <p class="hint">
                Prices are in {merchant.currency.code} ({merchant.currency.symbol}). The currency cannot be changed: all
                your prices are in it.
              </p>
            </FieldSection>
            <FieldSection title="Looks">
              <PictureField name="logo" label="Logo" />
              <Select
                name="logo_shape"
                label="Shape of the logo"
                empty="null"
                options={[
                  ['', 'As it is'],
                  ['square', 'Square'],
                  ['circle', 'Circle'],
                  ['rectangle', 'Rectangle'],
                ]}
              />
              <PictureField name="cover" label="Cover picture" />
              <Colors />
            </FieldSection>
            <FieldSection title="Address">
              <Field name="address.street" label="Street" autocomplete="street-address" />
              <div class="columns">
                <Field name="address.postal_zip_code" label="Postcode" autocomplete="postal-code" />
                <Field name="address.city" label="Town or city" autocomplete="address-level2" />
                <Field name="address.region" label="State or region" autocomplete="address-level1" />
                <CountrySelect name="address.country" isOptional />
              </div>
            </FieldSection>
            <FieldSection title="Days and orders">
              <Select
                name="time_zone"
                label="Time zone"
                hint="Your days begin and end in it, in reports and on every screen here."
                options={zones(merchant.time_zone)}
              />
              <Field
                name="orders.unpaid_expire_after_hours"
                label="Cancel unpaid orders after"
                unit="hours"
                isNumber
                inputMode="numeric"
                hint="Of those that are paid by hand, such as by bank transfer. Their goods go back into stock. Empty: never."
              />
            </FieldSection>
          </>
        )}
      </MerchantForm>
    </Page>
  )
}

/** Time zones that the browser knows, and the shop's own. */
function zones(own: string): readonly (readonly [string, string])[] {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), own])
  return [...names].sort().map((zone) => [zone, zone.replaceAll('_', ' ')] as const)
}

function PictureField({ name, label }: { name: 'logo' | 'cover'; label: string }) {
  const { value, set, control, errors } = useHeldValue<Pick<Asset, 'id' | 'url'> | null>({
    name,
    label,
    from: ({ images }: Merchant) => images?.[name] ?? null,
    sent: (picture) => picture?.id ?? null,
    say: (picture) => (picture === null ? 'no picture' : 'another picture'),
  })
  const what = label.toLowerCase()
  return (
    <div class="field">
      <span class="label">{label}</span>
      {control}
      <div class="shop-picture">
        {value !== null && (
          <>
            <img src={value.url} alt={`Your ${what}`} />
            <Button
              words="Remove"
              isSmall
              kind="quiet"
              icon="close"
              label={`Remove the ${what}`}
              onClick={() => set(null)}
            />
          </>
        )}
        <UploadBox
          label={value === null ? `Choose a ${what}` : `Choose another ${what}`}
          accept="image/*"
          isMultiple={false}
          onDone={({ id, url }) => set({ id, url })}
        />
      </div>
      <WrongText errors={errors} />
    </div>
  )
}
