import { VisuallyHidden } from '@mantine/core'
import {
  IconAlertOctagon,
  IconArrowsDiff,
  IconBan,
  IconClipboardOff,
  IconFilePencil,
} from '@tabler/icons-react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'
import { Tag } from '../tone.tsx'
import css from './study-list.module.css'

const TONES: Readonly<Record<WindowStudy['status'], Tone>> = {
  unassigned: 'plain',
  assigned: 'plain',
  in_progress: 'info',
  completed: 'good',
  addendum_active: 'info',
  incomplete: 'plain',
  complete: 'good',
}

const FLAGS = [
  ['cancelled', 'warning', IconBan],
  ['critical', 'danger', IconAlertOctagon],
  ['mismatch', 'danger', IconArrowsDiff],
  ['overridden', 'warning', IconArrowsDiff],
  ['unscheduled', 'info', IconClipboardOff],
  ['addendum', 'danger', IconFilePencil],
] as const

/**
 * How far a study is, and what to know of it before it is read.
 * @param isShort for a row: several flags are signs, and a cancelled study is not said to be
 *   anything else
 */
export function StatusTags({
  study,
  isShort = false,
}: {
  study: Pick<WindowStudy, 'status' | 'isCancelled' | 'isCritical'> &
    Partial<Pick<WindowStudy, 'identity' | 'isUnscheduled' | 'needsAddendumSince'>>
  isShort?: boolean
}) {
  const { status, isCancelled, isCritical, identity, isUnscheduled = false } = study
  const activeTags = {
    ...{ cancelled: isCancelled, critical: isCritical, unscheduled: isUnscheduled },
    addendum: Boolean(study.needsAddendumSince),
    ...{ mismatch: identity === 'mismatch', overridden: identity === 'overridden' },
  }
  const flags = FLAGS.filter(([flag]) => activeTags[flag])
  const signs = isShort && flags.length > 1 ? flags.filter(([flag]) => flag !== 'cancelled') : []
  return (
    <>
      {!(isShort && isCancelled) && (
        <WithMeaning
          tone={TONES[status]}
          meaning={t(`ui.study-list.statuses.${status}.description`)}
          isShort={isShort}
        >
          {t(`ui.study-list.statuses.${status}.label`)}
        </WithMeaning>
      )}
      {flags
        .filter((flag) => !signs.includes(flag))
        .map(([flag, tone]) => (
          <WithMeaning
            key={flag}
            tone={tone}
            meaning={t(`ui.study-list.flags.${flag}.description`)}
            isShort={isShort}
          >
            {t(`ui.study-list.flags.${flag}.label`)}
          </WithMeaning>
        ))}
      {signs.map(([flag, tone, Sign]) => (
        <span
          key={flag}
          className={css.sign}
          data-tone={tone}
          title={`${t(`ui.study-list.flags.${flag}.label`)}: ${t(`ui.study-list.flags.${flag}.description`)}`}
        >
          <Sign size={14} stroke={2} aria-hidden />
          <VisuallyHidden>{t(`ui.study-list.flags.${flag}.label`)}</VisuallyHidden>
        </span>
      ))}
    </>
  )
}

/** In rows of a long list a tooltip of the browser's own: thousands of them are drawn. */
const WithMeaning = ({
  isShort,
  meaning,
  tone,
  children,
}: {
  isShort: boolean
  meaning: string
  tone: Tone
  children: string
}) =>
  isShort ? (
    <span title={meaning}>
      <Tag tone={tone}>{children}</Tag>
    </span>
  ) : (
    <Tag tone={tone} meaning={meaning}>
      {children}
    </Tag>
  )
