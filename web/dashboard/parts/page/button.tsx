// Buttons. A busy button keeps its width and its focus, and ignores further presses.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../icons.tsx'
import { showToast } from './toast.tsx'

type Look = {
  /** Use at most one `primary` on a page or in a dialog; `danger` is for irreversible actions. */
  readonly kind?: 'primary' | 'danger' | 'plain' | 'quiet'
  readonly icon?: IconName
  readonly isSmall?: boolean
  /** Visible words of the button. */
  readonly words?: ComponentChildren
}

type ButtonProps = Look & {
  readonly type?: 'button' | 'submit'
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** Accessible name of a button without visible words. */
  readonly label?: string
  readonly onClick?: (event: MouseEvent) => void
}

const classOf = ({ kind = 'plain', isSmall = false }: Look) => `button ${kind}${isSmall ? ' small' : ''}`

export function Button(props: ButtonProps) {
  const { icon, isBusy = false, disabled, label, words, type = 'button', onClick } = props
  return (
    <button
      disabled={disabled}
      type={type}
      class={classOf(props)}
      aria-label={label}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {words !== undefined && <span>{words}</span>}
    </button>
  )
}

type LinkButtonProps = Look & { readonly href: string; readonly isOutside?: boolean; readonly onClick?: () => void }

/** A link that looks like a button. `isOutside`: the target is not a screen of the dashboard. */
export function LinkButton({ kind, icon, isSmall, href, isOutside = false, onClick, words }: LinkButtonProps) {
  return (
    <a
      class={classOf({ kind, isSmall })}
      href={href}
      onClick={onClick}
      {...(isOutside ? { target: '_blank', rel: 'noreferrer' } : {})}
    >
      {icon && <Icon name={icon} />}
      <span>{words}</span>
    </a>
  )
}

const COPIED_MS = 2_000

type CopyProps = {
  readonly text: string
  /** Name of the text in the message after copying: "Order number". */
  readonly what: string
  /** Words beside the icon, if there is space. */
  readonly words?: ComponentChildren
  readonly onCopied?: () => void
}

export function CopyButton({ text, what, words, onCopied }: CopyProps) {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return showToast(`The browser did not let us copy. Select the text by hand.`, 'bad')
    }
    showToast(`${what} copied`)
    setCopied(true)
    timer.current = window.setTimeout(() => setCopied(false), COPIED_MS)
    onCopied?.()
  }
  return (
    <Button
      words={words}
      kind={words === undefined ? 'quiet' : 'plain'}
      isSmall
      icon={isCopied ? 'check' : 'copy'}
      {...(words === undefined ? { label: `Copy ${what.toLowerCase()}` } : {})}
      onClick={copy}
    />
  )
}
