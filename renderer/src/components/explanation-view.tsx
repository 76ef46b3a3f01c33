import { VisuallyHidden } from '@mantine/core'
import type { Explanation, Station } from '../display/explanation.ts'
import type { Tone } from '../display/tones.ts'
import css from './explanation-view.module.css'
import { ToneIcon } from './tone.tsx'

const STATES: Record<Station['state'], { tone: Tone; name: string }> = {
  passed: { tone: 'good', name: 'passed' },
  remark: { tone: 'warning', name: 'with a remark' },
  stop: { tone: 'danger', name: 'it stopped here' },
  skipped: { tone: 'plain', name: 'not reached' },
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
      <ol className={css.stations} aria-label="What happened, step by step">
        {stations.map((station) => (
          <li key={station.name} className={`${css.station} ${station.state === 'skipped' ? css.skipped : ''}`}>
            <ToneIcon tone={STATES[station.state].tone} size={20} />
            <div className={css.stationTitle}>
              {station.title}
              <VisuallyHidden>, {STATES[station.state].name}:</VisuallyHidden>
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
