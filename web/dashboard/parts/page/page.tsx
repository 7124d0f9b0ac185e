// The frame of a screen: heading, actions, sections, and what is shown while there is no data: loading, empty, failed, forbidden, not found.
// After a change of screen the heading takes the focus, so that it is read first.

import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { ApiProblem } from '../../api.ts'
import { Icon, type IconName } from '../../icons.tsx'
import { useSessionState } from '../../session.tsx'
import { type Query, useQuery } from '../../use-query.ts'
import { Button, LinkButton } from './button.tsx'

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
      <header class="row apart page-head">
        {back && (
          <a class="back" href={back.href}>
            <Icon name="left" />
            {back.label}
          </a>
        )}
        <div class="row page-title">
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
      <div class={hidesTitle ? 'unseen' : 'row apart section-head'}>
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

type NoteProps = {
  readonly tone?: 'calm' | 'open' | 'bad' | 'good'
  /** A single paragraph; longer notes have children. */
  readonly says?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A note to read before the rest. */
export function Note({ tone = 'calm', says, children = <p>{says}</p> }: NoteProps) {
  return <div class={`message ${tone}`}>{children}</div>
}

/** Shorter waits are not shown, because they would only flicker. */
const SLOW_MS = 150

export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="stack" aria-busy="true">
      <p class="unseen" role="status">
        {isSlow ? 'Loading …' : ''}
      </p>
      {isSlow && Array.from({ length: lines }, (_, index) => <span key={index} class="bone" aria-hidden="true" />)}
    </div>
  )
}

type EmptyProps = {
  readonly title: string
  readonly icon?: IconName
  readonly children?: ComponentChildren
  /** Next step: a `Button` or a `LinkButton`. */
  readonly action?: ComponentChildren
}

export function Empty({ title, icon, children, action }: EmptyProps) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} />}
      <h2>{title}</h2>
      {children !== undefined && <div class="empty-text hint">{children}</div>}
      {action !== undefined && <p class="acts">{action}</p>}
    </div>
  )
}

type ProblemProps = {
  readonly problem: ApiProblem
  readonly onRetry?: () => void
  /** Link to the list, if the object does not exist. */
  readonly back?: { readonly href: string; readonly label: string }
}

/** The API's own message, and a next step. */
export function Problem({ problem, onRetry, back }: ProblemProps) {
  const { session } = useSessionState()
  if (problem.status === 404) return <NotFound {...(back === undefined ? {} : { back })} />
  if (problem.status === 403)
    return (
      <Empty title="This is not for your role" icon="key">
        <p>{problem.message}</p>
        {problem.people.length > 0 && <p>Ask {problem.people.map(({ name }) => name).join(' or ')}.</p>}
        {session !== null && (
          <p>
            You are logged in as {session.account.email}, with the role “{session.account.role}”. An owner of{' '}
            {session.merchant.name} can change it under Team.
          </p>
        )}
      </Empty>
    )
  return (
    <div class="message bad row problem" role="alert">
      <Icon name="warning" />
      <div>
        <p class="problem-text">{problem.message}</p>
        {problem.requestId !== null && <p class="hint">Request {problem.requestId}</p>}
      </div>
      {onRetry !== undefined && <Button words="Try again" onClick={onRetry} />}
    </div>
  )
}

/** The object may exist in the other mode. */
export function NotFound({ back }: { back?: { readonly href: string; readonly label: string } }) {
  const { session, mode, setMode } = useSessionState()
  const other = mode === 'live' ? 'sandbox' : 'live'
  const canSwitch = session?.modes.includes(other) ?? false
  return (
    <Empty
      title="Not found"
      icon="search"
      action={
        <>
          <LinkButton words={back?.label ?? 'Go to the overview'} href={back?.href ?? '/dashboard'} />
          {canSwitch && <Button words={`Look in ${other}`} onClick={() => setMode(other)} />}
        </>
      }
    >
      <p>It was deleted, the address is wrong, or it is not in {mode}.</p>
    </Empty>
  )
}

/** Path in the API, or a query that the screen has already. */
type Source<T> = string | (Pick<Query<T>, 'data' | 'problem' | 'reload'> & Partial<Pick<Query<T>, 'etag'>>)

function useSource<T>(source: Source<T>): Exclude<Source<T>, string> {
  const query = useQuery<T>(typeof source === 'string' ? source : null)
  return typeof source === 'string' ? query : source
}

type LoadedProps<T> = {
  readonly of: Source<T>
  readonly back?: { readonly href: string; readonly label: string }
  readonly lines?: number
  /** Shown instead of a list without entries. */
  readonly ifEmpty?: ComponentChildren
  readonly children: (data: T, etag: string | null) => ComponentChildren
}

const isEmptyList = (data: unknown): boolean =>
  Array.isArray(data) ? data.length === 0 : isEmptyList((data as { readonly data: unknown }).data)

/** `<Loaded<Order> of="/v1/orders/ord_1">{(order) => …}</Loaded>` */
export function Loaded<T>({ of, back, lines = 6, ifEmpty, children }: LoadedProps<T>) {
  const { data, problem, reload, etag = null } = useSource(of)
  if (data === undefined && problem === null) return <Skeleton lines={lines} />
  return (
    <>
      {problem !== null && <Problem problem={problem} onRetry={reload} {...(back === undefined ? {} : { back })} />}
      {data !== undefined && (ifEmpty !== undefined && isEmptyList(data) ? ifEmpty : children(data, etag))}
    </>
  )
}

type ObjectPageProps<T> = Omit<PageProps, 'title' | 'aside' | 'intro' | 'actions' | 'children'> & {
  readonly of: Source<T>
  readonly title: string | ((object: T) => string)
  /** Title until the object is read, and if it cannot be read. */
  readonly untitled?: string
  /** Words of the button back if there is no such object: "To the files". By default the label of the link. */
  readonly backButton?: string
  readonly aside?: (object: T) => ComponentChildren
  /** Functions get the object, and show nothing before it is read. */
  readonly intro?: string | VNode | ((object: T) => ComponentChildren)
  readonly actions?: false | VNode | ((object: T) => ComponentChildren)
  readonly lines?: number
  readonly ifEmpty?: ComponentChildren
  readonly children: (object: T, etag: string | null) => ComponentChildren
}

/** The page of one object, or of one answer of the API: reads it, and shows its title, actions and content, or what is known without it. */
export function ObjectPage<T>(props: ObjectPageProps<T>) {
  const {
    of,
    title,
    untitled = '',
    back,
    backButton = back?.label ?? '',
    aside,
    intro,
    actions,
    children,
    ...rest
  } = props
  const query = useSource(of)
  const { data } = query
  const show = (part: ComponentChildren | ((object: T) => ComponentChildren)) =>
    typeof part === 'function' ? data !== undefined && part(data) : part
  return (
    <Page
      title={typeof title === 'string' ? title : data === undefined ? untitled : title(data)}
      {...(back === undefined ? {} : { back })}
      aside={show(aside)}
      intro={show(intro)}
      actions={show(actions)}
    >
      <Loaded {...rest} of={query} {...(back === undefined ? {} : { back: { ...back, label: backButton } })}>
        {children}
      </Loaded>
    </Page>
  )
}
