import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconChevronDown, IconUser } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardReports, type ReadingStudy } from '#shared/contract/reports.ts'
import { may, moved } from '#shared/lifecycle.ts'
import { useReply, useSend } from '../gateway.ts'
import { useMayManage, useMayManageStudies, useSession } from '../session.ts'
import { words } from './words.ts'

const { assign: texts } = words

/** Who is to report the study. Members take studies and give them back; owners and administrators choose anybody who may report. */
export function AssignMenu({ study, size = 'xs' }: { study: ReadingStudy; size?: 'xs' | 'compact-xs' }) {
  const me = useSession().data?.user
  const mayManage = useMayManage()
  const mayManageStudies = useMayManageStudies()
  const [isOpen, setIsOpen] = useState(false)
  const people = useReply(dashboardPeople.people, { query: { limit: 100 } }, { enabled: mayManage && isOpen, staleTime: 60_000 })
  const assign = useSend(dashboardReports.assign, [dashboardReports.list, dashboardReports.read])
  const name = study.assignedTo?.name ?? words.list.nobody
  const mayReport = Boolean(me && may(me, 'writeReports'))
  const mayAssign = Boolean(me) && (mayReport || mayManageStudies) && !study.isCancelled && moved('assign', study.status) !== undefined
  if (!me || !mayAssign) return <span>{name}</span>

  const to = (userId: NonNullable<ReadingStudy['assignedTo']>['userId'] | null, called: string) =>
    assign.mutate(
      { params: { studyId: study.studyId }, body: { userId } },
      {
        onSuccess: () => notifications.show({ message: userId === null ? texts.freed : texts.done(called) }),
        onError: (error) => notifications.show({ color: 'red', message: error.message }),
      },
    )
  const others = people.data?.people.filter((one) => one.userId !== me.userId && one.state === 'active' && may(one, 'writeReports')) ?? []
  return (
    <Menu opened={isOpen} onChange={setIsOpen} position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          size={size}
          variant="default"
          maw="100%"
          loading={assign.isPending}
          leftSection={<IconUser size={14} />}
          rightSection={<IconChevronDown size={13} />}
          aria-label={texts.label(name, study.studyDescription)}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {mayReport && study.assignedTo?.userId !== me.userId && (
          <Menu.Item onClick={() => to(me.userId, `${me.firstName} ${me.lastName}`)}>{texts.toMe}</Menu.Item>
        )}
        {study.assignedTo !== null && <Menu.Item onClick={() => to(null, '')}>{texts.toNobody}</Menu.Item>}
        {others.length > 0 && <Menu.Label>{texts.people}</Menu.Label>}
        {others.map(({ userId, firstName, lastName }) => (
          <Menu.Item key={userId} onClick={() => to(userId, `${firstName} ${lastName}`)}>
            {firstName} {lastName}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
