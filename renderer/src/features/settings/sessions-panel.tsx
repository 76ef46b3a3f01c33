import { Table, Text } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { dashboardSecurity, type OpenSession } from '#shared/contract/dashboard-security.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import css from './access.module.css'

const POLL_MS = 15_000
/** Sessions of everybody, each of which can be ended. */
export function SessionsPanel() {
  const reply = useReply(dashboardSecurity.sessions, {}, { every: POLL_MS })
  return (
    <Panel title={t('ui.settings.access.sessions.title')} isFlush>
      <Text className={css.about} px={16} py={8}>
        {t('ui.settings.access.sessions.about')}
      </Text>
      {reply.isPending && <LoadingPlaceholder rows={3} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.data && (
        <Table.ScrollContainer minWidth={820}>
          <Table horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('ui.settings.access.sessions.columns.who')}</Table.Th>
                <Table.Th>{t('ui.settings.access.sessions.columns.place')}</Table.Th>
                <Table.Th>{t('ui.settings.access.sessions.columns.browser')}</Table.Th>
                <Table.Th>{t('ui.settings.access.sessions.columns.since')}</Table.Th>
                <Table.Th>{t('ui.settings.access.sessions.columns.used')}</Table.Th>
                <Table.Th>{t('ui.settings.access.sessions.columns.state')}</Table.Th>
                <Table.Th ta="right">{t('ui.settings.access.sessions.columns.actions')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {reply.data.sessions.map((session) => (
                <Row key={session.sessionId} session={session} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  )
}

function Row({ session }: { session: OpenSession }) {
  const { sessionId, user, place, address, browser, createdAt, lastUsedAt, isThis, isLocked } =
    session
  const end = useSend(dashboardSecurity.endSession, [dashboardSecurity.sessions])
  return (
    <Table.Tr>
      <Table.Td fw={600}>{user.name}</Table.Td>
      <Table.Td>
        {translateMessage(place)}
        {address && place.code !== 'users.this-pc' && <div className="mono">{address}</div>}
      </Table.Td>
      <Table.Td>{browser && translateMessage(browser)}</Table.Td>
      <Table.Td>
        <Clock instant={createdAt} />
      </Table.Td>
      <Table.Td>
        <TimeAgo instant={lastUsedAt} />
      </Table.Td>
      <Table.Td>
        {isThis ? (
          <Tag tone="info">{t('ui.settings.access.sessions.isThis')}</Tag>
        ) : isLocked ? (
          <Tag tone="plain" meaning={t('ui.settings.access.sessions.lockedMeaning')}>
            {t('ui.settings.access.sessions.locked')}
          </Tag>
        ) : (
          <Tag tone="good">{t('ui.settings.access.sessions.open')}</Tag>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {!isThis && (
          <IconAction
            icon={IconLogout}
            label={t('ui.settings.access.sessions.end', { name: user.name })}
            isBusy={end.isPending}
            onClick={() =>
              end.mutate(
                { params: { sessionId } },
                {
                  onSuccess: () =>
                    showDone(t('ui.settings.access.sessions.ended', { name: user.name })),
                },
              )
            }
          />
        )}
      </Table.Td>
    </Table.Tr>
  )
}
