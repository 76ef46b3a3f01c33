import { Button, Table, Text } from '@mantine/core'
import { dashboardSecurity, type OpenSession } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'

const POLL_MS = 30_000

/**
 * Where this person is signed in; who manages the gateway sees everybody's on the screen for
 * access.
 */
export function MySessions({ userId }: { userId: SignedInUser['userId'] }) {
  const reply = useReply(dashboardSecurity.sessions, {}, { every: POLL_MS })
  const end = useSend(dashboardSecurity.endSession, [dashboardSecurity.sessions])
  const sessions = (reply.data?.sessions ?? []).filter(({ user }) => user.userId === userId)
  const others = sessions.filter(({ isThis }) => !isThis)
  const endAll = async () => {
    for (const { sessionId } of others) await end.mutateAsync({ params: { sessionId } })
    showDone(t('ui.account.sessions.endedAll'))
  }
  return (
    <Panel
      isFlush
      title={t('ui.account.sessions.title')}
      aside={
        others.length > 1 && (
          <Button
            variant="default"
            size="xs"
            loading={end.isPending}
            onClick={() => void endAll().catch(() => undefined)}
          >
            {t('ui.account.sessions.endAll')}
          </Button>
        )
      }
    >
      {reply.isPending && <LoadingPlaceholder rows={2} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {end.error && <ErrorNotice error={end.error} />}
      {sessions.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table
            horizontalSpacing={16}
            verticalSpacing={8}
            aria-label={t('ui.account.sessions.label')}
          >
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('ui.account.sessions.columns.where')}</Table.Th>
                <Table.Th>{t('ui.account.sessions.columns.browser')}</Table.Th>
                <Table.Th>{t('ui.account.sessions.columns.since')}</Table.Th>
                <Table.Th>{t('ui.account.sessions.columns.used')}</Table.Th>
                <Table.Td />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sessions.map((session) => (
                <Row
                  key={session.sessionId}
                  session={session}
                  isBusy={end.isPending && end.variables.params.sessionId === session.sessionId}
                  onEnd={() =>
                    end.mutate(
                      { params: { sessionId: session.sessionId } },
                      { onSuccess: () => showDone(t('ui.account.sessions.ended')) },
                    )
                  }
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  )
}

function Row({
  session,
  isBusy,
  onEnd,
}: {
  session: OpenSession
  isBusy: boolean
  onEnd: () => void
}) {
  const { place, address, browser, createdAt, lastUsedAt, isThis, isLocked } = session
  return (
    <Table.Tr>
      <Table.Td>
        {translateMessage(place) || address}
        {translateMessage(place) && address && (
          <Text span size="sm" c="dimmed" ml={8} className="mono">
            {address}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {browser ? translateMessage(browser) : t('ui.account.sessions.unknownBrowser')}
      </Table.Td>
      <Table.Td>
        <Clock instant={createdAt} />
      </Table.Td>
      <Table.Td>
        <TimeAgo instant={lastUsedAt} />
      </Table.Td>
      <Table.Td ta="right">
        {isLocked && <Tag tone="plain">{t('ui.account.sessions.locked')}</Tag>}
        {isThis ? (
          <Tag tone="info">{t('ui.account.sessions.this')}</Tag>
        ) : (
          <Button variant="subtle" color="red" size="compact-sm" loading={isBusy} onClick={onEnd}>
            {t('ui.account.sessions.end')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
