import { Button, Select } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type PointerEvent, useMemo, useState } from 'react'
import type {
  WaveformAnnotation,
  WaveformGroup,
  Waveforms,
} from '#shared/contract/viewed-objects.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../../api/client.ts'
import { dayText } from '../../format/dates.ts'
import { nameText } from '../../format/patient-name.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { call } from '../calls.ts'
import { useViewerContext } from '../viewer-context.ts'
import { printDocument } from './print-document.ts'
import { conceptText, dateTimeText } from './report-tree.ts'
import css from './waveform.module.css'
import {
  caliperDistances,
  GAINS,
  layoutsOf,
  rangeOf,
  type Sheet,
  SPEEDS,
  type Strip,
  samplesOf,
  sheetOf,
  tracePath,
  type WaveformLayout,
} from './waveform-layout.ts'

/** Waveforms of an object, such as a 12-lead ECG, on millimetre paper. */
export default function WaveformView({ sopInstanceUid }: { sopInstanceUid: string }) {
  const { viewerStore } = useViewerContext()
  const { viewId } = viewerStore.view
  const reply = useQuery<Waveforms, ProblemError>({
    queryKey: [viewing.waveforms.path, sopInstanceUid],
    queryFn: ({ signal }) =>
      call(viewing.waveforms, { params: { viewId, sopInstanceUid } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={8} height={28} />
  return <Recording waveforms={reply.data} />
}

function Recording({ waveforms }: { waveforms: Waveforms }) {
  const { groups, context, acquiredAt, annotations, faults } = waveforms
  const [at, setAt] = useState(0)
  const group = groups[at]
  const layouts = group ? layoutsOf(group) : []
  const [wanted, setWanted] = useState<WaveformLayout>('3x4')
  const layout = layouts.includes(wanted) ? wanted : '12x1'
  const [speed, setSpeed] = useState<number>(25)
  const [gain, setGain] = useState<number>(10)
  if (!group) return null
  return (
    <article className={css.recording} data-document data-scrolls>
      <header className={css.head}>
        <p>
          <b>{nameText(context.patientName)}</b>{' '}
          {[
            context.patientId,
            context.patientBirthDate &&
              t('ui.viewer.overlay.born', { day: dayText(context.patientBirthDate) }),
            context.patientSex,
          ]
            .filter(Boolean)
            .join(', ')}
        </p>
        <p className={css.quiet}>
          {[
            dateTimeText(acquiredAt),
            t('ui.viewer.waveform.sampling', {
              frequency: group.frequency,
              seconds: Math.round(group.samples / group.frequency),
            }),
            filterText(group),
            [context.manufacturer, context.model].filter(Boolean).join(' '),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <div className={css.tools} data-not-printed>
          {groups.length > 1 && (
            <Choice
              label={t('ui.viewer.waveform.group')}
              value={String(at)}
              options={groups.map((one, index) => [String(index), groupName(one, index)])}
              onChange={(value) => setAt(Number(value))}
            />
          )}
          {layouts.length > 1 && (
            <Choice
              label={t('ui.viewer.waveform.layout')}
              value={layout}
              options={layouts.map((one) => [one, t(`ui.viewer.waveform.layouts.${one}`)])}
              onChange={(value) => setWanted(value as WaveformLayout)}
            />
          )}
          <Choice
            label={t('ui.viewer.waveform.speed')}
            value={String(speed)}
            options={SPEEDS.map((one) => [
              String(one),
              t('ui.viewer.waveform.speedValue', { speed: one }),
            ])}
            onChange={(value) => setSpeed(Number(value))}
          />
          <Choice
            label={t('ui.viewer.waveform.gain')}
            value={String(gain)}
            options={GAINS.map((one) => [
              String(one),
              t('ui.viewer.waveform.gainValue', { gain: one }),
            ])}
            onChange={(value) => setGain(Number(value))}
          />
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPrinter size={14} />}
            onClick={printDocument}
          >
            {t('ui.viewer.report.print')}
          </Button>
        </div>
      </header>
      {faults.map((fault) => (
        <Notice key={fault.code} tone="warning">
          {translateMessage(fault)}
        </Notice>
      ))}
      <Paper
        key={`${at} ${layout} ${speed} ${gain}`}
        group={group}
        layout={layout}
        speed={speed}
        gain={gain}
      />
      <Annotations annotations={annotations} />
    </article>
  )
}

/** The filters of the first channel, which are those of the recording. */
function filterText({ channels: [channel] }: WaveformGroup): string {
  const { highPass, lowPass, notch } = channel ?? {}
  return [
    highPass && lowPass ? t('ui.viewer.waveform.band', { from: highPass, to: lowPass }) : '',
    notch ? t('ui.viewer.waveform.notch', { frequency: notch }) : '',
  ]
    .filter(Boolean)
    .join(', ')
}

const groupName = ({ label, originality }: WaveformGroup, index: number): string =>
  label ||
  (originality === 'DERIVED'
    ? t('ui.viewer.waveform.derived', { number: index + 1 })
    : t('ui.viewer.waveform.numbered', { number: index + 1 }))

function Choice(props: {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string) => void
}) {
  const { label, value, options, onChange } = props
  return (
    <Select
      size="xs"
      w={150}
      label={label}
      value={value}
      allowDeselect={false}
      data={options.map(([value, label]) => ({ value, label }))}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  )
}

/** Margins and the height of a row of the paper in mm; a row holds 3 mV at 10 mm/mV. */
const MARGIN = 5
const ROW_HEIGHT = 28
const PULSE_WIDTH = 5
/** On the screen a millimetre of the paper has so many CSS pixels, which is its true size. */
const PIXELS_PER_MM = 96 / 25.4

type Point = readonly [x: number, y: number]

/** The traces on a grid of 1 mm and 5 mm, and the caliper. */
function Paper(props: {
  group: WaveformGroup
  layout: WaveformLayout
  speed: number
  gain: number
}) {
  const { group, layout, speed, gain } = props
  const sheet = useMemo(() => sheetOf(group, layout), [group, layout])
  const traces = useMemo(() => group.channels.map(({ samples }) => samplesOf(samples)), [group])
  const [from, setFrom] = useState<Point>()
  const [to, setTo] = useState<Point>()
  const width = MARGIN * 2 + PULSE_WIDTH * 2 + sheet.seconds * speed
  const height = MARGIN * 2 + sheet.rows * ROW_HEIGHT
  const start = MARGIN + PULSE_WIDTH * 2
  const pointOf = ({ currentTarget, clientX, clientY }: PointerEvent<SVGSVGElement>): Point => {
    const box = currentTarget.getBoundingClientRect()
    return [((clientX - box.left) / box.width) * width, ((clientY - box.top) / box.height) * height]
  }
  const isScaled = group.channels.every(({ unit }) => unit === 'mV')
  return (
    <>
      {!isScaled && <Notice tone="warning">{t('ui.viewer.waveform.notVoltage')}</Notice>}
      <section
        className={css.paper}
        aria-label={t('ui.viewer.waveform.paper')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
        tabIndex={0}
      >
        <svg
          className={css.sheet}
          viewBox={`0 0 ${width} ${height}`}
          style={{ width: width * PIXELS_PER_MM, height: height * PIXELS_PER_MM }}
          role="img"
          aria-label={t('ui.viewer.waveform.about', {
            leads: sheet.strips.map(({ label }) => label).join(', '),
            speed,
            gain,
          })}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            setFrom(pointOf(event))
            setTo(undefined)
          }}
          onPointerMove={(event) => event.buttons === 1 && from && setTo(pointOf(event))}
        >
          <Grid width={width} height={height} />
          {sheet.strips.map((strip) => (
            <Trace
              key={`${strip.row}/${strip.column}`}
              strip={strip}
              sheet={sheet}
              samples={traces[strip.channel] ?? new Float32Array()}
              unit={group.channels[strip.channel]?.unit ?? ''}
              {...{ start, speed, gain, frequency: group.frequency }}
            />
          ))}
          {from && to && (
            <Caliper
              from={from}
              to={to}
              text={caliperText(caliperDistances(from, to, speed, gain), isScaled)}
            />
          )}
        </svg>
      </section>
      <p className={css.quiet}>
        {isScaled
          ? t('ui.viewer.waveform.scale', { speed, gain })
          : t('ui.viewer.waveform.scaleOfTime', { speed })}{' '}
        <span data-not-printed>{t('ui.viewer.waveform.caliperHint')}</span>
      </p>
    </>
  )
}

function Grid({ width, height }: { width: number; height: number }) {
  return (
    <>
      <defs>
        <pattern id="ecg-1mm" width={1} height={1} patternUnits="userSpaceOnUse">
          <path d="M1 0H0V1" className={css.fine} />
        </pattern>
        <pattern id="ecg-5mm" width={5} height={5} patternUnits="userSpaceOnUse">
          <rect width={5} height={5} fill="url(#ecg-1mm)" />
          <path d="M5 0H0V5" className={css.coarse} />
        </pattern>
      </defs>
      <rect width={width} height={height} className={css.ground} />
      <rect width={width} height={height} fill="url(#ecg-5mm)" />
    </>
  )
}

function Trace(props: {
  strip: Strip
  sheet: Sheet
  samples: Float32Array
  unit: string
  start: number
  speed: number
  gain: number
  frequency: number
}) {
  const { strip, sheet, samples, unit, start, speed, gain, frequency } = props
  const { row, column, label } = strip
  const middle = MARGIN + row * ROW_HEIGHT + ROW_HEIGHT / 2
  const x = start + (column / sheet.columns) * sheet.seconds * speed
  const { yPerUnit, zero } = useMemo(() => scaleOf(samples, unit, gain), [samples, unit, gain])
  const path = useMemo(
    () =>
      tracePath(samples, strip, {
        ...{ xPerSample: speed / frequency, yPerUnit, x, y: middle + zero * yPerUnit },
      }),
    [samples, strip, speed, frequency, yPerUnit, zero, x, middle],
  )
  return (
    <g>
      {column > 0 && <path className={css.change} d={`M${x} ${middle - 5}v10`} />}
      {column === 0 && unit === 'mV' && (
        <path
          className={css.trace}
          d={`M${MARGIN} ${middle}h2.5v${-gain}h${PULSE_WIDTH}v${gain}h2.5`}
        />
      )}
      <path className={css.trace} d={path} />
      <text className={css.lead} x={x + 0.8} y={middle - ROW_HEIGHT / 2 + 4.5}>
        {label}
      </text>
    </g>
  )
}

/** mm for each unit, and the value in the middle of the row: other quantities fill their row. */
function scaleOf(samples: Float32Array, unit: string, gain: number) {
  if (unit === 'mV') return { yPerUnit: gain, zero: 0 }
  const [least, most] = rangeOf(samples) ?? [0, 1]
  return { yPerUnit: (ROW_HEIGHT * 0.8) / (most - least || 1), zero: (least + most) / 2 }
}

function Caliper({ from, to, text }: { from: Point; to: Point; text: string }) {
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])]
  const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])]
  return (
    <g className={css.caliper}>
      <rect x={left} y={top} width={right - left} height={bottom - top} />
      <text x={left} y={top - 1.5}>
        {text}
      </text>
    </g>
  )
}

function caliperText(
  { milliseconds, perMinute, millivolts }: ReturnType<typeof caliperDistances>,
  isScaled: boolean,
): string {
  const parts = [
    t('ui.viewer.waveform.milliseconds', { milliseconds }),
    perMinute === null ? '' : t('ui.viewer.waveform.perMinute', { perMinute }),
    isScaled ? t('ui.viewer.waveform.millivolts', { millivolts }) : '',
  ]
  return parts.filter(Boolean).join(' · ')
}

/** Interpretations first, then measurements. */
function Annotations({ annotations }: { annotations: readonly WaveformAnnotation[] }) {
  const statements = annotations.filter(({ concept }) => concept === null)
  const measured = annotations.filter(({ concept }) => concept !== null)
  if (annotations.length === 0) return null
  return (
    <section className={css.annotations}>
      {statements.length > 0 && (
        <>
          <h2>{t('ui.viewer.waveform.interpretation')}</h2>
          <ul>
            {statements.map(({ value }) => (
              <li key={value}>{value}</li>
            ))}
          </ul>
        </>
      )}
      {measured.length > 0 && (
        <>
          <h2>{t('ui.viewer.waveform.measurements')}</h2>
          <dl>
            {measured.map(({ concept, value, unit }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: each lead may have the same measurement
              <div key={index}>
                <dt>{conceptText(concept)}</dt>
                <dd>{[value, unit].filter(Boolean).join(' ')}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  )
}
