// Rarely opened parts are separate files. They are loaded when the page is idle, or at the latest when they open.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { showToast } from '../parts/page/toast.tsx'

type FailureProps = {
  /** Called if the part cannot be loaded. Unmount it then, so that opening it again tries again. */
  readonly onFailed: () => void
}

/** `const OrderDialogs = loadWhenIdle(async () => (await import('./dialogs/all-dialogs.tsx')).OrderDialogs)`: shows nothing until it is loaded. */
export function loadWhenIdle<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props & FailureProps> {
  let loading: Promise<ComponentType<Props>> | undefined
  const once = () => {
    loading ??= load().catch((error) => {
      // Let the next call try again: the connection may be back.
      loading = undefined
      throw error
    })
    return loading
  }
  // Loading ahead means that a click does not wait, and works even if the connection is lost.
  const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500))
  idle(() => void once().catch(() => undefined))

  return function Later(props: Props & FailureProps) {
    const [Loaded, setLoaded] = useState<{ readonly it: ComponentType<Props> } | null>(null)
    useEffect(() => {
      once().then(
        (it) => setLoaded({ it }),
        () => {
          showToast(
            'This could not be loaded: the dashboard was updated, or the line broke. Try again, or load the page again.',
            'bad',
          )
          props.onFailed()
        },
      )
    }, [])
    return Loaded === null ? null : <Loaded.it {...props} />
  }
}
