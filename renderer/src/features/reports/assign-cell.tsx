import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { nextStatus, REPORT_STUDY_STATUSES } from '#shared/lifecycle.ts'
import { t } from '../../i18n/t.ts'
import { AssignMenu } from '../../ui/study-list/assign-menu.tsx'
import css from '../../ui/study-list/study-list.module.css'

/**
 * Who is to report a study of the list; its menu is made when it is wanted, since thousands of rows
 * are drawn.
 */
export function AssignCell({
  study,
  mayAssign,
  isCurrent,
}: {
  study: WindowStudy
  mayAssign: boolean
  isCurrent: boolean
}) {
  const [isWanted, setIsWanted] = useState(false)
  const name = study.assignedTo?.name ?? t('ui.study-list.nobody')
  const status = REPORT_STUDY_STATUSES.find((one) => one === study.status)
  const isFixed =
    study.isCancelled || status === undefined || nextStatus('assign', status) === undefined
  const tabIndex = isCurrent ? 0 : -1
  if (!mayAssign || isFixed)
    return <span className={study.assignedTo ? css.two : css.under}>{name}</span>
  if (isWanted)
    return <AssignMenu study={study} size="compact-xs" tabIndex={tabIndex} isOpenAtFirst />
  return (
    <button
      type="button"
      className={css.assign}
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-label={t('ui.reports.assign.label', { name, study: study.studyDescription })}
      onClick={() => setIsWanted(true)}
    >
      <span>{name}</span>
      <IconChevronDown size={13} aria-hidden />
    </button>
  )
}
