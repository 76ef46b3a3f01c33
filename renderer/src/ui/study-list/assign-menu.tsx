import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconUser } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { may, nextStatus, REPORT_STUDY_STATUSES } from '#shared/lifecycle.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManage, useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { MayButton, useMay } from '../allowed.tsx'
import { showRefused } from '../refused.ts'
import { showDone } from '../undo.tsx'
import { LIST_CHANGES } from './use-study-list.ts'

/** A study for reporting, of the reading list or opened. */
type Assignable = Pick<
  WindowStudy,
  'studyId' | 'studyDescription' | 'assignedTo' | 'isCancelled' | 'status'
>

/**
 * Who is to report the study, for who manages studies; who writes reports takes one by writing.
 * Owners and administrators choose anybody who may report.
 */
export function AssignMenu(props: {
  study: Assignable
  size?: 'xs' | 'compact-xs'
  tabIndex?: number
  fixed?: ReactNode
  isOpenAtFirst?: boolean
}) {
  const { study, size = 'xs', tabIndex } = props
  const me = useSession().data?.user
  const mayManage = useMayManage()
  const { may: mayManageStudies } = useMay('manageStudies')
  const [isOpen, setIsOpen] = useState(props.isOpenAtFirst ?? false)
  const people = useReply(
    dashboardPeople.people,
    { query: { limit: 100 } },
    { enabled: mayManage && isOpen, staleTime: 60_000 },
  )
  const assign = useSend(dashboardReports.assign, [...LIST_CHANGES, dashboardReports.read])
  const name = study.assignedTo?.name ?? t('ui.reports.list.nobody')
  const status = REPORT_STUDY_STATUSES.find((one) => one === study.status)
  const mayReport = Boolean(me && may(me, 'writeReports'))
  const canBeAssigned =
    !study.isCancelled && status !== undefined && nextStatus('assign', status) !== undefined
  if (!me || !canBeAssigned) return props.fixed === undefined ? <span>{name}</span> : props.fixed
  const button = {
    ...{ size, variant: 'default', maw: '100%', tabIndex, leftSection: <IconUser size={14} /> },
    ...{
      rightSection: <IconChevronDown size={13} />,
      'aria-label': t('ui.reports.assign.label', { name, study: study.studyDescription }),
    },
  }
  if (!mayManageStudies)
    return (
      <MayButton permission="manageStudies" {...button}>
        {name}
      </MayButton>
    )

  type PersonId = NonNullable<Assignable['assignedTo']>['userId']
  const send = (userId: PersonId | null, onSuccess?: () => void) =>
    assign.mutate(
      { params: { studyId: study.studyId }, body: { userId } },
      {
        ...(onSuccess && { onSuccess }),
        onError: (error) => showRefused(error.message),
      },
    )
  const before = study.assignedTo?.userId ?? null
  const to = (userId: PersonId | null, called: string) =>
    send(userId, () =>
      showDone(
        userId === null
          ? t('ui.reports.assign.freed')
          : t('ui.reports.assign.done', { name: called }),
        () => send(before),
      ),
    )
  const others =
    people.data?.people.filter(
      (one) => one.userId !== me.userId && one.state === 'active' && may(one, 'writeReports'),
    ) ?? []
  return (
    <Menu
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-end"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button {...button} loading={assign.isPending}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {mayReport && study.assignedTo?.userId !== me.userId && (
          <Menu.Item onClick={() => to(me.userId, `${me.firstName} ${me.lastName}`)}>
            {t('ui.reports.assign.toMe')}
          </Menu.Item>
        )}
        {study.assignedTo !== null && (
          <Menu.Item onClick={() => to(null, '')}>{t('ui.reports.assign.toNobody')}</Menu.Item>
        )}
        {others.length > 0 && <Menu.Label>{t('ui.reports.assign.people')}</Menu.Label>}
        {others.map(({ userId, firstName, lastName }) => (
          <Menu.Item key={userId} onClick={() => to(userId, `${firstName} ${lastName}`)}>
            {firstName} {lastName}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
