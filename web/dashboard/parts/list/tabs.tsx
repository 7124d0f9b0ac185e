// Tabs for the views of one thing. Each view has a URL, so tabs are links that can be bookmarked and opened in a new browser tab.

import type { ComponentChildren } from 'preact'

type Tab = { readonly href: string; readonly label: ComponentChildren; readonly isHere: boolean }

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ href, label: text, isHere }) => (
          <li key={href}>
            <a href={href} aria-current={isHere ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
