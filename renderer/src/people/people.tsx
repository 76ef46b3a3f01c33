import { ActionIcon, Button, Drawer, Group, Table, Text, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconArrowBackUp,
  IconBan,
  IconCheck,
  IconLink,
  IconMailOff,
  IconPencil,
  IconPlus,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../client.ts'
import { Ago } from '../components/clock.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { call, keyOf, useSend } from '../gateway.ts'
import { useSession } from '../session.ts'
import { MailPanel } from './mail.tsx'
import { PersonForm } from './person-form.tsx'
import { ACTIONS, type PersonState, stateOf, TONES } from './state.ts'
import { LEVEL_NAMES, words } from './words.ts'

type Part = ReplyOf<typeof dashboardPeople.people>
type Invited = ReplyOf<typeof dashboardPeople.invitePerson>
type Ask = { readonly kind: 'revoke' | 'withdraw'; readonly person: Person }

/** Until the public URL is set, links lead to the PC they are opened on (interface-choices §6 row 54). */
const isLoopback = (link: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(link).hostname)
const nameOf = ({ firstName, lastName }: Person) => `${firstName} ${lastName}`

/** Users and invited people, and how invitations are sent. */
export function People() {
  const people = useInfiniteQuery<Part, ProblemError, Part[], string[], string | undefined>({
    queryKey: [...(keyOf(dashboardPeople.people) as string[]), 'all'],
    queryFn: async ({ pageParam, signal }) =>
      await call(dashboardPeople.people, { query: { limit: 100, ...(pageParam !== undefined && { cursor: pageParam }) } }, signal),
    initialPageParam: undefined,
    getNextPageParam: (part) => part.cursor,
    select: ({ pages }) => pages,
  })
  const [editing, setEditing] = useState<{ person: Person | null } | null>(null)
  const [ask, setAsk] = useState<Ask | null>(null)
  const [link, setLink] = useState<string | null>(null)

  function tell({ person, link: made }: Invited) {
    if (made === null) notifications.show({ message: words.invited(person.email), icon: <IconCheck size={18} /> })
    else setLink(made)
  }

  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({ person: null })}>
          {words.invite}
        </Button>
      }
    >
      <Panel isFlush>
        {people.isPending && <Waiting rows={5} />}
        {people.isError && <Failed error={people.error} onRetry={() => void people.refetch()} />}
        {people.data && (
          <PeopleTable
            people={people.data.flatMap((part) => part.people)}
            onEdit={(person) => setEditing({ person })}
            onAsk={setAsk}
            onLink={tell}
          />
        )}
        {people.hasNextPage && (
          <Group justify="center" p="sm">
            <Button variant="default" loading={people.isFetchingNextPage} onClick={() => void people.fetchNextPage()}>
              {words.more}
            </Button>
          </Group>
        )}
      </Panel>
      <MailPanel />
      <Drawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        size={520}
        title={editing?.person ? nameOf(editing.person) : words.form.addTitle}
      >
        {editing && (
          <PersonForm key={editing.person?.userId ?? 'new'} person={editing.person} onInvited={tell} onDone={() => setEditing(null)} />
        )}
      </Drawer>
      {ask && <Asking {...ask} onDone={() => setAsk(null)} />}
      <ShownOnce value={link} {...words.shown} what="the link" onClose={() => setLink(null)}>
        {link !== null && isLoopback(link) && <Notice tone="warning">{words.loopback}</Notice>}
      </ShownOnce>
    </Page>
  )
}

function PeopleTable(props: {
  people: readonly Person[]
  onEdit: (person: Person) => void
  onAsk: (ask: Ask) => void
  onLink: (invited: Invited) => void
}) {
  const { people, onEdit, onAsk, onLink } = props
  const { columns } = words
  const me = useSession().data?.user
  const renew = useSend(dashboardPeople.renewInvitation, [dashboardPeople.people])
  const reactivate = useSend(dashboardPeople.reactivatePerson, [dashboardPeople.people])
  const fail = (error: ProblemError) => notifications.show({ color: 'red', message: error.message })

  const act: Record<string, { icon: TablerIcon; run: (person: Person) => void }> = {
    edit: { icon: IconPencil, run: onEdit },
    link: {
      icon: IconLink,
      run: ({ userId }) => renew.mutate({ params: { userId } }, { onSuccess: onLink, onError: fail }),
    },
    withdraw: { icon: IconMailOff, run: (person) => onAsk({ kind: 'withdraw', person }) },
    revoke: { icon: IconBan, run: (person) => onAsk({ kind: 'revoke', person }) },
    reactivate: {
      icon: IconArrowBackUp,
      run: ({ userId }) =>
        reactivate.mutate(
          { params: { userId } },
          { onSuccess: ({ success, message }) => notifications.show({ color: success ? 'teal' : 'red', message }), onError: fail },
        ),
    },
  }
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table horizontalSpacing={16} verticalSpacing={7} highlightOnHover highlightOnHoverColor="var(--hover)">
        <Table.Thead>
          <Table.Tr>
            {Object.values(columns).map((name) => (
              <Table.Th key={name} ta={name === columns.actions ? 'right' : undefined}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {people.map((person) => {
            const state = stateOf(person)
            const [title, meaning] = words.states[state]
            // Only an owner changes an owner (interface-choices §6 row 52).
            const actions = person.level === 'owner' && me?.level !== 'owner' ? [] : ACTIONS[state]
            return (
              <Table.Tr key={person.userId} c={OUT.includes(state) ? 'dimmed' : ''}>
                <Table.Td>
                  {nameOf(person)}
                  {person.userId === me?.userId && ` (${words.you})`}
                  <Text fz="sm" c="dimmed">
                    {person.email}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {LEVEL_NAMES[person.level]}
                  <Text fz="sm" c="dimmed">
                    {person.clinicRole}
                  </Text>
                </Table.Td>
                <Table.Td>{rightsOf(person)}</Table.Td>
                <Table.Td>
                  <Tag tone={TONES[state]} meaning={meaning}>
                    {title}
                  </Tag>
                  {state === 'invited' && person.invitation && (
                    <Text fz="sm" c={person.invitation.mail === 'failed' ? 'red' : 'dimmed'}>
                      {words.mails[person.invitation.mail]}
                      {person.invitation.mailFault && ` (${person.invitation.mailFault})`}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Ago instant={person.lastLoginAt} />
                </Table.Td>
                <Table.Td>
                  <Group gap={2} justify="flex-end" wrap="nowrap">
                    {actions.map((action) => {
                      const { icon: Icon, run } = act[action] ?? act.edit ?? { icon: IconPencil, run: onEdit }
                      const label = words[action](nameOf(person))
                      return (
                        <Tooltip key={action} label={label}>
                          <ActionIcon aria-label={label} onClick={() => run(person)}>
                            <Icon size={17} />
                          </ActionIcon>
                        </Tooltip>
                      )
                    })}
                  </Group>
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** They keep what they may do, for when access is given back, but can do nothing. */
const OUT: readonly PersonState[] = ['rejected', 'withdrawn', 'revoked']
const RIGHTS = ['hasDashboardAccess', 'canManageStudies', 'canCreateReports'] as const
const rightsOf = (person: Person): string =>
  RIGHTS.filter((right) => person[right])
    .map((right) => words.may[right])
    .join(', ') || words.nothing

function Asking({ kind, person, onDone }: Ask & { onDone: () => void }) {
  const revoke = useSend(dashboardPeople.revokePerson, [dashboardPeople.people])
  const withdraw = useSend(dashboardPeople.revokeInvitation, [dashboardPeople.people])
  const send = kind === 'revoke' ? revoke : withdraw
  const { title, action, text } = words.asks[kind]
  return (
    <Confirm
      isOpen
      title={title}
      action={action}
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onConfirm={() =>
        send.mutate(
          { params: { userId: person.userId } },
          {
            onSuccess({ success, message }) {
              if (!success) notifications.show({ color: 'red', message })
              onDone()
            },
          },
        )
      }
    >
      {text(nameOf(person))}
    </Confirm>
  )
}
