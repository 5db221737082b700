// Figures of each day as lines. A table has the same figures, for screen readers and for people who want the numbers.
import uPlot from 'uplot'
import { html, useEffect, useRef, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'
import { dayText, language, numberText } from './texts.ts'

export type Line = {
  label: string
  /** One value for each day; null if it was not counted. */
  values: (number | null)[]
}

const HEIGHT = 220
const isDark = matchMedia('(prefers-color-scheme: dark)')

const valueText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : numberText(value)

function optionsOf(host: HTMLElement, lines: Line[]): uPlot.Options {
  const styles = getComputedStyle(host)
  const colour = (name: string) => styles.getPropertyValue(name).trim()
  const grid = { stroke: colour('--kith-plot-grid'), width: 1 }
  const axis = { stroke: colour('--pico-muted-color'), grid, ticks: grid }
  const short = new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const dayOf = (seconds: number) => new Date(seconds * 1000)
  return {
    width: host.clientWidth,
    height: HEIGHT,
    // days are those of the instance, in UTC
    tzDate: (seconds) => uPlot.tzDate(dayOf(seconds), 'Etc/UTC'),
    scales: { y: { range: (_, __, most) => [0, Math.max(1, Math.ceil(most * 1.1))] } },
    series: [
      { label: sharedTexts.value.day, value: (_, at) => (at ? dayText(dayOf(at).toISOString()) : '–') },
      ...lines.map(({ label }, at) => ({
        label,
        stroke: colour(`--kith-plot-${at + 1}`),
        width: 2,
        points: { size: 5 },
        // the lines can be told apart without colours, too
        ...(at > 0 && { dash: [6, 4] }),
        value: (_: uPlot, value: number | null) => valueText(value),
      })),
    ],
    axes: [
      { ...axis, values: (_, ticks) => ticks.map((at) => short.format(dayOf(at))) },
      {
        ...axis,
        size: 56,
        incrs: [1, 2, 5]
          .flatMap((one) => Array.from({ length: 9 }, (_, power) => one * 10 ** power))
          .sort((a, b) => a - b),
        values: (_, ticks) => ticks.map(numberText),
      },
    ],
  }
}

type PlotOptions = { title: string; days: string[]; lines: Line[] }

export function Plot({ title, days, lines }: PlotOptions): VNode {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const data = [days.map((day) => Date.parse(day) / 1000), ...lines.map(({ values }) => values)] as uPlot.AlignedData
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(optionsOf(element, lines), data, element)
    }
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }))
    draw()
    resized.observe(element)
    isDark.addEventListener('change', draw)
    return () => {
      resized.disconnect()
      isDark.removeEventListener('change', draw)
      plot?.destroy()
    }
  }, [days, lines, language.value])
  const t = sharedTexts.value
  return html`<figure class="plot">
    <figcaption><h2>${title}</h2></figcaption>
    <div ref=${host} aria-hidden="true"></div>
    <details>
      <summary>${t.asTable}<span class="hidden-label">: ${title}</span></summary>
      <div class="list">
        <div class="scroll" tabindex="0" role="region" aria-label=${title}>
          <table>
            <thead>
              <tr><th scope="col">${t.day}</th>${lines.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr>
            </thead>
            <tbody>
              ${days.map(
                (day, at) => html`<tr key=${day}>
                  <td data-label=${t.day}>${dayText(day)}</td>
                  ${lines.map(({ label, values }) => html`<td data-label=${label} class="number">${valueText(values[at])}</td>`)}
                </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </div>
    </details>
  </figure>` as VNode
}
