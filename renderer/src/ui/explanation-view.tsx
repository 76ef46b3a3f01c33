import { VisuallyHidden } from '@mantine/core'
import type { Explanation, Station } from '../format/explanation.ts'
import type { Tone } from '../format/tones.ts'
import { t } from '../i18n/t.ts'
import css from './explanation-view.module.css'
import { ToneIcon } from './tone.tsx'

const TONES: Record<Station['state'], Tone> = {
  passed: 'good',
  remark: 'warning',
  stop: 'danger',
  skipped: 'plain',
}

/** The answer to "why is it empty?": one sentence, and the stations of the query in order. */
export function ExplanationView({ explanation }: { explanation: Explanation }) {
  const { tone, headline, remedy, stations } = explanation
  return (
    <>
      <div className={css.headline} data-tone={tone} data-testid="conclusion">
        <ToneIcon tone={tone} size={22} />
        <div>
          <p className={css.headlineText}>{headline}</p>
          {remedy && <div className={css.remedy}>{remedy}</div>}
        </div>
      </div>
      <ol className={css.stations} aria-label={t('ui.common.stations.label')}>
        {stations.map((station) => (
          <li
            key={station.name}
            className={`${css.station} ${station.state === 'skipped' ? css.skipped : ''}`}
          >
            <ToneIcon tone={TONES[station.state]} size={20} />
            <div className={css.stationTitle}>
              {station.title}
              <VisuallyHidden>, {t(`ui.common.stations.${station.state}`)}:</VisuallyHidden>
            </div>
            <div>
              {station.text}
              {station.details.length > 0 && (
                <ul className={css.details}>
                  {station.details.map((detail) => (
                    <li key={detail}>{detail}</li>
                  ))}
                </ul>
              )}
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}
