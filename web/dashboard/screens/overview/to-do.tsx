// Open tasks, each with a link to its screen.

import type { Order } from '../../../../src/api/orders/schema.ts'
import type { Overview } from '../../../../src/api/reports/schema.ts'
import { Icon, type IconName } from '../../icons.tsx'
import type { ListPage } from '../../parts/list/list.tsx'
import { Loaded, Section } from '../../parts/page/page.tsx'
import { plural } from '../../parts/show/values.tsx'
import { useMay, useMode } from '../../session.tsx'

type Task = {
  readonly isOpen: boolean
  readonly icon: IconName
  readonly text: string
  readonly href?: string
  /** Operation that the user must be allowed to do; otherwise the task is for others. */
  readonly permission: string
}

/** The API counts no further. */
const MOST = 100

const some = (value: number, one: string, many: string): string =>
  value >= MOST ? `${MOST} or more ${many}` : plural(value, one, many)

export function ToDo({ counts, hasGateway }: { counts: Overview['to_do']; hasGateway: boolean }) {
  const [mode] = useMode()
  return (
    <Tasks
      tasks={[
        {
          isOpen: counts.unshipped > 0,
          icon: 'truck',
          text: `Ship ${some(counts.unshipped, 'order', 'orders')}`,
          href: '/dashboard/orders?status=unshipped',
          permission: 'orders.list',
        },
        {
          isOpen: counts.unpaid > 0,
          icon: 'money',
          text: `${some(counts.unpaid, 'order waits', 'orders wait')} for payment`,
          href: '/dashboard/orders?status=unpaid',
          permission: 'orders.list',
        },
        {
          isOpen: counts.failing_webhooks > 0,
          icon: 'webhook',
          text: plural(counts.failing_webhooks, 'webhook fails', 'webhooks fail'),
          href: '/dashboard/webhooks',
          permission: 'webhooks.list',
        },
        {
          isOpen: counts.low_stock > 0,
          icon: 'box',
          text: `${some(counts.low_stock, 'item runs', 'items run')} out`,
          permission: 'reports.stock',
        },
        {
          // The sandbox takes test cards in any case.
          isOpen: !hasGateway && mode === 'live',
          icon: 'warning',
          text: 'Nobody can pay yet: switch on a way to pay',
          permission: 'reports.overview',
        },
      ]}
    />
  )
}

/** For roles that may not see money: only orders to pack. */
export function PackerToDo() {
  return (
    <Loaded<ListPage<Order>> of="/v1/orders?status=unshipped&limit=1" lines={2}>
      {({ meta }) => (
        <ToDo counts={{ unshipped: meta.pagination.total, unpaid: 0, failing_webhooks: 0, low_stock: 0 }} hasGateway />
      )}
    </Loaded>
  )
}

function Tasks({ tasks }: { tasks: readonly Task[] }) {
  const may = useMay()
  const openTasks = tasks.filter(({ isOpen, permission }) => isOpen && may(permission))
  return (
    <Section title="To do" kind="to-do">
      {openTasks.length === 0 ? (
        <p class="row hint">
          <Icon name="check" />
          Nothing waits for you.
        </p>
      ) : (
        <ul class="tasks">
          {openTasks.map(({ icon, text, href }) => (
            <li key={text}>
              {href === undefined ? (
                <span class="task">
                  <Icon name={icon} />
                  <span>{text}</span>
                </span>
              ) : (
                <a class="task" href={href}>
                  <Icon name={icon} />
                  <span>{text}</span>
                  <Icon name="right" />
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
