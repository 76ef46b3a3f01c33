import { IconChartBar, IconTable } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../../i18n/t.ts'
import { IconAction } from '../../ui/icon-act.tsx'
import css from './chart.module.css'
import { Plot } from './chart-plot.tsx'
import { type Column, type Series, valuesText } from './chart-series.ts'
import { ChartTable } from './chart-table.tsx'

/**
 * Bars over columns of time, with a summary in words. The arrow keys and the pointer go from column
 * to column, whose values stand in the legend; a button shows all of them as a table.
 * @param isOverlaid each series begins at the bottom, the last one in front; otherwise they are
 *   stacked
 */
export function Chart(props: {
  name: string
  summary: string
  columns: readonly Column[]
  series: readonly Series[]
  height?: number
  isOverlaid?: boolean
}) {
  const { name, summary, columns, series, height = 128, isOverlaid = false } = props
  const [shown, setShown] = useState<number | null>(null)
  const [isTable, setIsTable] = useState(false)
  return (
    <figure className={css.chart}>
      <div className={css.head}>
        <figcaption>{summary}</figcaption>
        <IconAction
          icon={isTable ? IconChartBar : IconTable}
          label={t(`ui.dashboard.trends.${isTable ? 'asChart' : 'asTable'}`, { name })}
          onClick={() => setIsTable(!isTable)}
        />
      </div>
      {isTable ? (
        <ChartTable name={name} columns={columns} series={series} />
      ) : (
        <>
          <Legend series={series} shown={shown} />
          <Plot {...{ name, columns, series, height, isOverlaid, shown, setShown }} />
        </>
      )}
    </figure>
  )
}

/** What the bars mean; of the column that is shown its values too. */
const Legend = ({ series, shown }: { series: readonly Series[]; shown: number | null }) => (
  <div className={css.legend} data-crowded={series.length > 3 || undefined} aria-hidden>
    {series
      .filter(({ look }) => look !== undefined || shown !== null)
      .map((one) => (
        <span key={one.name}>
          {one.look && <i data-look={one.look} />}
          {one.name}
          {shown !== null && <b>{valuesText(one, shown)}</b>}
        </span>
      ))}
  </div>
)
