// Login dialog for a session that has ended while a page was open. The page stays as it is, and waiting calls are repeated after the login.

import { Dialog } from '../parts/page/dialog.tsx'
import { LoginForm } from '../screens/login/login.tsx'
import { useSession, useSessionState } from '../session.tsx'

export function SignedOut() {
  const { account, merchant } = useSession()
  const { take } = useSessionState()
  return (
    <Dialog title="Log in again" onClose={() => undefined} canClose={false} kind="signed-out">
      <p class="dialog-text">Your session has ended. Nothing is lost: log in, and what you were doing goes on.</p>
      <LoginForm email={account.email} merchantId={merchant.id} onDone={take} />
      <p class="hint">
        <a href="/dashboard" onClick={() => setTimeout(() => location.reload())}>
          Leave this page and log in as somebody else
        </a>
      </p>
    </Dialog>
  )
}
