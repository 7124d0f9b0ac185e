// Entry point of the dashboard. Logged-in users see the shell with a screen; everybody else sees a login page.

import { Component, type ComponentChildren, render } from 'preact'
import { LocationProvider, useLocation } from 'preact-iso/router'
import { Button } from './parts/page/button.tsx'
import { Empty, Problem, Skeleton } from './parts/page/page.tsx'
import { isOpenPath, OpenRoutes } from './routes.tsx'
import { Login } from './screens/login/login.tsx'
import { SessionProvider, useSessionState } from './session.tsx'
import { Shell } from './shell/shell.tsx'

/** Paths that preact-iso routes. The browser itself opens files of the API. */
const SCOPE = /^\/dashboard(?!\/api\/)(?:[/?#]|$)/

function App() {
  const { session, problem, reload } = useSessionState()
  const { path } = useLocation()
  if (isOpenPath(path)) return <OpenRoutes />
  if (session !== null) return <Shell />
  if (problem === undefined) return <Skeleton lines={0} />
  if (problem !== null) return <Problem problem={problem} onRetry={reload} />
  return <Login />
}

/** Reports an error in a screen, so that the user sees more than an empty page. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { hasBroken: boolean }> {
  override state = { hasBroken: false }

  static override getDerivedStateFromError() {
    return { hasBroken: true }
  }

  override render() {
    if (!this.state.hasBroken) return this.props.children
    return (
      <Empty
        title="This page has broken"
        icon="warning"
        action={<Button words="Load it again" kind="primary" onClick={() => location.reload()} />}
      >
        <p>What was saved is saved. If it happens again, tell us what you did before.</p>
      </Empty>
    )
  }
}

const root = document.getElementById('app')
if (root !== null) {
  root.replaceChildren()
  render(
    <LocationProvider scope={SCOPE}>
      <SessionProvider>
        <ErrorBoundary>
          <App />
        </ErrorBoundary>
      </SessionProvider>
    </LocationProvider>,
    root,
  )
}
