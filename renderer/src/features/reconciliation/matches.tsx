import type { Match } from '#shared/contract/reconciliation.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { sexText } from '../../format/image-states.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'
import { PersonName } from '../../ui/person-name.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './reconcile.module.css'

/**
 * What an order and an exam agree in, in a line, and what they differ in, each with both values.
 */
export function MatchTable({ matches }: { matches: readonly Match[] }) {
  const same = matches
    .filter(({ result }) => result === 'same')
    .map(({ field }) => t(`ui.reconciliation.matches.fields.${field}`))
  const others = matches.filter(({ result }) => result === 'similar' || result === 'different')
  return (
    <ul className={css.matches}>
      {same.length > 0 && (
        <li>
          <ToneIcon tone="good" size={14} />
          <span>
            <b>{t('ui.reconciliation.matches.same')}:</b> {same.join(', ')}
          </span>
        </li>
      )}
      {others.map((match) => (
        <li key={match.field} data-result={match.result}>
          <ToneIcon tone={toneOf(match)} size={14} />
          <span>
            <b>
              {match.result === 'similar'
                ? t('ui.reconciliation.matches.similar')
                : t('ui.reconciliation.matches.different')}
              :
            </b>{' '}
            {t(`ui.reconciliation.matches.fields.${match.field}`)} (
            {t('ui.reconciliation.matches.pair', { order: SLOTS[0], exam: SLOTS[1] })
              .split(SLOT)
              .map((part, at) => {
                if (part === SLOTS[0])
                  return (
                    <Value key="order" field={match.field} value={match.order} other={match.exam} />
                  )
                if (part === SLOTS[1])
                  return (
                    <Value key="exam" field={match.field} value={match.exam} other={match.order} />
                  )
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence, which never change their places
                return <span key={at}>{part}</span>
              })}
            )
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Another patient is a danger; another time or room is usual on such a day. */
function toneOf({ field, result }: Match): Tone {
  if (field === 'time' || field === 'device') return 'plain'
  return result === 'similar' || field === 'modality' ? 'warning' : 'danger'
}

/** Stand for the two values in the sentence, which may put them in any order. */
const SLOTS = ['\u{e000}', '\u{e001}'] as const
const SLOT = /([\u{e000}\u{e001}])/u

/** A value; of a time that is on the same day as the other one only the clock. */
function Value({ field, value, other }: { field: Match['field']; value: string; other: string }) {
  if (field === 'patientName') return <PersonName value={value} />
  if (field === 'patientBirthDate') return dayText(value)
  if (field === 'patientSex') return sexText(value)
  if (field === 'time') {
    const [day = '', time = ''] = value.split(' ')
    const isSameDay = time !== '' && other.startsWith(`${day} `)
    return [...(isSameDay ? [] : [dayText(day)]), ...(time === '' ? [] : [timeText(time)])].join(
      ', ',
    )
  }
  return <span className="mono">{value}</span>
}
