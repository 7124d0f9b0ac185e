// Loads a part of a screen after the screen itself, because the part is large and not visible at once.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Note } from './page.tsx'
import { Skeleton } from './states.tsx'

/** Use at the top of a file: `const Variants = lazyPart(async () => (await import('./variants.tsx')).Variants)`. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loadedPart: ComponentType<Props> | null = null
  return function Later(props: Props) {
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
            <Button onClick={loadPart}>Try again</Button>
          </p>
        </Note>
      )
    return Part === null ? <Skeleton lines={3} /> : <Part {...props} />
  }
}
