// Maps URLs to screens. Each screen is a file that loads when it is first opened.

import type { ComponentType } from 'preact'
import lazy from 'preact-iso/lazy'
import { Route, Router } from 'preact-iso/router'
import { Button } from './parts/page/button.tsx'
import { Empty, NotFound } from './parts/page/states.tsx'

/** Parameters of a screen's URL: `id` in `/orders/:id`. */
export type ScreenProps = { readonly id: string; readonly deliveryId: string }

type Load = () => Promise<ComponentType<ScreenProps>>

/** Another object gets a new screen, so no state of the former one remains. */
function screen(load: Load): ComponentType<Record<string, unknown>> {
  const Lazy = lazy(() => load().catch(() => Outdated))
  return (props) => <Lazy key={props.path as string} {...(props as unknown as ScreenProps)} />
}

/** Shown if a screen's file is gone, because a newer release was deployed since the page was opened. */
function Outdated() {
  return (
    <Empty
      title="This screen could not be loaded"
      icon="warning"
      action={
        <Button kind="primary" onClick={() => location.reload()}>
          Load the page again
        </Button>
      }
    >
      <p>The dashboard was updated since you opened it, or the connection broke.</p>
    </Empty>
  )
}

const SCREENS: readonly (readonly [path: string, component: ComponentType<Record<string, unknown>>])[] = [
  ['', screen(async () => (await import('./screens/overview/overview.tsx')).Overview)],
  ['/orders', screen(async () => (await import('./screens/orders/list.tsx')).OrderList)],
  ['/orders/:id', screen(async () => (await import('./screens/orders/detail.tsx')).OrderDetail)],
  ['/customers', screen(async () => (await import('./screens/customers/list.tsx')).CustomerList)],
  ['/customers/:id', screen(async () => (await import('./screens/customers/detail.tsx')).CustomerDetail)],
  ['/products', screen(async () => (await import('./screens/products/list.tsx')).ProductList)],
  ['/products/new', screen(async () => (await import('./screens/products/detail.tsx')).ProductNew)],
  ['/products/import', screen(async () => (await import('./screens/products/many/import-screen.tsx')).ImportScreen)],
  ['/products/batch/:id', screen(async () => (await import('./screens/products/many/batch-screen.tsx')).BatchScreen)],
  ['/products/:id', screen(async () => (await import('./screens/products/detail.tsx')).ProductDetail)],
  ['/categories', screen(async () => (await import('./screens/categories/list.tsx')).CategoryTree)],
  ['/categories/:id', screen(async () => (await import('./screens/categories/form.tsx')).CategoryScreen)],
  ['/attributes', screen(async () => (await import('./screens/attributes/list.tsx')).AttributeList)],
  ['/attributes/:id', screen(async () => (await import('./screens/attributes/form.tsx')).AttributeScreen)],
  ['/files', screen(async () => (await import('./screens/files/list.tsx')).FileList)],
  ['/files/:id', screen(async () => (await import('./screens/files/detail.tsx')).FileScreen)],
  ['/discounts', screen(async () => (await import('./screens/discounts/list.tsx')).DiscountList)],
  ['/discounts/new', screen(async () => (await import('./screens/discounts/new.tsx')).DiscountNew)],
  ['/discounts/:id', screen(async () => (await import('./screens/discounts/detail.tsx')).DiscountDetail)],
  ['/giftcards', screen(async () => (await import('./screens/giftcards/list.tsx')).GiftCardList)],
  ['/giftcards/new', screen(async () => (await import('./screens/giftcards/new.tsx')).GiftCardNew)],
  ['/giftcards/:id', screen(async () => (await import('./screens/giftcards/detail.tsx')).GiftCardDetail)],
  ['/payment', screen(async () => (await import('./screens/payment/list.tsx')).PaymentList)],
  ['/payment/new/:id', screen(async () => (await import('./screens/payment/set-up.tsx')).PaymentSetUp)],
  ['/payment/:id', screen(async () => (await import('./screens/payment/detail.tsx')).PaymentDetail)],
  ['/shipping', screen(async () => (await import('./screens/shipping/list.tsx')).Shipping)],
  ['/tax', screen(async () => (await import('./screens/tax/list.tsx')).Tax)],
  ['/settings/shop', screen(async () => (await import('./screens/settings/shop.tsx')).ShopSettings)],
  ['/settings/checkout', screen(async () => (await import('./screens/settings/checkout.tsx')).CheckoutSettingsScreen)],
  ['/settings/mail', screen(async () => (await import('./screens/settings/mail.tsx')).MailSettingsScreen)],
  ['/settings/mail/:id', screen(async () => (await import('./screens/settings/outbox.tsx')).OutboxMail)],
  ['/keys', screen(async () => (await import('./screens/keys/list.tsx')).KeyList)],
  ['/versions', screen(async () => (await import('./screens/versions/list.tsx')).VersionList)],
  ['/webhooks', screen(async () => (await import('./screens/webhooks/list.tsx')).WebhookList)],
  ['/webhooks/:id', screen(async () => (await import('./screens/webhooks/detail.tsx')).WebhookDetail)],
  [
    '/webhooks/:id/deliveries/:deliveryId',
    screen(async () => (await import('./screens/webhooks/delivery.tsx')).DeliveryDetail),
  ],
  ['/events', screen(async () => (await import('./screens/events/list.tsx')).EventList)],
  ['/events/:id', screen(async () => (await import('./screens/events/detail.tsx')).EventDetail)],
  ['/requests', screen(async () => (await import('./screens/requests/list.tsx')).RequestList)],
  ['/requests/:id', screen(async () => (await import('./screens/requests/detail.tsx')).RequestDetail)],
  ['/team', screen(async () => (await import('./screens/team/list.tsx')).TeamList)],
  ['/account', screen(async () => (await import('./screens/account/account.tsx')).AccountScreen)],
]

export function Routes() {
  return (
    <Router>
      {SCREENS.map(([path, component]) => (
        <Route key={path} path={`/dashboard${path}`} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  )
}

/** Screens that are open to everybody, logged in or not. */
const OPEN_SCREENS: typeof SCREENS = [
  ['/forgotten', screen(async () => (await import('./screens/login/reset.tsx')).Forgotten)],
  ['/reset/:id', screen(async () => (await import('./screens/login/reset.tsx')).NewPassword)],
  ['/invitation/:id', screen(async () => (await import('./screens/login/invitation.tsx')).Invitation)],
]

export const isOpenPath = (path: string): boolean => /^\/dashboard\/(forgotten|reset|invitation)(\/|$)/.test(path)

export function OpenRoutes() {
  return (
    <Router>
      {OPEN_SCREENS.map(([path, component]) => (
        <Route key={path} path={`/dashboard${path}`} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  )
}
