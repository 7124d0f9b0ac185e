// Loads a part of a screen after the screen itself, because the part is large or rarely opened.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Note, Skeleton } from './page.tsx'
import { showToast } from './toast.tsx'

type LoadPart<Props extends object> = () => Promise<ComponentType<Props>>

/**
 * For a part that is visible at once. Use it at the top of a file:
 * `const Variants = lazyPart(async () => (await import('./variants.tsx')).Variants)`.
 */
export function lazyPart<Props extends object>(load: LoadPart<Props>): ComponentType<Props> {
  let loadedPart: ComponentType<Props> | null = null
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loadedPart)
    const [hasFailed, setFailed] = useState(false)
    const loadPart = () => {
      setFailed(false)
      load().then(
        (part) => {
          loadedPart = part
          setPart(() => part)
        },
        () => setFailed(true),
      )
    }
    useEffect(() => {
      if (loadedPart === null) loadPart()
    }, [])
    if (hasFailed)
      return (
        <Note tone="bad">
          <p>
            A part of this page could not be loaded. Try again. If it fails again, save what you have typed and load the
            page again.
          </p>
          <p>
            <Button words="Try again" onClick={loadPart} />
          </p>
        </Note>
      )
    return Part === null ? <Skeleton lines={3} /> : <Part {...props} />
  }
}

type FailureProps = {
  /** Called if the part cannot be loaded. Unmount it then, so that opening it again tries again. */
  readonly onFailed: () => void
}

/**
 * For a part that is rarely opened. It loads when the page is idle, at the latest when it opens, and shows nothing until then:
 * `const OrderDialog = loadWhenIdle(async () => (await import('./dialogs/all-dialogs.tsx')).OrderDialog)`.
 */
export function loadWhenIdle<Props extends object>(load: LoadPart<Props>): ComponentType<Props & FailureProps> {
  let loading: Promise<ComponentType<Props>> | undefined
  const loadOnce = () => {
    loading ??= load().catch((error) => {
      // Let the next call try again: the connection may be back.
      loading = undefined
      throw error
    })
    return loading
  }
  // Loading ahead means that a click does not wait, and works even if the connection is lost.
  const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500))
  idle(() => void loadOnce().catch(() => undefined))

  return function IdlePart(props: Props & FailureProps) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(null)
    useEffect(() => {
      loadOnce().then(
        (part) => setPart(() => part),
        () => {
          showToast(
            'This could not be loaded: the dashboard was updated, or the line broke. Try again, or load the page again.',
            'bad',
          )
          props.onFailed()
        },
      )
    }, [])
    return Part === null ? null : <Part {...props} />
  }
}
