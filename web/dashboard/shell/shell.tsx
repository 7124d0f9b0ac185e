// The shell around every screen: shop name, mode switch, navigation, and notices about a broken connection or an ended session. On a phone
// the navigation is at the lower edge.

import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { type Mode, watchConnection } from '../api.ts'
import { Icon } from '../icons.tsx'
import { LeaveDialog } from '../parts/form/leave-dialog.tsx'
import { leaveOrAsk } from '../parts/form/leaving.ts'
import { Button } from '../parts/page/button.tsx'
import { Dialog } from '../parts/page/dialog.tsx'
import { Menu } from '../parts/page/menu.tsx'
import { Toasts } from '../parts/page/toast.tsx'
import { Routes } from '../routes.tsx'
import { logOutAndReload, useMode, useSession, useSessionState } from '../session.tsx'
import { isBelow, NavigationLink, NavigationList, useNavigationGroups } from './navigation.tsx'
import { Palette, usePaletteKey } from './palette.tsx'
import { SignedOut } from './signed-out.tsx'

export function Shell() {
  const { mode, isInterrupted } = useSessionState()
  const [isSearching, setSearching] = useState(false)
  usePaletteKey(() => setSearching(true))
  return (
    <div class={mode === 'sandbox' ? 'shell is-sandbox' : 'shell'}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Away />
      {mode === 'sandbox' && (
        <p class="sandbox">
          <span>Sandbox: no money moves</span>
        </p>
      )}
      <TopBar onSearch={() => setSearching(true)} />
      <div class="beside">
        <Side onSearch={() => setSearching(true)} />
        <main id="content" tabIndex={-1} key={mode}>
          <Routes />
        </main>
      </div>
      <BottomBar onSearch={() => setSearching(true)} />
      {isSearching && <Palette onClose={() => setSearching(false)} />}
      <LeaveDialog />
      {isInterrupted && <SignedOut />}
      <Toasts />
    </div>
  )
}

function Away() {
  const [isAway, setAway] = useState(false)
  useEffect(() => watchConnection(setAway), [])
  return (
    <div role="status" class="away-box">
      {isAway && (
        <p class="away">
          <Icon name="warning" />
          The server does not answer. We try again by ourselves; nothing you have typed is lost.
        </p>
      )}
    </div>
  )
}

function ShopName() {
  const { merchant } = useSession()
  return (
    <a class="shop" href="/dashboard">
      {merchant.logo_url === null ? (
        <span class="shop-letter" aria-hidden="true">
          {[...merchant.name][0]?.toUpperCase()}
        </span>
      ) : (
        <img src={merchant.logo_url} alt="" />
      )}
      <span class="shop-name">{merchant.name}</span>
    </a>
  )
}

type SearchProps = { readonly onSearch: () => void }

function TopBar({ onSearch }: SearchProps) {
  return (
    <header class="top-bar">
      <ShopName />
      <ModeSwitch />
      <Button kind="quiet" icon="search" label="Search" onClick={onSearch} />
    </header>
  )
}

function Side({ onSearch }: SearchProps) {
  return (
    <div class="side">
      <ShopName />
      <ModeSwitch />
      <button type="button" class="way side-search" onClick={onSearch}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav aria-label="Dashboard">
        <NavigationList />
      </nav>
      <Account />
    </div>
  )
}

function Account() {
  const { account } = useSession()
  return (
    <div class="side-account">
      <Menu
        label="My account"
        kind="quiet"
        entries={[
          { label: 'My account', icon: 'account', href: '/dashboard/account' },
          { label: 'Log out', icon: 'logout', onPress: () => leaveOrAsk(logOutAndReload) },
        ]}
      >
        <Icon name="account" />
        <span class="who">
          <span class="who-name">{account.name || account.email}</span>
          <span class="who-role">{account.role}</span>
        </span>
      </Menu>
    </div>
  )
}

const MODES: readonly (readonly [Mode, string])[] = [
  ['sandbox', 'Sandbox'],
  ['live', 'Live'],
]

/** Screens that sandbox and live share, so they stay open when the mode changes. */
const SHARED_SCREENS = /^\/dashboard\/products\/(?!batch\/)/

/** An object of one mode does not exist in the other, so a single order gives way to the list. */
function ModeSwitch() {
  const [mode, setMode] = useMode()
  const { modes } = useSession()
  const { path, route } = useLocation()
  if (modes.length < 2) return null
  const changeMode = (next: Mode) => {
    if (next === mode) return
    const [, root = 'dashboard', first] = path.split('/')
    leaveOrAsk(() => {
      setMode(next)
      if (SHARED_SCREENS.test(path)) return
      route(first === undefined ? `/${root}` : `/${root}/${first}`)
    })
  }
  return (
    <fieldset class="mode">
      <legend class="unseen">Mode</legend>
      {MODES.map(([value, label]) => (
        <button key={value} type="button" aria-pressed={mode === value} onClick={() => changeMode(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  )
}

/** The number that fits beside "Search" and "More". */
const BOTTOM_ITEMS = 3

function BottomBar({ onSearch }: SearchProps) {
  const { path } = useLocation()
  const { account } = useSession()
  const [isOpen, setOpen] = useState(false)
  const links = useNavigationGroups()
    .flatMap((group) => group.links)
    .slice(0, BOTTOM_ITEMS)
  const close = () => setOpen(false)
  const isInBottomBar = links.some(({ href }) => isBelow(path, href))
  return (
    <>
      <nav class="bottom-bar" aria-label="Dashboard">
        {links.map((link) => (
          <NavigationLink key={link.href} link={link} isHere={isBelow(path, link.href)} />
        ))}
        <button type="button" class="way" onClick={onSearch}>
          <Icon name="search" />
          <span>Search</span>
        </button>
        <button
          type="button"
          class={`way${isInBottomBar ? '' : ' here'}`}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <Icon name="menu" />
          <span>More</span>
        </button>
      </nav>
      {isOpen && (
        <Dialog title={account.name || account.email} onClose={close} kind="drawer">
          <nav aria-label="All screens">
            <NavigationList onGo={close} />
            <div class="ways">
              <h2>You</h2>
              <ul>
                <li>
                  <a class="way" href="/dashboard/account" onClick={close}>
                    <Icon name="account" />
                    <span>My account</span>
                  </a>
                </li>
                <li>
                  <button type="button" class="way" onClick={() => leaveOrAsk(logOutAndReload)}>
                    <Icon name="logout" />
                    <span>Log out</span>
                  </button>
                </li>
              </ul>
            </div>
          </nav>
        </Dialog>
      )}
    </>
  )
}
