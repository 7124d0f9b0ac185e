// Links to the screens that the user's role may open. A desktop shows them beside the page. A phone shows some at the
// lower edge and all behind "More".

import { useLocation } from 'preact-iso/router'
import { Icon, type IconName } from '../icons.tsx'
import { useMay } from '../session.tsx'

export type NavigationItem = {
  readonly href: string
  readonly label: string
  readonly icon: IconName
  /** Operation that the screen needs; null if everybody may open it. */
  readonly needs: string | null
}

type NavigationGroup = { readonly label: string | null; readonly items: readonly NavigationItem[] }

const GROUPS: readonly NavigationGroup[] = [
  {
    label: null,
    items: [
      { href: '/dashboard', label: 'Overview', icon: 'overview', needs: null },
      { href: '/dashboard/orders', label: 'Orders', icon: 'orders', needs: 'orders.list' },
      { href: '/dashboard/customers', label: 'Customers', icon: 'customers', needs: 'customers.list' },
    ],
  },
  {
    label: 'Catalogue',
    items: [
      { href: '/dashboard/products', label: 'Products', icon: 'box', needs: 'products.list' },
      { href: '/dashboard/categories', label: 'Categories', icon: 'categories', needs: 'categories.list' },
      { href: '/dashboard/attributes', label: 'Attributes', icon: 'attributes', needs: 'attributes.list' },
      { href: '/dashboard/files', label: 'Files', icon: 'file', needs: 'assets.list' },
    ],
  },
  {
    label: 'Sell',
    items: [
      { href: '/dashboard/discounts', label: 'Discounts', icon: 'discount', needs: 'discounts.list' },
      { href: '/dashboard/giftcards', label: 'Gift cards', icon: 'gift', needs: 'giftcards.list' },
    ],
  },
  {
    label: 'Settings',
    items: [
      { href: '/dashboard/settings/shop', label: 'Shop', icon: 'shop', needs: 'merchants.update' },
      { href: '/dashboard/settings/checkout', label: 'Checkout page', icon: 'basket', needs: 'merchants.update' },
      { href: '/dashboard/settings/mail', label: 'Mail', icon: 'mail', needs: 'developer.mail_setup' },
      { href: '/dashboard/shipping', label: 'Shipping', icon: 'truck', needs: 'shipping_zones.list' },
      { href: '/dashboard/tax', label: 'Tax', icon: 'percent', needs: 'tax_zones.list' },
      { href: '/dashboard/payment', label: 'Payment', icon: 'card', needs: 'gateways.list' },
    ],
  },
  {
    label: 'Developers',
    items: [
      { href: '/dashboard/keys', label: 'API keys', icon: 'key', needs: 'keys.list' },
      { href: '/dashboard/versions', label: 'API version', icon: 'version', needs: 'versions.list' },
      { href: '/dashboard/webhooks', label: 'Webhooks', icon: 'webhook', needs: 'webhooks.list' },
      { href: '/dashboard/events', label: 'Events', icon: 'event', needs: 'events.list' },
      { href: '/dashboard/requests', label: 'Request log', icon: 'log', needs: 'developer.list_logs' },
    ],
  },
  {
    label: 'Shop',
    items: [{ href: '/dashboard/team', label: 'Team', icon: 'team', needs: 'team.list' }],
  },
]

export function useNavigationGroups(): readonly NavigationGroup[] {
  const may = useMay()
  return GROUPS.map(({ label, items }) => ({
    label,
    items: items.filter(({ needs }) => needs === null || may(needs)),
  })).filter(({ items }) => items.length > 0)
}

/** True for the screen itself and for screens below it. */
export const isBelow = (path: string, href: string): boolean =>
  path === href || (href !== '/dashboard' && path.startsWith(`${href}/`))

export function NavigationList({ onGo }: { onGo?: () => void }) {
  const { path } = useLocation()
  return (
    <>
      {useNavigationGroups().map(({ label, items }) => (
        <div class="ways" key={label ?? ''}>
          {label !== null && <h2>{label}</h2>}
          <ul>
            {items.map((item) => (
              <li key={item.href}>
                <NavigationLink
                  item={item}
                  isHere={isBelow(path, item.href)}
                  {...(onGo === undefined ? {} : { onGo })}
                />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}

export function NavigationLink({ item, isHere, onGo }: { item: NavigationItem; isHere: boolean; onGo?: () => void }) {
  return (
    <a class="way" href={item.href} aria-current={isHere ? 'page' : undefined} onClick={onGo}>
      <Icon name={item.icon} />
      <span>{item.label}</span>
    </a>
  )
}
