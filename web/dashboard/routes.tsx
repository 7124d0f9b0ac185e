// Maps URLs to screens, and lists those that the navigation shows. Each screen is a file that loads when it is first opened.

import type { ComponentType } from 'preact'
import lazy from 'preact-iso/lazy'
import { Route, Router } from 'preact-iso/router'
import type { IconName } from './icons.tsx'
import { Button } from './parts/page/button.tsx'
import { Empty, NotFound, type ScreenProps } from './parts/page/page.tsx'

type Load = () => Promise<ComponentType<ScreenProps>>

type OpenScreen = { readonly path: string; readonly load: Load }

export type NavigationEntry = {
  readonly label: string
  readonly icon: IconName
  /** Operation that the screen needs. Without it everybody may open the screen. */
  readonly needs?: string
}

/** A screen with a label is in the navigation. */
type Screen = OpenScreen & (NavigationEntry | { readonly label?: undefined })

type ScreenGroup = { readonly label: string | null; readonly screens: readonly Screen[] }

const SCREENS: readonly ScreenGroup[] = [
  {
    label: null,
    screens: [
      {
        path: '',
        label: 'Overview',
        icon: 'overview',
        load: async () => (await import('./screens/overview/overview.tsx')).Overview,
      },
      {
        path: '/orders',
        label: 'Orders',
        icon: 'orders',
        needs: 'orders.list',
        load: async () => (await import('./screens/orders/list.tsx')).OrderList,
      },
      { path: '/orders/:id', load: async () => (await import('./screens/orders/detail.tsx')).OrderDetail },
      {
        path: '/customers',
        label: 'Customers',
        icon: 'customers',
        needs: 'customers.list',
        load: async () => (await import('./screens/customers/list.tsx')).CustomerList,
      },
      { path: '/customers/:id', load: async () => (await import('./screens/customers/detail.tsx')).CustomerDetail },
    ],
  },
  {
    label: 'Catalogue',
    screens: [
      {
        path: '/products',
        label: 'Products',
        icon: 'box',
        needs: 'products.list',
        load: async () => (await import('./screens/products/list.tsx')).ProductList,
      },
      { path: '/products/new', load: async () => (await import('./screens/products/detail.tsx')).ProductNew },
      {
        path: '/products/import',
        load: async () => (await import('./screens/products/many/import-screen.tsx')).ImportScreen,
      },
      {
        path: '/products/batch/:id',
        load: async () => (await import('./screens/products/many/batch-screen.tsx')).BatchScreen,
      },
      { path: '/products/:id', load: async () => (await import('./screens/products/detail.tsx')).ProductDetail },
      {
        path: '/categories',
        label: 'Categories',
        icon: 'categories',
        needs: 'categories.list',
        load: async () => (await import('./screens/categories/list.tsx')).CategoryTree,
      },
      { path: '/categories/:id', load: async () => (await import('./screens/categories/form.tsx')).CategoryScreen },
      {
        path: '/attributes',
        label: 'Attributes',
        icon: 'attributes',
        needs: 'attributes.list',
        load: async () => (await import('./screens/attributes/list.tsx')).AttributeList,
      },
      { path: '/attributes/:id', load: async () => (await import('./screens/attributes/form.tsx')).AttributeScreen },
      {
        path: '/files',
        label: 'Files',
        icon: 'file',
        needs: 'assets.list',
        load: async () => (await import('./screens/files/list.tsx')).FileList,
      },
      { path: '/files/:id', load: async () => (await import('./screens/files/detail.tsx')).FileScreen },
    ],
  },
  {
    label: 'Sell',
    screens: [
      {
        path: '/discounts',
        label: 'Discounts',
        icon: 'discount',
        needs: 'discounts.list',
        load: async () => (await import('./screens/discounts/list.tsx')).DiscountList,
      },
      { path: '/discounts/new', load: async () => (await import('./screens/discounts/new.tsx')).DiscountNew },
      { path: '/discounts/:id', load: async () => (await import('./screens/discounts/detail.tsx')).DiscountDetail },
      {
        path: '/giftcards',
        label: 'Gift cards',
        icon: 'gift',
        needs: 'giftcards.list',
        load: async () => (await import('./screens/giftcards/list.tsx')).GiftCardList,
      },
      { path: '/giftcards/new', load: async () => (await import('./screens/giftcards/new.tsx')).GiftCardNew },
      { path: '/giftcards/:id', load: async () => (await import('./screens/giftcards/detail.tsx')).GiftCardDetail },
    ],
  },
  {
    label: 'Settings',
    screens: [
      {
        path: '/settings/shop',
        label: 'Shop',
        icon: 'shop',
        needs: 'merchants.update',
        load: async () => (await import('./screens/settings/shop.tsx')).ShopSettings,
      },
      {
        path: '/settings/checkout',
        label: 'Checkout page',
        icon: 'basket',
        needs: 'merchants.update',
        load: async () => (await import('./screens/settings/checkout.tsx')).CheckoutSettingsScreen,
      },
      {
        path: '/settings/mail',
        label: 'Mail',
        icon: 'mail',
        needs: 'developer.mail_setup',
        load: async () => (await import('./screens/settings/mail.tsx')).MailSettingsScreen,
      },
      { path: '/settings/mail/:id', load: async () => (await import('./screens/settings/outbox.tsx')).OutboxMail },
      {
        path: '/shipping',
        label: 'Shipping',
        icon: 'truck',
        needs: 'shipping_zones.list',
        load: async () => (await import('./screens/shipping/list.tsx')).Shipping,
      },
      {
        path: '/tax',
        label: 'Tax',
        icon: 'percent',
        needs: 'tax_zones.list',
        load: async () => (await import('./screens/tax/list.tsx')).Tax,
      },
      {
        path: '/payment',
        label: 'Payment',
        icon: 'card',
        needs: 'gateways.list',
        load: async () => (await import('./screens/payment/list.tsx')).PaymentList,
      },
      { path: '/payment/new/:id', load: async () => (await import('./screens/payment/set-up.tsx')).PaymentSetUp },
      { path: '/payment/:id', load: async () => (await import('./screens/payment/detail.tsx')).PaymentDetail },
    ],
  },
  {
    label: 'Developers',
    screens: [
      {
        path: '/keys',
        label: 'API keys',
        icon: 'key',
        needs: 'keys.list',
        load: async () => (await import('./screens/keys/list.tsx')).KeyList,
      },
      {
        path: '/versions',
        label: 'API version',
        icon: 'version',
        needs: 'versions.list',
        load: async () => (await import('./screens/versions/list.tsx')).VersionList,
      },
      {
        path: '/webhooks',
        label: 'Webhooks',
        icon: 'webhook',
        needs: 'webhooks.list',
        load: async () => (await import('./screens/webhooks/list.tsx')).WebhookList,
      },
      { path: '/webhooks/:id', load: async () => (await import('./screens/webhooks/detail.tsx')).WebhookDetail },
      {
        path: '/webhooks/:id/deliveries/:deliveryId',
        load: async () => (await import('./screens/webhooks/delivery.tsx')).DeliveryDetail,
      },
      {
        path: '/events',
        label: 'Events',
        icon: 'event',
        needs: 'events.list',
        load: async () => (await import('./screens/events/list.tsx')).EventList,
      },
      { path: '/events/:id', load: async () => (await import('./screens/events/detail.tsx')).EventDetail },
      {
        path: '/requests',
        label: 'Request log',
        icon: 'log',
        needs: 'developer.list_logs',
        load: async () => (await import('./screens/requests/list.tsx')).RequestList,
      },
      { path: '/requests/:id', load: async () => (await import('./screens/requests/detail.tsx')).RequestDetail },
    ],
  },
  {
    label: 'Shop',
    screens: [
      {
        path: '/team',
        label: 'Team',
        icon: 'team',
        needs: 'team.list',
        load: async () => (await import('./screens/team/list.tsx')).TeamList,
      },
      { path: '/account', load: async () => (await import('./screens/account/account.tsx')).AccountScreen },
    ],
  },
]

/** Screens that are open to everybody, logged in or not. */
const OPEN_SCREENS: readonly OpenScreen[] = [
  { path: '/forgotten', load: async () => (await import('./screens/login/reset.tsx')).Forgotten },
  { path: '/reset/:id', load: async () => (await import('./screens/login/reset.tsx')).NewPassword },
  { path: '/invitation/:id', load: async () => (await import('./screens/login/invitation.tsx')).Invitation },
]

export const isOpenPath = (path: string): boolean => /^\/dashboard\/(forgotten|reset|invitation)(\/|$)/.test(path)

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
      action={<Button words="Load the page again" kind="primary" onClick={() => location.reload()} />}
    >
      <p>The dashboard was updated since you opened it, or the connection broke.</p>
    </Empty>
  )
}

type ScreenRoute = { readonly path: string; readonly component: ComponentType<Record<string, unknown>> }

const routed = (screens: readonly OpenScreen[]): readonly ScreenRoute[] =>
  screens.map(({ path, load }) => ({ path: `/dashboard${path}`, component: screen(load) }))

/** The entries of the navigation, in groups. */
export const NAVIGATION = SCREENS.map(({ label, screens }) => ({
  label,
  entries: screens.flatMap((entry) =>
    entry.label === undefined ? [] : [{ ...entry, href: `/dashboard${entry.path}` }],
  ),
}))

const ROUTES = routed(SCREENS.flatMap(({ screens }) => screens))
const OPEN_ROUTES = routed(OPEN_SCREENS)

export const Routes = () => <ScreenRouter routes={ROUTES} />
export const OpenRoutes = () => <ScreenRouter routes={OPEN_ROUTES} />

function ScreenRouter({ routes }: { routes: readonly ScreenRoute[] }) {
  return (
    <Router>
      {routes.map(({ path, component }) => (
        <Route key={path} path={path} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  )
}
