// What is seldom opened is a file of its own: it is loaded when the page has nothing else to do, or else when it is opened.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { say } from '../parts/toast.tsx'

/** `const Asking = later(async () => (await import('./dialogs/asking.tsx')).Asking)`: shows nothing until it is there. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined
  const once = () => {
    loading ??= load().catch((error) => {
      // The line may be back the next time.
      loading = undefined
      throw error
    })
    return loading
  }
  // Who presses does not wait, and what was loaded is there also when the line breaks.
  const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500))
  idle(() => void once().catch(() => undefined))

  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState<{ readonly it: ComponentType<Props> } | null>(null)
    useEffect(() => {
      once().then(
        (it) => setLoaded({ it }),
        () =>
          say('This could not be loaded: the dashboard was updated, or the line broke. Load the page again.', 'bad'),
      )
    }, [])
    return Loaded === null ? null : <Loaded.it {...props} />
  }
}
