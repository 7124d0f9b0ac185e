// A menu button with further actions. The list is a native popover, which Esc or a press elsewhere closes. Arrow keys move in it.

import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../icons.tsx'
import { useMay } from '../../session.tsx'
import type { OpenDialog } from './dialog.tsx'

export type MenuEntry = {
  readonly label: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  /** Operation that the user must be allowed to do; otherwise there is no entry. */
  readonly permission?: string
} & ({ readonly onPress: () => void } | { readonly href: string } | { readonly dialog: OpenDialog })

type MenuProps = {
  readonly label: string
  /** `canCancel && { … }` leaves an entry out. */
  readonly entries: readonly (MenuEntry | false)[]
  /** Content of the button instead of the three dots. */
  readonly children?: ComponentChildren
  readonly kind?: 'plain' | 'quiet'
}

/** The menu opens where it is visible, so the page must not scroll. */
const IN_SIGHT = { preventScroll: true }

export function Menu({ label, entries: allEntries, children, kind = 'plain' }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const may = useMay()
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const entries = allEntries
    .filter((entry) => entry !== false)
    .filter(({ permission }) => permission === undefined || may(permission))
  if (entries.length === 0) return null

  /** A popover has no position of its own, so place it at its button. */
  const positionMenu = () => {
    const [anchor, menu] = [button.current?.getBoundingClientRect(), list.current]
    if (anchor === undefined || menu === null) return
    const { offsetWidth: width, offsetHeight: height } = menu
    const leftEdge = Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))
    const isAbove = anchor.bottom + height + 8 > innerHeight && anchor.top > height
    menu.style.left = `${leftEdge}px`
    menu.style.top = `${isAbove ? anchor.top - height - 4 : anchor.bottom + 4}px`
  }

  const handleKey = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    items.at(next % items.length)?.focus(IN_SIGHT)
  }

  const close = () => list.current?.hidePopover()

  return (
    <div class="menu">
      <button
        ref={button}
        type="button"
        class={`button ${kind}`}
        popovertarget={id}
        aria-haspopup="menu"
        aria-label={children ? undefined : label}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        class="menu-list"
        onKeyDown={handleKey}
        onToggle={(event) => {
          if (event.newState !== 'open') return
          positionMenu()
          list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus(IN_SIGHT)
        }}
      >
        {entries.map((entry) => {
          const content = (
            <>
              {entry.icon && <Icon name={entry.icon} />}
              <span>{entry.label}</span>
            </>
          )
          const look = entry.isDangerous ? 'dangerous' : undefined
          if ('href' in entry)
            return (
              <a key={entry.label} role="menuitem" class={look} href={entry.href} tabIndex={-1} onClick={close}>
                {content}
              </a>
            )
          return (
            <button
              key={entry.label}
              type="button"
              role="menuitem"
              class={look}
              tabIndex={-1}
              onClick={() => {
                close()
                if ('onPress' in entry) entry.onPress()
                else setOpen(() => entry.dialog)
              }}
            >
              {content}
            </button>
          )
        })}
      </div>
      {open?.(() => setOpen(null))}
    </div>
  )
}
