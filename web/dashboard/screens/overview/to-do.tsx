// Open tasks, each with a link to its screen.

import { Icon, type IconName } from '../../icons.tsx'
import { Section } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { plural } from '../../parts/show/values.tsx'
import { useMay, useMode } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'

export type ToDoCounts = {
  readonly unshipped: number
  readonly unpaid: number
  readonly failing_webhooks: number
  readonly low_stock: number
}

type Task = {
  readonly icon: IconName
  readonly text: string
  readonly href: string | null
  readonly needs: string
}

/** The API counts no further. */
const MOST = 100

const some = (value: number, one: string, many: string): string =>
  value >= MOST ? `${MOST} or more ${many}` : plural(value, one, many)

export function ToDo({ counts, hasGateway }: { counts: ToDoCounts; hasGateway: boolean }) {
  const [mode] = useMode()
  const tasks: (Task | null)[] = [
    counts.unshipped === 0
      ? null
      : {
          icon: 'truck',
          text: `Ship ${some(counts.unshipped, 'order', 'orders')}`,
          href: '/dashboard/orders?status=unshipped',
          needs: 'orders.list',
        },
    counts.unpaid === 0
      ? null
      : {
          icon: 'money',
          text: `${some(counts.unpaid, 'order waits', 'orders wait')} for payment`,
          href: '/dashboard/orders?status=unpaid',
          needs: 'orders.list',
        },
    counts.failing_webhooks === 0
      ? null
      : {
          icon: 'webhook',
          text: plural(counts.failing_webhooks, 'webhook fails', 'webhooks fail'),
          href: '/dashboard/webhooks',
          needs: 'webhooks.list',
        },
    counts.low_stock === 0
      ? null
      : {
          icon: 'box',
          text: `${some(counts.low_stock, 'item runs', 'items run')} out`,
          href: null,
          needs: 'reports.stock',
        },
    // The sandbox takes test cards in any case.
    hasGateway || mode === 'sandbox'
      ? null
      : {
          icon: 'warning',
          text: 'Nobody can pay yet: switch on a way to pay',
          href: null,
          needs: 'reports.overview',
        },
  ]
  return <Tasks tasks={tasks} />
}

/** For roles that may not see money: only orders to pack. */
export function PackerToDo() {
  const query = useQuery<{ meta: { pagination: { total: number } } }>('/v1/orders?status=unshipped&limit=1')
  return (
    <Loaded query={query} lines={2}>
      {({ meta }) => (
        <ToDo counts={{ unshipped: meta.pagination.total, unpaid: 0, failing_webhooks: 0, low_stock: 0 }} hasGateway />
      )}
    </Loaded>
  )
}

function Tasks({ tasks }: { tasks: readonly (Task | null)[] }) {
  const may = useMay()
  const openTasks = tasks.filter((task): task is Task => task !== null && may(task.needs))
  return (
    <Section title="To do" kind="to-do">
      {openTasks.length === 0 ? (
        <p class="all-done">
          <Icon name="check" />
          Nothing waits for you.
        </p>
      ) : (
        <ul class="tasks">
          {openTasks.map(({ icon, text, href }) => (
            <li key={text}>
              {href === null ? (
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
