// The page of one object: reads it, and shows its title, actions and content, or what is known without it.

import type { ComponentChildren } from 'preact'
import { type Query, useQuery } from '../../use-query.ts'
import { Page } from './page.tsx'
import { Loaded } from './states.tsx'

type Props<T> = {
  /** Path in the API, or a query that the screen has already. */
  readonly of: string | Query<T>
  readonly title: string | ((object: T) => string)
  /** Title until the object is read, and if it cannot be read. */
  readonly untitled?: string
  /** Link to the list: `backTo('/dashboard/orders', 'Orders')`. */
  readonly back: { readonly href: string; readonly label: string }
  /** Words of the button back if there is no such object: "To the files". By default the label of the link. */
  readonly backButton?: string
  readonly aside?: (object: T) => ComponentChildren
  readonly intro?: (object: T) => ComponentChildren
  readonly actions?: (object: T) => ComponentChildren
  readonly lines?: number
  readonly children: (object: T, etag: string | null) => ComponentChildren
}

export function ObjectPage<T>(props: Props<T>) {
  const { of, title, untitled = '', back, backButton = back.label, aside, intro, actions, lines = 6, children } = props
  const ownQuery = useQuery<T>(typeof of === 'string' ? of : null)
  const query = typeof of === 'string' ? ownQuery : of
  const { data, etag } = query
  return (
    <Page
      title={typeof title === 'string' ? title : data === undefined ? untitled : title(data)}
      back={back}
      aside={data !== undefined && aside?.(data)}
      intro={data !== undefined && intro?.(data)}
      actions={data !== undefined && actions?.(data)}
    >
      <Loaded query={query} back={{ ...back, label: backButton }} lines={lines}>
        {(object) => children(object, etag)}
      </Loaded>
    </Page>
  )
}
