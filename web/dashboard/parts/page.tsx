// The frame of a screen: its heading, which takes the focus after a change of screen so that it is read first, its actions, and sections on sheets.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'

type PageProps = {
  readonly title: string
  /** Beside the heading: a state. */
  readonly aside?: ComponentChildren
  /** Buttons of the whole page. */
  readonly actions?: ComponentChildren
  readonly back?: { readonly href: string; readonly label: string }
  readonly intro?: ComponentChildren
  readonly children: ComponentChildren
}

/** The first page of a visit keeps the focus where the browser has it. */
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

/** A sheet with a heading of its own. */
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

/** Name and value, one below the other: `[['Order number', 'CHK-1'], …]`. What is null is left out. */
export function Facts({ of }: { of: readonly (readonly [label: string, value: ComponentChildren] | null)[] }) {
  return (
    <dl class="facts">
      {of.map(
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

/** Something to know before reading on. */
export function Note({
  tone = 'calm',
  children,
}: {
  tone?: 'calm' | 'open' | 'bad' | 'good'
  children: ComponentChildren
}) {
  return <div class={`message ${tone}`}>{children}</div>
}
