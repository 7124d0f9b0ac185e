// A bar chart over days. Arrow keys move between the bars and announce each. A table below has the figures, and the colours follow the
// system's colour scheme.

import { useId, useState } from 'preact/hooks'

export type Bar = {
  readonly key: string
  /** Label at the axis: "17 Nov". */
  readonly label: string
  readonly value: number
  /** Text for the active bar: "Tue 17 Nov: $120.00 from 3 orders". */
  readonly text: string
  /** Cells of the bar's row in the table. */
  readonly cells: readonly string[]
}

type ChartProps = {
  /** Name of the chart: "Sales per day". */
  readonly label: string
  readonly bars: readonly Bar[]
  readonly columns: readonly string[]
  /** Formats a value at the axis: "$1,200". */
  readonly axis: (value: number) => string
}

const [WIDTH, HEIGHT] = [720, 180]

/** Rounds up to 1, 2 or 5 with zeros. */
export function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

export function Chart({ label, bars, columns, axis }: ChartProps) {
  const id = useId()
  const [activeIndex, setActiveIndex] = useState<number | null>(null)
  const top = roundUp(Math.max(0, ...bars.map(({ value }) => value)))
  const step = WIDTH / Math.max(1, bars.length)
  const width = Math.max(1, Math.min(step * 0.72, 40))
  const active = activeIndex === null ? undefined : bars[activeIndex]

  const handleKey = (event: KeyboardEvent) => {
    const last = bars.length - 1
    const next = {
      ArrowRight: Math.min(last, activeIndex === null ? 0 : activeIndex + 1),
      ArrowLeft: Math.max(0, activeIndex === null ? last : activeIndex - 1),
      Home: 0,
      End: last,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    setActiveIndex(next)
  }

  const activateBar = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    setActiveIndex(
      Math.max(0, Math.min(bars.length - 1, Math.floor(((event.clientX - box.left) / box.width) * bars.length))),
    )
  }

  return (
    <figure class="chart">
      <p class="hint" id={`${id}-says`} role="status">
        {active?.text ?? `Up to ${axis(Math.max(0, ...bars.map(({ value }) => value)))} a day`}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: no element of HTML is a chart. */}
      <div
        class="chart-plot"
        role="group"
        aria-roledescription="bar chart"
        aria-label={`${label}. Arrow keys go from day to day.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move in it.
        tabIndex={0}
        onKeyDown={handleKey}
        onBlur={() => setActiveIndex(null)}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={activateBar}
          onPointerDown={activateBar}
          onPointerLeave={() => setActiveIndex(null)}
        >
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              class="chart-line"
              x1="0"
              x2={WIDTH}
              y1={HEIGHT - part * (HEIGHT - 4)}
              y2={HEIGHT - part * (HEIGHT - 4)}
            />
          ))}
          {bars.map(({ key, value }, index) => {
            const height = Math.max(value > 0 ? 3 : 0, (Math.max(0, value) / top) * (HEIGHT - 4))
            return (
              <rect
                key={key}
                class={index === activeIndex ? 'bar here' : 'bar'}
                x={index * step + (step - width) / 2}
                y={HEIGHT - height}
                width={width}
                height={height}
              />
            )
          })}
        </svg>
        <p class="chart-top" aria-hidden="true">
          {axis(top)}
        </p>
      </div>
      <p class="row apart chart-axis" aria-hidden="true">
        {labelsOf(bars).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
      <details class="figures">
        <summary class="hint">Show the figures</summary>
        <div class="table-box">
          <table class="figures-table">
            <caption class="unseen">{label}</caption>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col" class={column === columns[0] ? undefined : 'number'}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ key, cells: [first, ...cells] }) => (
                <tr key={key}>
                  <th scope="row">{first}</th>
                  {cells.map((cell, index) => (
                    <td key={columns[index + 1]} class="number">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** First, middle and last label: more would not fit on a phone. */
function labelsOf(bars: readonly Bar[]): string[] {
  const places = [0, Math.floor((bars.length - 1) / 2), bars.length - 1]
  return [...new Set(places)].flatMap((place) => bars[place]?.label ?? [])
}
