// The session: the logged-in user, their permissions, and the selected mode. Screens in the shell always have a session.

import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks'
import type { SessionView } from '../../src/dashboard/views.ts'
import { type ApiProblem, call, connection, type Mode, problemOf } from './api.ts'
import { readStored, store } from './stored.ts'

export type Session = SessionView
export type Role = Session['account']['role']

type SessionState = {
  readonly session: Session | null
  /** Undefined until the first response. */
  readonly problem: ApiProblem | null | undefined
  readonly mode: Mode
  readonly setMode: (mode: Mode) => void
  /** Sets the session after a login or a change. Null: logged out. */
  readonly take: (session: Session | null) => void
  readonly reload: () => Promise<void>
  /** True while calls wait for a new login. */
  readonly isInterrupted: boolean
}

const Context = createContext<SessionState | null>(null)

const MODE_KEY = 'cartwright.mode'

/** The mode of this tab, else the one used last. The browser stores only `sandbox` or `live`. */
function readMode(): Mode {
  const storedMode = readStored('tab', MODE_KEY) ?? readStored('browser', MODE_KEY)
  return storedMode === 'live' ? 'live' : 'sandbox'
}

function storeMode(mode: Mode) {
  store('tab', MODE_KEY, mode)
  store('browser', MODE_KEY, mode)
}

/** Calls that wait for a new login; they share one dialog. */
let pendingLogin: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [session, setSession] = useState<Session | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null | undefined>(undefined)
  const [chosenMode, setChosenMode] = useState<Mode>(readMode)
  const [isInterrupted, setInterrupted] = useState(false)

  const modes = session?.modes ?? [chosenMode]
  const mode = modes.includes(chosenMode) ? chosenMode : (modes[0] ?? 'sandbox')
  connection.mode = mode
  connection.csrfToken = session?.csrf_token ?? connection.csrfToken

  const take = useCallback((fresh: Session | null) => {
    connection.csrfToken = fresh?.csrf_token ?? null
    setSession((former) => {
      const isAnother =
        former !== null &&
        fresh !== null &&
        (former.account.id !== fresh.account.id || former.merchant.id !== fresh.merchant.id)
      // Data of one person or shop must not stay on the screen of another.
      if (isAnother) location.reload()
      return fresh
    })
    setProblem(null)
    if (fresh === null) return
    pendingLogin?.resolve()
    pendingLogin = null
    setInterrupted(false)
  }, [])

  const reload = useCallback(async () => {
    try {
      take(await call<Session>('GET', '/session'))
    } catch (error) {
      const apiProblem = problemOf(error)
      if (apiProblem.status === 401) take(null)
      else setProblem(apiProblem)
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
            if (pendingLogin === null) {
              let resolve = () => {}
              const promise = new Promise<void>((settle) => {
                resolve = settle
              })
              pendingLogin = { promise, resolve }
              setInterrupted(true)
            }
            return pendingLogin.promise
          }
  }, [session, take])

  const setMode = useCallback((next: Mode) => {
    connection.mode = next
    storeMode(next)
    setChosenMode(next)
  }, [])

  const sessionState = useMemo(
    () => ({ session, problem, mode, setMode, take, reload, isInterrupted }),
    [session, problem, mode, setMode, take, reload, isInterrupted],
  )
  return <Context.Provider value={sessionState}>{children}</Context.Provider>
}

export function useSessionState(): SessionState {
  const sessionState = useContext(Context)
  if (sessionState === null) throw new Error('There is no SessionProvider above.')
  return sessionState
}

/** The session, for screens of logged-in users. */
export function useSession(): Session {
  const { session } = useSessionState()
  if (session === null) throw new Error('Nobody is logged in.')
  return session
}

/** `const may = useMay(); may('orders.refund')`: hide actions that are not allowed. The server checks them anyway. */
export function useMay(): (operation: string) => boolean {
  const { session, mode } = useSessionState()
  return useMemo(() => {
    const allowed = new Set(session?.may_in[mode])
    return (operation: string) => allowed.has(operation)
  }, [session, mode])
}

/** True in the sandbox for a role that may not change live settings; its changes apply to the sandbox only. */
export function useIsSandboxOnly(): boolean {
  const { may_in: operations } = useSession()
  const { mode } = useSessionState()
  return mode === 'sandbox' && !operations.live.includes('merchants.update')
}

export function useMode(): readonly [Mode, (mode: Mode) => void] {
  const { mode, setMode } = useSessionState()
  return [mode, setMode]
}

/** Loads the page again, so that no data stays behind. */
export async function logOutAndReload(): Promise<void> {
  await call('DELETE', '/session')
  location.assign('/dashboard')
}
