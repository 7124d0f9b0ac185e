// The frame of a screen: heading, actions and sections. After a change of screen the heading takes the focus, so that it is read first.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../../icons.tsx'

/** Parameters of a screen's URL: `id` in `/orders/:id`. */
export type ScreenProps = { readonly id: string; readonly deliveryId: string }

type PageProps = {
  readonly title: string
  /** Beside the heading, for example a state. */
  readonly aside?: ComponentChildren
  /** Buttons for the whole page. */
  readonly actions?: ComponentChildren
  readonly back?: { readonly href: string; readonly label: string }
  readonly intro?: ComponentChildren
  readonly children: ComponentChildren
}

/** On the first page of a visit the focus stays where the browser put it. */
let isFirst = true

export function Page({ title, aside, actions, back, intro, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst && document.querySelector('dialog[open]') === null) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = `${title} · Cartwright`
  }, [title])
  return (
    <div class="page">
      <header class="page-head">
        {back && (
          <a class="back" href={back.href}>
            <Icon name="left" />
            {back.label}
          </a>
        )}
        <div class="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {aside}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {intro && <p class="page-intro">{intro}</p>}
      {children}
    </div>
  )
}

type SectionProps = {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly kind?: string
  readonly hidesTitle?: boolean
  readonly children: ComponentChildren
}

/** A sheet with its own heading. */
export function Section({ title, actions, kind = '', hidesTitle = false, children }: SectionProps) {
  const id = useId()
  return (
    <section class={`section ${kind}`} aria-labelledby={id}>
      <div class={hidesTitle ? 'unseen' : 'section-head'}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A list of names and values: `[['Order number', 'CHK-1'], …]`. Null entries are left out. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ComponentChildren] | null)[] }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact !== null && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** A note to read before the rest. */
export function Note({
  tone = 'calm',
  children,
}: {
  tone?: 'calm' | 'open' | 'bad' | 'good'
  children: ComponentChildren
}) {
  return <div class={`message ${tone}`}>{children}</div>
}
