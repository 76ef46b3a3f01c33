import { VisuallyHidden } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ExamCheck, ExamExplanation } from '#shared/contract/dashboard-exams.ts'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Tag, ToneIcon } from '../../ui/tone.tsx'
import css from './worklist.module.css'

const TONES = {
  ok: 'good',
  failed: 'danger',
  unknown: 'plain',
  skipped: 'plain',
} as const satisfies Record<ExamCheck['state'], Tone>

/**
 * What stands between an exam and a device, in order: the first check that fails is what matters.
 */
export function CheckList({
  explanation,
  aeTitle,
}: {
  explanation: ExamExplanation
  aeTitle: string
}) {
  const { checks } = explanation
  const first = checks.findIndex(({ state }) => state === 'failed')
  return (
    <ol className={css.checks} aria-label={t('ui.worklist.why.checksLabel')}>
      {checks.map((check, index) => (
        <Check
          key={check.check}
          check={check}
          place={index === first ? 'first' : first >= 0 && index > first ? 'later' : 'passed'}
          to={check.link && linkOf(check.link, explanation, aeTitle)}
        />
      ))}
    </ol>
  )
}

function Check({
  check,
  place,
  to,
}: {
  check: ExamCheck
  place: 'first' | 'later' | 'passed'
  to: LinkProps | null
}) {
  const isLater = place === 'later'
  return (
    <li
      className={css.check}
      data-first={place === 'first' || undefined}
      data-later={isLater || undefined}
      {...(place === 'first' && { 'data-tone': 'danger' })}
    >
      <ToneIcon tone={isLater ? 'plain' : TONES[check.state]} size={20} />
      <div className={css.checkName}>
        {t(`ui.worklist.checks.${check.check}`)}
        <VisuallyHidden>
          ,{' '}
          {isLater ? t('ui.worklist.why.later') : t(`ui.worklist.checkStates.${check.state}.name`)}:
        </VisuallyHidden>
        {place === 'first' && (
          <div>
            <Tag tone="danger">{t('ui.worklist.why.first')}</Tag>
          </div>
        )}
        {isLater && check.state === 'failed' && (
          <div className={css.quiet}>{t('ui.worklist.why.later')}</div>
        )}
      </div>
      <div>
        {translateMessage(check.sentence)}
        {check.evidence.length > 0 && (
          <ul className={css.evidence}>
            {check.evidence.map(translateMessage).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        {check.remedy && !isLater && (
          <div className={css.remedy}>
            {translateMessage(check.remedy)}{' '}
            {check.link && to && <Link {...to}>{t(`ui.worklist.why.links.${check.link}`)}</Link>}
          </div>
        )}
      </div>
    </li>
  )
}

function linkOf(
  link: NonNullable<ExamCheck['link']>,
  { day, exam }: ExamExplanation,
  aeTitle: string,
): LinkProps {
  switch (link) {
    case 'queries':
      return { to: '/queries', search: { aeTitle } }
    case 'worklist':
      return { to: '/worklist', search: { day } }
    case 'images':
      return exam?.studyInstanceUid
        ? { to: '/images/$studyInstanceUid', params: { studyInstanceUid: exam.studyInstanceUid } }
        : { to: '/images' }
    case 'devices':
      return { to: '/devices' }
    case 'partner':
      return { to: '/partner' }
    case 'settings':
      return { to: '/settings' }
  }
}
