import { Table, Text } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { dashboardSecurity, type OpenSession } from '#shared/contract/dashboard-security.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { IconAct } from '../components/icon-act.tsx'
import { Failed, Panel, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import css from './access.module.css'
import { words } from './access-words.ts'

const EVERY_MS = 15_000
/** Sessions of everybody, each of which can be ended. */
export function SessionsPanel() {
  const reply = useReply(dashboardSecurity.sessions, {}, { every: EVERY_MS })
  const { title, about, columns } = words.sessions
  return (
    <Panel title={title} isFlush>
      <Text className={css.about} px={16} py={8}>
        {about}
      </Text>
      {reply.isPending && <Waiting rows={3} />}
      {reply.isError && <Failed error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.data && (
        <Table.ScrollContainer minWidth={820}>
          <Table horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{columns.who}</Table.Th>
                <Table.Th>{columns.place}</Table.Th>
                <Table.Th>{columns.browser}</Table.Th>
                <Table.Th>{columns.since}</Table.Th>
                <Table.Th>{columns.used}</Table.Th>
                <Table.Th>{columns.state}</Table.Th>
                <Table.Th ta="right">{columns.actions}</Table.Th>
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
  const { open, locked, lockedMeaning, isThis: thisWindow } = words.sessions
  return (
    <Table.Tr>
      <Table.Td fw={600}>{user.name}</Table.Td>
      <Table.Td>
        {said(place)}
        {address && place.code !== 'users.this-pc' && <div className="mono">{address}</div>}
      </Table.Td>
      <Table.Td>{browser && said(browser)}</Table.Td>
      <Table.Td>
        <Clock instant={createdAt} />
      </Table.Td>
      <Table.Td>
        <Ago instant={lastUsedAt} />
      </Table.Td>
      <Table.Td>
        {isThis ? (
          <Tag tone="info">{thisWindow}</Tag>
        ) : isLocked ? (
          <Tag tone="plain" meaning={lockedMeaning}>
            {locked}
          </Tag>
        ) : (
          <Tag tone="good">{open}</Tag>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {!isThis && (
          <IconAct
            icon={IconLogout}
            label={words.sessions.end(user.name)}
            isBusy={end.isPending}
            onClick={() =>
              end.mutate(
                { params: { sessionId } },
                { onSuccess: () => showDone(words.sessions.ended(user.name)) },
              )
            }
          />
        )}
      </Table.Td>
    </Table.Tr>
  )
}
