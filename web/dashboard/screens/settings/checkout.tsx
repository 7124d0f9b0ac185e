// Settings of the hosted checkout: languages, links, and a preview.

import { useId } from 'preact/hooks'
import type { Merchant } from '../../../../src/api/merchants/schema.ts'
import { Field, Group } from '../../parts/form/field.tsx'
import { useHeldValue, WrongText } from '../../parts/form/held-value.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { Page, Section } from '../../parts/page/page.tsx'
import { None } from '../../parts/show/values.tsx'
import { useMode } from '../../session.tsx'
import { useProductForSale } from '../payment/product-for-sale.ts'
import { FieldSection, MerchantForm } from './merchant.tsx'

const LANGUAGES: readonly (readonly [code: string, name: string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch (German)'],
  ['fr', 'Français (French)'],
  ['es', 'Español (Spanish)'],
  ['it', 'Italiano (Italian)'],
  ['nl', 'Nederlands (Dutch)'],
  ['pt', 'Português (Portuguese)'],
  ['pl', 'Polski (Polish)'],
  ['ja', '日本語 (Japanese)'],
]

const nameOf = (code: string) => LANGUAGES.find(([each]) => each === code)?.[1] ?? code

export function CheckoutSettingsScreen() {
  return (
    <Page
      title="Checkout page"
      intro="The pages on which your shoppers pay, served by this service: you need no checkout of your own."
    >
      <Preview />
      <MerchantForm
        facts={({ checkout, allowed_origins }) => [
          ['Languages', checkout.languages.map(nameOf).join(', ')],
          ['Terms', checkout.terms_url ?? <None key="terms" />],
          ['Privacy', checkout.privacy_url ?? <None key="privacy" />],
          ['Back to the shop', checkout.return_url ?? <None key="return" />],
          ['Allowed origins', allowed_origins.join(', ') || <None key="origins" />],
        ]}
      >
        {() => (
          <>
            <FieldSection title="Languages">
              <Languages />
            </FieldSection>
            <FieldSection title="Links">
              <Field
                name="checkout.terms_url"
                label="Your terms"
                type="url"
                placeholder="https://shop.example/terms"
                hint="Linked below the button by which one pays."
              />
              <Field
                name="checkout.privacy_url"
                label="Your privacy notice"
                type="url"
                placeholder="https://shop.example/privacy"
              />
              <Origins />
              <Field
                name="checkout.return_url"
                label="Where shoppers go on after paying"
                type="url"
                placeholder="https://shop.example/thanks"
                hint="A page of one of your websites above."
              />
            </FieldSection>
          </>
        )}
      </MerchantForm>
    </Page>
  )
}

function Languages() {
  const { value, set, control, errors } = useHeldValue<readonly string[]>({
    name: 'checkout.languages',
    label: 'Languages',
    from: ({ checkout }: Merchant) => checkout?.languages ?? [],
    say: (codes) => codes.map(nameOf).join(', '),
  })
  const id = useId()
  const first = value[0] ?? ''
  return (
    <>
      {control}
      <Group
        label="The page speaks"
        hint="Shoppers are shown the one that they ask for, else one that their browser names, else the first."
      >
        {LANGUAGES.map(([code, name]) => (
          <label key={code} class="event-box">
            <input
              type="checkbox"
              checked={value.includes(code)}
              onChange={(event) =>
                set(event.currentTarget.checked ? [...value, code] : value.filter((other) => other !== code))
              }
            />
            <span>{name}</span>
          </label>
        ))}
      </Group>
      <WrongText errors={errors} />
      {value.length > 1 && (
        <div class="field">
          <label for={id}>For who reads none of them</label>
          <select
            id={id}
            value={first}
            onChange={(event) => {
              const code = event.currentTarget.value
              set([code, ...value.filter((other) => other !== code)])
            }}
          >
            {value.map((code) => (
              <option key={code} value={code}>
                {nameOf(code)}
              </option>
            ))}
          </select>
        </div>
      )}
    </>
  )
}

function Origins() {
  const id = useId()
  const { value, set, control, errors } = useHeldValue<string>({
    name: 'allowed_origins',
    label: 'Your websites',
    from: ({ allowed_origins }: Merchant) => (allowed_origins ?? []).join('\n'),
    sent: (text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
  })
  return (
    <div class={errors.size > 0 ? 'field wrong' : 'field'}>
      <label for={id}>
        Your websites<span class="optional"> (optional)</span>
      </label>
      {control}
      <textarea
        id={id}
        rows={3}
        value={value}
        placeholder="https://shop.example"
        aria-describedby={`${id}-hint`}
        aria-invalid={errors.size > 0 || undefined}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        One a line, without a path. Links in live mails and the way back from the checkout lead to these alone.
      </p>
      <WrongText errors={errors} />
    </div>
  )
}

/** Checkout pages refuse to be framed, also by our own pages. So this shows links. */
function Preview() {
  const [mode] = useMode()
  const product = useProductForSale()
  return (
    <Section title="See it">
      {product === undefined ? (
        <p>As soon as there is a product that is for sale, you can look at its checkout page from here.</p>
      ) : (
        <div class="form">
          <p>
            {mode === 'sandbox'
              ? 'As your shoppers see it, with your saved colours and links. In the sandbox no money moves.'
              : 'As your shoppers see it. This is the live shop: what you order there is an order.'}
          </p>
          <div class="form-foot">
            <LinkButton
              words={`Open the checkout of “${product.name}”`}
              href={product.checkout_url.checkout}
              isOutside
              icon="out"
            />
            <LinkButton
              words="Open its product page"
              href={product.checkout_url.display}
              isOutside
              icon="out"
              kind="quiet"
            />
          </div>
        </div>
      )}
    </Section>
  )
}
