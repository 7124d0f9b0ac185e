// First steps of a new shop, ticked off from the data of the shop. When all are done the list says so, until somebody hides it. It is not
// shown if this browser never saw it unfinished.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Overview } from '../../../../src/api/reports/schema.ts'
import { Icon } from '../../icons.tsx'
import { Button, LinkButton } from '../../parts/page/button.tsx'
import { Section } from '../../parts/page/page.tsx'
import { useMay, useMode, useSession } from '../../session.tsx'
import { readStored, store } from '../../stored.ts'
import { useProductForSale } from '../payment/product-for-sale.ts'

type CheckListState = Overview['check_list']

export const mayNeedCheckList = (list: CheckListState): boolean =>
  !Object.values(list).every(Boolean) || readStored('browser', LAST_UNFINISHED) !== null

/** Key of the shop for which the list was last seen unfinished. */
const LAST_UNFINISHED = 'check-list-undone'

type StepProps = {
  readonly isDone: boolean
  readonly title: string
  /** Text for a step that is done. */
  readonly after?: ComponentChildren
  readonly children: ComponentChildren
}

function Step({ isDone, title, after, children }: StepProps) {
  const text = isDone ? after : children
  return (
    <li class={isDone ? 'step done' : 'step'}>
      <Icon name={isDone ? 'check' : 'circle'} />
      <div>
        <h3>
          {title}
          <span class="unseen">{isDone ? ': done' : ': to do'}</span>
        </h3>
        {text && <div class="step-text">{text}</div>}
      </div>
    </li>
  )
}

export function CheckList({ steps }: { steps: CheckListState }) {
  const may = useMay()
  const [mode] = useMode()
  const shopId = String(useSession().merchant.id)
  const [shipsNothing, setShipsNothing] = useState(() => readStored('browser', `ships-nothing-${shopId}`) !== null)
  const [isPutAway, setPutAway] = useState(false)
  const state = { ...steps, shipping: steps.shipping || shipsNothing }
  const done = Object.values(state).filter(Boolean).length
  const isReady = done === 5
  useEffect(() => {
    if (!isReady) store('browser', LAST_UNFINISHED, shopId)
  }, [isReady, shopId])
  if (isPutAway || (isReady && readStored('browser', LAST_UNFINISHED) !== shopId)) return null
  return (
    <Section
      title={isReady ? 'Your shop is ready' : 'Get your shop ready'}
      kind="check-list"
      actions={<p class="hint">{done} of 5 done</p>}
    >
      {isReady && (
        <div class="step-text">
          <p>You need nothing more in {mode === 'live' ? 'live mode' : 'the sandbox'}: what you sell can be bought.</p>
          <Button
            words="Put this list away"
            onClick={() => {
              store('browser', LAST_UNFINISHED, null)
              setPutAway(true)
            }}
          />
        </div>
      )}
      <ol class="stack">
        <Step isDone={state.product} title="Add a product">
          <p>What you sell, with its price, its pictures and how many there are.</p>
          {may('products.create') && <LinkButton words="Add a product" href="/dashboard/products/new" />}
        </Step>
        <Step
          isDone={state.shipping}
          title="Say where you ship"
          after={!steps.shipping && <p>You said that you ship nothing.</p>}
        >
          <p>To which countries, and what it costs. Shops that sell downloads alone need none.</p>
          <p class="acts">
            {may('shipping_zones.create') && <LinkButton words="Set up shipping" href="/dashboard/shipping" />}
            <Button
              words="We ship nothing"
              kind="quiet"
              onClick={() => {
                store('browser', `ships-nothing-${shopId}`, 'yes')
                setShipsNothing(true)
              }}
            />
          </p>
        </Step>
        <Step
          isDone={state.gateway}
          title="Switch on a way to pay"
          after={
            mode === 'sandbox' && (
              <p>
                In the sandbox test cards work without your doing anything. Before you go live, choose how shoppers pay
                {may('gateways.list') && ' under '}
                {may('gateways.list') && <a href="/dashboard/payment">Payment</a>}.
              </p>
            )
          }
        >
          <p>
            {mode === 'live'
              ? 'Stripe, PayPal, Mollie and others, or a bank transfer.'
              : 'The test gateway was switched off. Switch it on again to pay with test cards.'}
          </p>
          {may('gateways.list') && <LinkButton words="Set up payment" href="/dashboard/payment" />}
        </Step>
        <Step isDone={state.key} title="Have an API key">
          <p>A storefront asks with the public key of the shop. The hosted checkout needs none.</p>
          {may('keys.list') && <LinkButton words="See the keys" href="/dashboard/keys" />}
        </Step>
        <Step isDone={state.test_purchase} title="Buy something yourself">
          <TestPurchase />
        </Step>
      </ol>
    </Section>
  )
}

/** Test purchases need sandbox mode: only then do links of products lead to the sandbox. */
function TestPurchase() {
  const [mode, setMode] = useMode()
  const product = useProductForSale(mode === 'sandbox')
  if (mode === 'live')
    return (
      <>
        <p>Test purchases are made in the sandbox, where no money moves.</p>
        <Button words="Switch to the sandbox" onClick={() => setMode('sandbox')} />
      </>
    )
  if (product === undefined) return <p>As soon as there is a product, you can buy it here with a test card.</p>
  return (
    <>
      <p>
        Pay with the test card <code>4242 4242 4242 4242</code> and any date to come. No money moves in the sandbox.
      </p>
      <LinkButton
        words={`Buy “${product.name}” as a test`}
        kind="primary"
        href={product.checkout_url.checkout}
        isOutside
        icon="out"
      />
    </>
  )
}
