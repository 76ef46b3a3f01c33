import { VisuallyHidden } from '@mantine/core'
import { t } from '../../i18n/t.ts'
import css from './chart.module.css'
import { type Column, type Series, valuesText } from './chart-series.ts'

/** The values of a chart, a row for each column of it. */
export const ChartTable = ({
  name,
  columns,
  series,
}: {
  name: string
  columns: readonly Column[]
  series: readonly Series[]
}) => (
  <section
    className={css.table}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    tabIndex={0}
    aria-label={name}
  >
    <table>
      <VisuallyHidden component="caption">{name}</VisuallyHidden>
      <thead>
        <tr>
          <th scope="col">{t('ui.dashboard.trends.time')}</th>
          {series.map((one) => (
            <th key={one.name} scope="col">
              {one.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {columns.map((column, index) => (
          <tr key={column.key}>
            <th scope="row">{column.name}</th>
            {series.map((one) => (
              <td key={one.name}>{valuesText(one, index)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
