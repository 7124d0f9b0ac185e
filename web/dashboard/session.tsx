// Who is logged in, what they may do, and which of the two worlds they look at. Screens below `SessionGate` always have a session.

import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { type ApiProblem, call, connection, type Mode, problemOf } from './api.ts'

export type Role = 'owner' | 'manager' | 'packer' | 'developer'

export type Session = {
  readonly account: {
    readonly id: string
    readonly email: string
    /** Empty where nobody has said it. */
    readonly name: string
    readonly role: Role
    readonly has_second_factor: boolean
  }
  readonly merchant: {
    readonly id: number
    readonly name: string
    readonly time_zone: string
    readonly currency: string
    readonly logo_url: string | null
  }
  readonly csrf_token: string
  readonly modes: readonly Mode[]
  /** Operations, such as `orders.refund`, by mode: a developer may do more in the sandbox. */
  readonly may_in: Readonly<Record<Mode, readonly string[]>>
  readonly expires: number
}

type Held = {
  readonly session: Session | null
  /** Undefined: not asked yet. */
  readonly problem: ApiProblem | null | undefined
  readonly mode: Mode
  readonly setMode: (mode: Mode) => void
  /** After a login, or a change of what the session says. Null: logged out. */
  readonly take: (session: Session | null) => void
  readonly reload: () => Promise<void>
  /** Set while calls wait for somebody to log in again. */
  readonly isInterrupted: boolean
}

const Context = createContext<Held | null>(null)

const MODE_KEY = 'cartwright.mode'

/** Of this tab, else of the last one: nothing but `sandbox` or `live` is kept in the browser. */
function readMode(): Mode {
  try {
    const kept = sessionStorage.getItem(MODE_KEY) ?? localStorage.getItem(MODE_KEY)
    return kept === 'live' ? 'live' : 'sandbox'
  } catch {
    return 'sandbox'
  }
}

function keepMode(mode: Mode) {
  try {
    sessionStorage.setItem(MODE_KEY, mode)
    localStorage.setItem(MODE_KEY, mode)
  } catch {}
}

/** Calls that wait for somebody to log in again; they share one dialog. */
let waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [session, setSession] = useState<Session | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null | undefined>(undefined)
  const [chosen, setChosen] = useState<Mode>(readMode)
  const [isInterrupted, setInterrupted] = useState(false)

  const modes = session?.modes ?? [chosen]
  const mode = modes.includes(chosen) ? chosen : (modes[0] ?? 'sandbox')
  connection.mode = mode
  connection.csrfToken = session?.csrf_token ?? connection.csrfToken

  const take = useCallback((fresh: Session | null) => {
    connection.csrfToken = fresh?.csrf_token ?? null
    setSession((former) => {
      const isAnother =
        former !== null &&
        fresh !== null &&
        (former.account.id !== fresh.account.id || former.merchant.id !== fresh.merchant.id)
      // Nothing of one person or shop may stay on the screen of another.
      if (isAnother) location.reload()
      return fresh
    })
    setProblem(null)
    if (fresh === null) return
    waiting?.resolve()
    waiting = null
    setInterrupted(false)
  }, [])

  const reload = useCallback(async () => {
    try {
      take(await call<Session>('GET', '/session'))
    } catch (error) {
      const found = problemOf(error)
      if (found.status === 401) take(null)
      else setProblem(found)
    }
  }, [take])

  useEffect(() => {
    reload()
  }, [reload])

  useEffect(() => {
    connection.renew = async () => take(await call<Session>('GET', '/session'))
    connection.login =
      session === null
        ? null
        : () => {
            if (waiting === null) {
              let resolve = () => {}
              const promise = new Promise<void>((settle) => {
                resolve = settle
              })
              waiting = { promise, resolve }
              setInterrupted(true)
            }
            return waiting.promise
          }
  }, [session, take])

  const setMode = useCallback((next: Mode) => {
    connection.mode = next
    keepMode(next)
    setChosen(next)
  }, [])

  const held = useMemo(
    () => ({ session, problem, mode, setMode, take, reload, isInterrupted }),
    [session, problem, mode, setMode, take, reload, isInterrupted],
  )
  return <Context.Provider value={held}>{children}</Context.Provider>
}

export function useHeld(): Held {
  const held = useContext(Context)
  if (held === null) throw new Error('There is no SessionProvider above.')
  return held
}

/** Of a screen that only people who are logged in see. */
export function useSession(): Session {
  const { session } = useHeld()
  if (session === null) throw new Error('Nobody is logged in.')
  return session
}

/** `const may = useMay(); may('orders.refund')`: what is not allowed is not offered. The server decides all the same. */
export function useMay(): (operation: string) => boolean {
  const { may_in: operations } = useSession()
  const { mode } = useHeld()
  return useMemo(() => {
    const allowed = new Set(operations[mode])
    return (operation: string) => allowed.has(operation)
  }, [operations, mode])
}

/** True in the sandbox for a role that may not change settings in live: what it changes, it changes for the sandbox only. */
export function useIsSandboxOnly(): boolean {
  const { may_in: operations } = useSession()
  const { mode } = useHeld()
  return mode === 'sandbox' && !operations.live.includes('merchants.update')
}

export function useMode(): readonly [Mode, (mode: Mode) => void] {
  const { mode, setMode } = useHeld()
  return [mode, setMode]
}

/** The page is loaded anew: nothing that it has shown stays behind. */
export async function logOut(): Promise<void> {
  await call('DELETE', '/session')
  location.assign('/dashboard')
}
