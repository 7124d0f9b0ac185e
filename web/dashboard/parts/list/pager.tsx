// Links to the next and previous page of a list. `Pager` uses page numbers if the API counts, and `CursorPager` a cursor for lists without
// a count. `PageButtons` turn the pages of a list whose page is not part of the URL.

import type { Pagination } from '../../../../src/lib/page.ts'
import { Icon } from '../../icons.tsx'
import { Button } from '../page/button.tsx'

type PagerProps = {
  readonly pagination: Pagination
  /** Singular and plural: "order", "orders". */
  readonly things: readonly [one: string, many: string]
  readonly hrefOf: (page: number) => string
}

const figure = new Intl.NumberFormat('en-US')

export function Pager({ pagination, things, hrefOf }: PagerProps) {
  const { total, count, per_page: size, current_page: page, total_pages: last } = pagination
  const first = (page - 1) * size + 1
  const range = last > 1 && count > 0 ? `${figure.format(first)}–${figure.format(first + count - 1)} of ` : ''
  return (
    <nav class="row apart pager" aria-label="Pages">
      <p role="status">
        {range}
        {figure.format(total)} {total === 1 ? things[0] : things[1]}
      </p>
      {last > 1 && (
        <p class="pager-links">
          <Step label="Previous" icon="left" href={page > 1 ? hrefOf(page - 1) : null} />
          <span>
            Page {figure.format(page)} of {figure.format(last)}
          </span>
          <Step label="Next" icon="right" href={page < last ? hrefOf(page + 1) : null} />
        </p>
      )}
    </nav>
  )
}

/** For a list in a form or a dialog, whose page is not part of the URL. */
export function PageButtons({ pagination, onTurn }: { pagination: Pagination; onTurn: (page: number) => void }) {
  const { current_page: page, total_pages: last } = pagination
  if (last <= 1) return null
  return (
    <p class="pager-links">
      <Button words="Previous" isSmall disabled={page === 1} onClick={() => onTurn(page - 1)} />
      <span>
        Page {figure.format(page)} of {figure.format(last)}
      </span>
      <Button words="Next" isSmall disabled={page >= last} onClick={() => onTurn(page + 1)} />
    </p>
  )
}

type CursorPagerProps = {
  /** The response's `next`. */
  readonly next: string | null
  /** The URL's `after`. */
  readonly after: string
  readonly hrefOf: (after: string) => string
}

export function CursorPager({ next, after, hrefOf }: CursorPagerProps) {
  if (next === null && after === '') return null
  return (
    <nav class="row apart pager" aria-label="Pages">
      <p class="pager-links">
        <Step label="Newest" icon="left" href={after === '' ? null : hrefOf('')} />
        <Step label="Older" icon="right" href={next === null ? null : hrefOf(next)} />
      </p>
    </nav>
  )
}

type StepProps = { readonly label: string; readonly icon: 'left' | 'right'; readonly href: string | null }

function Step({ label, icon, href }: StepProps) {
  const content = (
    <>
      {icon === 'left' && <Icon name={icon} />}
      <span>{label}</span>
      {icon === 'right' && <Icon name={icon} />}
    </>
  )
  if (href === null) return <span class="button plain small off">{content}</span>
  return (
    <a class="button plain small" href={href}>
      {content}
    </a>
  )
}
