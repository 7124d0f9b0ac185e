// Links to the screens that the user's role may open. A desktop shows them beside the page. A phone shows some at the
// lower edge and all behind "More".

import { useLocation } from 'preact-iso/router'
import { Icon } from '../icons.tsx'
import { NAVIGATION, type NavigationEntry } from '../routes.tsx'
import { useMay } from '../session.tsx'

type Link = NavigationEntry & { readonly href: string }

/** The groups with the screens that this user may open. */
export function useNavigationGroups() {
  const may = useMay()
  return NAVIGATION.map(({ label, entries }) => ({
    label,
    links: entries.filter(({ needs }) => needs === undefined || may(needs)),
  })).filter(({ links }) => links.length > 0)
}

/** True for the screen itself and for screens below it. */
export const isBelow = (path: string, href: string): boolean =>
  path === href || (href !== '/dashboard' && path.startsWith(`${href}/`))

export function NavigationList({ onGo }: { onGo?: () => void }) {
  const { path } = useLocation()
  return (
    <>
      {useNavigationGroups().map(({ label, links }) => (
        <div class="ways" key={label ?? ''}>
          {label !== null && <h2>{label}</h2>}
          <ul>
            {links.map((link) => (
              <li key={link.href}>
                <NavigationLink
                  link={link}
                  isHere={isBelow(path, link.href)}
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

export function NavigationLink({ link, isHere, onGo }: { link: Link; isHere: boolean; onGo?: () => void }) {
  return (
    <a class="way" href={link.href} aria-current={isHere ? 'page' : undefined} onClick={onGo}>
      <Icon name={link.icon} />
      <span>{link.label}</span>
    </a>
  )
}
