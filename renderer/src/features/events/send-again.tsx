import { Button, Group, Modal, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../../api/client.ts'
import { call, keyOf, useSend } from '../../api/queries.ts'
import { shortIds } from '../../format/audit-detail.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { bodyOf, localTime, type ReplayBody, type ReplayForm } from './span.ts'

const MAX_SHOWN_EVENTS = 5

/**
 * Sends several events again: the chosen ones, all since the outage, or a span; says how many
 * before.
 */
export function ReplayDialog({
  eventIds,
  onDone,
  onClose,
}: {
  eventIds: readonly string[]
  onDone: () => void
  onClose: () => void
}) {
  return (
    <Modal opened onClose={onClose} title={t('ui.events.again.title')} size="lg">
      <Form eventIds={eventIds} onDone={onDone} onClose={onClose} />
    </Modal>
  )
}

function Form({
  eventIds,
  onDone,
  onClose,
}: {
  eventIds: readonly string[]
  onDone: () => void
  onClose: () => void
}) {
  const [asked, setAsked] = useState<ReplayForm>(() => ({
    which: eventIds.length > 0 ? 'these' : 'since-outage',
    from: localTime(new Date(Date.now() - 24 * 3600_000)),
    to: localTime(new Date(Date.now() + 60_000)),
    only: 'failed',
  }))
  const change = (part: Partial<ReplayForm>) => setAsked({ ...asked, ...part })
  const body = bodyOf(asked, eventIds)
  const dryRun = useReplayDryRun(body)
  const send = useSend(dashboardEvents.replay, [
    dashboardEvents.list,
    dashboardEvents.read,
    dashboardEvents.endpoints,
  ])
  const count = dryRun.data?.queued ?? 0
  const submit = () =>
    body &&
    send.mutate(
      { body },
      {
        onSuccess: ({ queued }) => {
          notifications.show({
            message: t('ui.events.again.done', { count: queued }),
            icon: <IconCheck size={18} />,
          })
          onDone()
        },
      },
    )
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('ui.events.again.about')}
      </Text>
      <Radio.Group
        label={t('ui.events.again.which')}
        value={asked.which}
        onChange={(which) => change({ which: which as ReplayForm['which'] })}
      >
        <Stack gap={8} mt={8}>
          {eventIds.length > 0 && (
            <Radio value="these" label={`${t('ui.events.again.these')} (${eventIds.length})`} />
          )}
          <Radio
            value="since-outage"
            label={t('ui.events.again.outage')}
            description={t('ui.events.again.outageAbout')}
          />
          <Radio value="span" label={t('ui.events.again.span')} />
        </Stack>
      </Radio.Group>
      {asked.which === 'span' && <Span asked={asked} onChange={change} />}
      <div role="status">
        {!body && <Notice tone="warning">{t('ui.events.again.spanMissing')}</Notice>}
        {body && dryRun.isPending && <Notice tone="plain">{t('ui.events.again.counting')}</Notice>}
        {body && dryRun.error && <ErrorNotice error={dryRun.error} />}
        {body && dryRun.data && <ReplayCount reply={dryRun.data} />}
      </div>
      {send.error && <ErrorNotice error={send.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('ui.events.again.cancel')}
        </Button>
        <Button disabled={count === 0 || !body} loading={send.isPending} onClick={submit}>
          {t('ui.events.again.action', { count })}
        </Button>
      </Group>
    </Stack>
  )
}

/** From when to when, and of those which. */
function Span({
  asked,
  onChange,
}: {
  asked: ReplayForm
  onChange: (part: Partial<ReplayForm>) => void
}) {
  return (
    <>
      <SimpleGrid cols={2}>
        <DayInput
          type="datetime-local"
          label={t('ui.events.again.from')}
          description={t('ui.events.again.spanZone')}
          value={asked.from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <DayInput
          type="datetime-local"
          label={t('ui.events.again.to')}
          description={t('ui.events.again.spanZone')}
          value={asked.to}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Radio.Group
        label={t('ui.events.again.only')}
        value={asked.only}
        onChange={(only) => onChange({ only: only as ReplayForm['only'] })}
      >
        <Group mt={8}>
          <Radio value="failed" label={t('ui.events.again.onlyFailed')} />
          <Radio value="all" label={t('ui.events.again.onlyAll')} />
        </Group>
      </Radio.Group>
    </>
  )
}

function ReplayCount({
  reply: { queued, skipped },
}: {
  reply: ReplyOf<typeof dashboardEvents.replay>
}) {
  return (
    <Notice
      tone={queued > 0 ? 'info' : 'plain'}
      title={
        queued > 0 ? t('ui.events.again.count', { count: queued }) : t('ui.events.again.nothing')
      }
    >
      {skipped.length > 0 && (
        <>
          {t('ui.events.again.skipped', { count: skipped.length })}
          <ul style={{ margin: '4px 0 0', paddingLeft: 18 }}>
            {skipped.slice(0, MAX_SHOWN_EVENTS).map(({ eventId, why }) => (
              <li key={eventId}>
                <span className="mono">{shortIds(eventId)}</span> {translateMessage(why)}
              </li>
            ))}
            {skipped.length > MAX_SHOWN_EVENTS && (
              <li>
                {t('ui.events.again.skippedMore', { count: skipped.length - MAX_SHOWN_EVENTS })}
              </li>
            )}
          </ul>
        </>
      )}
    </Notice>
  )
}

/** What sending again would do, asked anew as the choice changes. */
function useReplayDryRun(body: ReplayBody | undefined) {
  const [settled] = useDebouncedValue(body, 250)
  return useQuery<ReplyOf<typeof dashboardEvents.replay>, ProblemError>({
    queryKey: keyOf(dashboardEvents.replay, settled),
    queryFn: ({ signal }) =>
      call(
        dashboardEvents.replay,
        { body: { ...(settled ?? { which: 'since-outage' }), isTrial: true } },
        signal,
      ),
    enabled: settled !== undefined,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
}
