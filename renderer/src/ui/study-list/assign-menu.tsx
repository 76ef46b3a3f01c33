import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconUser } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { dashboardStudies, type WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { may } from '#shared/lifecycle.ts'
import { useReply } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../allowed.tsx'
import { ErrorNotice } from '../page.tsx'
import { canBeAssigned, type StudyState, useStudyActions } from './use-study-actions.ts'

/**
 * Who is to report or read the study, for users who manage studies; who writes reports takes one by
 * writing.
 * @param fixed shown where the study cannot be assigned in its state; the name by default
 */
export function AssignMenu(props: {
  study: StudyState & Pick<WindowStudy, 'studyDescription'>
  size?: 'xs' | 'compact-xs'
  tabIndex?: number
  fixed?: ReactNode
  isOpenAtFirst?: boolean
}) {
  const { study, size = 'xs', tabIndex } = props
  const { area, assignedTo } = study
  const me = useSession().data?.user
  const { may: mayManageStudies } = usePermission('manageStudies')
  const { change, assignToMe } = useStudyActions()
  const [isOpen, setIsOpen] = useState(props.isOpenAtFirst ?? false)
  const found = useReply(
    dashboardStudies.assignees,
    { query: { area } },
    { enabled: mayManageStudies && isOpen, staleTime: 60_000 },
  )
  const name = assignedTo?.name ?? t('ui.study-list.nobody')
  if (!me || !canBeAssigned(study))
    return props.fixed === undefined ? <span>{name}</span> : props.fixed
  const button = {
    ...{ size, variant: 'default', maw: '100%', tabIndex, leftSection: <IconUser size={14} /> },
    ...{
      rightSection: <IconChevronDown size={13} />,
      'aria-label': t('ui.study-list.assign.label', { name, study: study.studyDescription }),
    },
  }
  if (!mayManageStudies)
    return (
      <PermissionButton permission="manageStudies" {...button}>
        {name}
      </PermissionButton>
    )
  const isMine = assignedTo?.userId === me.userId
  const mayTakeIt = may(me, area === 'scribe' ? 'writeReports' : 'readStudies')
  const isListed = [me.userId, assignedTo?.userId]
  const others = found.data?.assignees.filter(({ userId }) => !isListed.includes(userId)) ?? []
  return (
    <Menu
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-end"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button {...button}>{name}</Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {mayTakeIt && !isMine && (
          <Menu.Item onClick={() => assignToMe(study)}>{t('ui.study-list.assign.toMe')}</Menu.Item>
        )}
        {assignedTo !== null && (
          <Menu.Item onClick={() => change(study, { kind: 'assign', to: null })}>
            {t('ui.study-list.assign.toNobody')}
          </Menu.Item>
        )}
        {found.isError && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
        {others.length > 0 && <Menu.Label>{t(`ui.study-list.assign.people.${area}`)}</Menu.Label>}
        {others.map((to) => (
          <Menu.Item key={to.userId} onClick={() => change(study, { kind: 'assign', to })}>
            {to.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
