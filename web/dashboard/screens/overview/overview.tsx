// The state of the shop in five seconds: sales compared with before, open tasks, best sellers and low stock.

import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { LowItem, ProductList, Overview as Report, StockList } from '../../../../src/api/reports/schema.ts'
import { Empty, Loaded, ObjectPage, Page, Section } from '../../parts/page/page.tsx'
import { Chart } from '../../parts/show/chart.tsx'
import { Badge, count, dayText, Money, type Price, plural, shopDay } from '../../parts/show/values.tsx'
import { useMay, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { CheckList, mayNeedCheckList } from './check-list.tsx'
import { PackerToDo, ToDo } from './to-do.tsx'

const PERIODS = [
  ['1', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const

const RUNS_OUT_BELOW = 5

export function Overview() {
  const may = useMay()
  if (!may('reports.overview'))
    return (
      <Page title="Overview">
        <PackerToDo />
      </Page>
    )
  return <OwnerOverview />
}

function OwnerOverview() {
  const { merchant } = useSession()
  const { query } = useLocation()
  const days = PERIODS.find(([value]) => value === query.days)?.[0] ?? '30'
  const from = shopDay(merchant.time_zone, 1 - Number(days))
  const to = shopDay(merchant.time_zone)
  const report = useQuery<Report>(`/v1/reports/overview?from=${from}&to=${to}&compare=true`, {
    keepsPrevious: true,
  })
  return (
    <ObjectPage of={report} title="Overview" actions={<Period chosen={days} />} lines={10}>
      {(data) => (
        <>
          {mayNeedCheckList(data.check_list) && <CheckList steps={data.check_list} />}
          <div class="overview column" aria-busy={report.isLoading || undefined}>
            <Figures report={data} />
            <Sales report={data} />
            <ToDo counts={data.to_do} hasGateway={data.check_list.gateway} />
            <TopProducts from={from} to={to} hasOrders={data.totals.orders > 0} />
            <LowStock />
          </div>
        </>
      )}
    </ObjectPage>
  )
}

function Period({ chosen }: { chosen: string }) {
  return (
    <nav class="period" aria-label="Period">
      {PERIODS.map(([value, label]) => (
        <a key={value} href={`/dashboard?days=${value}`} aria-current={value === chosen ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}

function Figures({ report }: { report: Report }) {
  const { totals, previous } = report
  const days = report.days.length
  const before = days === 1 ? 'yesterday' : `in the ${days} days before`
  return (
    <dl class="totals" aria-label="Totals">
      <Figure label="Sales" value={totals.sales.formatted_with_symbol}>
        <Change now={totals.sales.raw} then={previous?.sales.raw} before={before} />
      </Figure>
      <Figure label="Orders" value={count(totals.orders)}>
        <Change now={totals.orders} then={previous?.orders} before={before} />
      </Figure>
      <Figure label="Average order" value={totals.average.formatted_with_symbol}>
        <Change now={totals.average.raw} then={previous?.average.raw} before={before} />
      </Figure>
      <Figure
        label="From returning customers"
        value={totals.returning_share === null ? '–' : percent.format(totals.returning_share)}
      >
        {totals.returning_share !== null && (
          <Points now={totals.returning_share} then={previous?.returning_share ?? undefined} before={before} />
        )}
      </Figure>
    </dl>
  )
}

const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0 })
const signed = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })

function Figure({ label, value, children }: { label: string; value: string; children?: ComponentChildren }) {
  return (
    <div class="total">
      <dt class="hint">{label}</dt>
      <dd>
        <p class="total-value">{value}</p>
        {children}
      </dd>
    </div>
  )
}

type ChangeProps = { readonly now: number; readonly then: number | undefined; readonly before: string }

/** Without a previous period nothing is shown, and a previous zero has no percentage. */
function Change({ now, then, before }: ChangeProps) {
  if (then === undefined) return null
  if (then === 0) return <p class="change">{now === 0 ? `none ${before} either` : `none ${before}`}</p>
  return <TrendText by={(now - then) / then} text={signed.format((now - then) / then)} before={before} />
}

/** Shares are compared in percentage points: "50 % more" of a share would mean something else. */
function Points({ now, then, before }: ChangeProps) {
  if (then === undefined) return null
  const points = Math.round((now - then) * 100)
  return <TrendText by={points} text={`${points > 0 ? '+' : ''}${points} points`} before={before} />
}

function TrendText({ by, text, before }: { by: number; text: string; before: string }) {
  const direction = Math.abs(by) < 0.005 ? 'same' : by > 0 ? 'more' : 'less'
  return (
    <p class={`change ${direction}`}>
      <strong>{direction === 'same' ? 'unchanged' : text}</strong> vs {before.replace(/^in /, '')}
    </p>
  )
}

function Sales({ report: { days, totals } }: { report: Report }) {
  const sample = totals.sales
  return (
    <Section title="Sales per day" kind="sales">
      {totals.orders === 0 ? (
        <Empty title="No sales in this time" icon="overview">
          <p>Orders appear here the moment they are placed.</p>
        </Empty>
      ) : (
        <Chart
          label="Sales per day"
          columns={['Day', 'Sales', 'Orders']}
          axis={(value) => axisText(value, sample)}
          bars={days.map(({ day, sales, orders }) => ({
            key: day,
            label: dayText(day),
            value: sales.raw,
            text: `${dayText(day, true)}: ${sales.formatted_with_symbol} from ${plural(orders, 'order')}`,
            cells: [dayText(day, true), sales.formatted_with_symbol, count(orders)],
          }))}
        />
      )}
    </Section>
  )
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** Starts with the currency symbol that the API writes before amounts. */
const axisText = (value: number, sample: Price): string =>
  `${/^[^\d-]*/.exec(sample.formatted_with_symbol.replace(/^-/, ''))?.[0] ?? ''}${short.format(value)}`

type TopProps = { readonly from: string; readonly to: string; readonly hasOrders: boolean }

function TopProducts({ from, to, hasOrders }: TopProps) {
  const may = useMay()
  const top = useQuery<ProductList>(
    may('reports.products') ? `/v1/reports/products?from=${from}&to=${to}&limit=5` : null,
    { keepsPrevious: true },
  )
  const nothing = hasOrders ? 'New orders are counted here within a minute.' : 'Nothing was sold in this time.'
  return (
    <Section title="Sold best" kind="top-five">
      <Loaded of={top} lines={5} ifEmpty={<p class="hint">{nothing}</p>}>
        {({ data }) => (
          <ol class="things stack">
            {data.map((product) => (
              <li key={product.product_id}>
                {product.image_url === null ? (
                  <span class="no-picture" />
                ) : (
                  <img src={product.image_url} alt="" loading="lazy" />
                )}
                <div class="thing-name">
                  {product.name}
                  <p class="hint">{plural(product.quantity, 'piece')}</p>
                </div>
                <Money price={product.sales} />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Section>
  )
}

function LowStock() {
  const may = useMay()
  const low = useQuery<StockList>(may('reports.stock') ? `/v1/reports/stock?below=${RUNS_OUT_BELOW}&limit=5` : null)
  return (
    <Section title="Running out" kind="low-stock">
      <Loaded of={low} lines={5} ifEmpty={<p class="hint">Nothing has fewer than {RUNS_OUT_BELOW} pieces left.</p>}>
        {({ data }) => (
          <ul class="things stack">
            {data.map((item) => (
              <li key={item.variant_id ?? item.product_id}>
                <div class="thing-name">
                  {item.name}
                  {optionsText(item.options) !== '' && <p class="hint">{optionsText(item.options)}</p>}
                </div>
                <Badge tone={item.available > 0 ? 'open' : 'bad'}>
                  {item.available > 0 ? `${count(item.available)} left` : 'Sold out'}
                </Badge>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

const optionsText = (options: LowItem['options']): string => options.map(({ option_name: name }) => name).join(', ')
