import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useEventStream } from '../../api/event-stream.ts'
import { t } from '../../i18n/t.ts'
import { chime, isSoundOn } from './stat-sound.ts'
import { useStatStudies } from './stat-studies.ts'

/** Events say when a study arrives. */
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 15_000

/**
 * Says once of each study that a STAT study arrived, wherever in the window one is; what was here
 * before is not said. No patient is named.
 */
export function StatWatch() {
  const { studiesSeen, isOpen } = useEventStream()
  const navigate = useNavigate()
  const { refetch, data } = useStatStudies(isOpen ? POLL_MS : POLL_CUT_OFF_MS)
  useEffect(() => {
    if (studiesSeen > 0) void refetch({ cancelRefetch: false })
  }, [studiesSeen, refetch])

  const known = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (!data) return
    const ids = data.studies.map(({ studyId }) => studyId)
    const before = known.current
    known.current = new Set([...(before ?? []), ...ids])
    const arrived = before === null ? [] : ids.filter((id) => !before.has(id))
    if (arrived.length === 0) return
    if (isSoundOn()) chime()
    notifications.show({
      color: 'red',
      role: 'alert',
      'aria-live': 'assertive',
      autoClose: 15_000,
      message: (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <span>
            {arrived.length === 1
              ? t('ui.study-list.stat.arrived')
              : t('ui.study-list.stat.several', { count: arrived.length })}
          </span>
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            onClick={() => void navigate({ to: '/reading', search: { view: 'stat' } })}
          >
            {t('ui.study-list.stat.open')}
          </Button>
        </Group>
      ),
    })
  }, [data, navigate])
  return null
}
