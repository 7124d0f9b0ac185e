// States of a screen without data: loading, empty, no match, failed, forbidden, not found. `Loaded` chooses between them, so a screen only
// renders its data.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiProblem } from '../../api.ts'
import { Icon, type IconName } from '../../icons.tsx'
import { useSessionState } from '../../session.tsx'
import { Button, LinkButton } from './button.tsx'

/** Shorter waits are not shown, because they would only flicker. */
const SLOW_MS = 150

export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="skeleton" aria-busy="true">
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
      {children !== undefined && <div class="empty-text">{children}</div>}
      {action !== undefined && <p class="empty-action">{action}</p>}
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
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p class="problem-text">{problem.message}</p>
        {problem.requestId !== null && <p class="hint">Request {problem.requestId}</p>}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
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
          <LinkButton href={back?.href ?? '/dashboard'}>{back?.label ?? 'Go to the overview'}</LinkButton>
          {canSwitch && <Button onClick={() => setMode(other)}>Look in {other}</Button>}
        </>
      }
    >
      <p>It was deleted, the address is wrong, or it is not in {mode}.</p>
    </Empty>
  )
}

type LoadedProps<T> = {
  readonly query: {
    readonly data: T | undefined
    readonly problem: ApiProblem | null
    readonly reload: () => void
  }
  readonly back?: { readonly href: string; readonly label: string }
  readonly lines?: number
  readonly children: (data: T) => ComponentChildren
}

/** `<Loaded query={query}>{(order) => …}</Loaded>` */
export function Loaded<T>({ query, back, lines = 6, children }: LoadedProps<T>) {
  const { data, problem, reload } = query
  if (data === undefined && problem === null) return <Skeleton lines={lines} />
  return (
    <>
      {problem !== null && <Problem problem={problem} onRetry={reload} {...(back === undefined ? {} : { back })} />}
      {data !== undefined && children(data)}
    </>
  )
}
