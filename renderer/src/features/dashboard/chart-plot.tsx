import { type PointerEvent, useId } from 'react'
import css from './chart.module.css'
import { axisMaximum, type Column, type Series, valuesText } from './chart-series.ts'

const PATTERNS = ['range', 'stored', 'failed'] as const
/** Above the bars, for the marks. */
const MARK_HEIGHT = 13

/**
 * The bars, and a slider over them that nobody sees, with which the keyboard and a screen reader
 * go from column to column.
 */
export function Plot(props: {
  name: string
  columns: readonly Column[]
  series: readonly Series[]
  height: number
  isOverlaid: boolean
  shown: number | null
  setShown: (shown: number | null) => void
}) {
  const { name, columns, series, height, isOverlaid, shown, setShown } = props
  const id = useId()
  const last = columns.length - 1
  const bars = series.filter(({ look }) => look !== undefined && look !== 'mark')
  const marks = series.find(({ look }) => look === 'mark')
  const top = axisMaximum(bars, isOverlaid)
  const room = height - (marks ? MARK_HEIGHT : 0)
  const heightOf = (value: number | null | undefined) => ((value ?? 0) / top) * (room - 1)
  const at = (column: number) => `${(column / columns.length) * 100}%`
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const column = Math.floor(((clientX - left) / width) * columns.length)
    setShown(Math.min(last, Math.max(0, column)))
  }
  const text = bars[0]?.text ?? String
  return (
    <div className={css.plot}>
      <div className={css.axis} style={{ height: room }} aria-hidden>
        <span>{text(top)}</span>
        <span>{Number.isInteger(top / 2) && text(top / 2)}</span>
        <span>{text(0)}</span>
      </div>
      <div className={css.bars}>
        <svg width="100%" height={height + 18} aria-hidden>
          <Patterns id={id} />
          {shown !== null && (
            <rect className={css.shown} x={at(shown)} width={at(1)} height={height} />
          )}
          {[0, 0.5, 1].map((part) => {
            const y = height - 0.5 - part * (room - 1)
            return <line key={part} x2="100%" y1={y} y2={y} data-base={part === 0 || undefined} />
          })}
          {columns.map((column, index) => {
            let bottom = height - 0.5
            return (
              <g key={column.key}>
                {bars.map(({ name: of, look, values }) => {
                  const barHeight = heightOf(values[index])
                  const y = bottom - barHeight
                  if (!isOverlaid) bottom = y
                  const fill = look === 'main' ? undefined : `url(#${id}${look})`
                  return (
                    <rect
                      key={of}
                      {...{ x: at(index + 0.14), width: at(0.72), y, height: barHeight, fill }}
                      data-look={look}
                    />
                  )
                })}
                {(marks?.values[index] ?? 0) > 0 && (
                  <text x={at(index + 0.5)} y={MARK_HEIGHT - 3} data-look="mark">
                    ×
                  </text>
                )}
                {column.tick && shown === null && (
                  <text x={at(index + 0.5)} y={height + 14}>
                    {column.tick}
                  </text>
                )}
              </g>
            )
          })}
          {shown !== null && (
            <text
              className={css.shownName}
              {...{ x: at(shown + 0.5), y: height + 14 }}
              style={{ textAnchor: shown < 2 ? 'start' : shown > last - 2 ? 'end' : 'middle' }}
            >
              {columns[shown]?.name}
            </text>
          )}
        </svg>
        <input
          type="range"
          aria-label={name}
          aria-valuetext={`${columns[shown ?? last]?.name}: ${series.map((one) => `${one.name} ${valuesText(one, shown ?? last)}`).join(', ')}`}
          min={0}
          max={last}
          value={shown ?? last}
          onChange={({ currentTarget }) => setShown(Number(currentTarget.value))}
          onFocus={() => setShown(shown ?? last)}
          onBlur={() => setShown(null)}
          onPointerMove={follow}
          onPointerLeave={({ currentTarget }) => {
            if (currentTarget !== document.activeElement) setShown(null)
          }}
        />
      </div>
    </div>
  )
}

/** Hatchings, so that what is drawn is told apart without its colour. */
const Patterns = ({ id }: { id: string }) => (
  <defs>
    {PATTERNS.map((look) => (
      <pattern
        key={look}
        id={id + look}
        data-look={look}
        {...{ width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' }}
      >
        <rect width={6} height={6} />
        <path d={look === 'failed' ? 'M3 0V6M0 3H6' : 'M3 0V6'} />
      </pattern>
    ))}
  </defs>
)
