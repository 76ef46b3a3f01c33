import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { t } from '../../i18n/t.ts'
import { AssignMenu } from './assign-menu.tsx'
import css from './study-list.module.css'
import { canBeAssigned } from './use-study-actions.ts'

/**
 * Who a study of the list is assigned to; the menu is made when it is wanted, since thousands of
 * rows are drawn.
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
  const { assignedTo } = study
  const name = assignedTo?.name ?? t('ui.study-list.nobody')
  const tabIndex = isCurrent ? 0 : -1
  if (!mayAssign || !canBeAssigned(study))
    return (
      <span className={`${css.two} ${assignedTo ? '' : css.under}`} title={assignedTo?.name}>
        {name}
      </span>
    )
  if (isWanted)
    return <AssignMenu study={study} size="compact-xs" tabIndex={tabIndex} isOpenAtFirst />
  return (
    <button
      type="button"
      className={css.assign}
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-label={t('ui.study-list.assign.label', { name, study: study.studyDescription })}
      onClick={() => setIsWanted(true)}
    >
      <span>{name}</span>
      <IconChevronDown size={13} aria-hidden />
    </button>
  )
}
