import { Text } from '@mantine/core'
import type { CriticalResult } from '#shared/contract/reports.ts'
import { useZone } from '../api/status.ts'
import { clockText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'
import { PersonName } from './person-name.tsx'
import { Tag } from './tone.tsx'

/**
 * By when a critical result has to be communicated, the steps of escalation that it has reached,
 * and when the next one follows.
 */
export function Escalation({ critical }: { critical: CriticalResult }) {
  const { dueAt, escalations, nextEscalationAt, communication } = critical
  const zone = useZone()
  const now = new Date()
  const isOverdue = escalations.length > 0 || now.getTime() >= new Date(dueAt).getTime()
  const clock = (instant: string) => clockText(instant, zone, now)
  return (
    <div>
      {communication === null && (
        <Text fz="sm" {...(!isOverdue && { c: 'dimmed' })}>
          {t(`ui.critical-results.${isOverdue ? 'overdue' : 'due'}`, { at: clock(dueAt) })}
        </Text>
      )}
      {escalations.map(({ step, at }) => (
        <div key={step}>
          <Tag tone={communication === null ? 'danger' : 'plain'} isWrapped>
            {t(`ui.critical-results.steps.${step}`)} <time dateTime={at}>{clock(at)}</time>
          </Tag>
        </div>
      ))}
      {nextEscalationAt !== null && escalations.length > 0 && (
        <Text fz="sm" c="dimmed">
          {t('ui.critical-results.next', { at: clock(nextEscalationAt) })}
        </Text>
      )}
    </div>
  )
}

/** Whom to call about a critical result. */
export const ReferringPhysician = ({ critical }: { critical: CriticalResult }) =>
  critical.referringPhysicianName === '' ? (
    <Text fz="sm" c="dimmed">
      {t('ui.critical-results.noPhysician')}
    </Text>
  ) : (
    <PersonName value={critical.referringPhysicianName} />
  )
