// The address at which each list was left, with its filters and page. A link back from an object leads there.

import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'

const addresses = new Map<string, string>()

/** The link back to a list: `backTo('/dashboard/orders', 'Orders')`. */
export const backTo = (screen: string, label: string) => ({ href: addresses.get(screen) ?? screen, label })

export function useLastAddress(screen: string) {
  const { url, path } = useLocation()
  useEffect(() => {
    // The list stays mounted until the next screen is loaded, and `url` is already that of the next screen.
    if (path === screen) addresses.set(screen, url)
  }, [url, path, screen])
}
