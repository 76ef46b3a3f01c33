import { t } from '../../i18n/t.ts'

/** A span of time along the bottom of a chart. */
export interface Column {
  readonly key: string
  readonly name: string
  /** What stands below it; most have nothing. */
  readonly tick?: string
}

/** Values of one kind, one for each column; null where it is not known. */
export interface Series {
  readonly name: string
  /** How it is drawn, `mark` as a cross above the bars; without it, it is in words only. */
  readonly look?: 'main' | 'range' | 'stored' | 'failed' | 'mark'
  readonly values: readonly (number | null)[]
  readonly text: (value: number) => string
}

/** The value of a column in words. */
export function valuesText({ values, text }: Series, column: number): string {
  const value = values[column] ?? null
  return value === null ? t('ui.dashboard.trends.unknown') : text(value)
}

/** Leading digits of an axis, each of which people halve easily. */
const TICK_STEPS = [1, 2, 3, 4, 6, 8, 10]

/** A round number at or above every bar. */
export function axisMaximum(bars: readonly Series[], isOverlaid: boolean): number {
  const columns = Math.max(0, ...bars.map(({ values }) => values.length))
  const heights = Array.from({ length: columns }, (_, column) => {
    const values = bars.map((one) => one.values[column] ?? 0)
    return isOverlaid ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0)
  })
  const most = Math.max(1, ...heights)
  const power = 10 ** Math.floor(Math.log10(most))
  return (TICK_STEPS.find((step) => step * power >= most) ?? 10) * power
}
