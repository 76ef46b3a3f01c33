import { ActionIcon, Anchor, Group, Tooltip } from '@mantine/core'
import {
  IconArrowBackUp,
  IconBan,
  IconLink,
  IconMailForward,
  IconMailOff,
  IconPencil,
  IconUserPlus,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import { useMemo } from 'react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { useSession } from '../../api/session.ts'
import { LEVEL_NAMES, ROLE_NAMES } from '../../format/roles.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Tag } from '../../ui/tone.tsx'
import {
  ACTIONS,
  editObstacle,
  type PersonAction,
  stateOf,
  TONES,
  type UserState,
} from './state.ts'
import { nameOf, RIGHT_FIELDS } from './user-values.ts'
import css from './users.module.css'

const ICONS: Readonly<Record<PersonAction, TablerIcon>> = {
  edit: IconPencil,
  again: IconUserPlus,
  link: IconLink,
  withdraw: IconMailOff,
  revoke: IconBan,
  reactivate: IconArrowBackUp,
}
const DAY_MS = 86_400_000
/** They keep what they may do, for when access is given back, but can do nothing. */
const INACTIVE_STATES: readonly UserState[] = ['rejected', 'withdrawn', 'revoked']
const rightsOf = (person: Person): string =>
  RIGHT_FIELDS.filter((right) => person[right])
    .map((right) => t(`ui.users.may.${right}`))
    .join(', ') || t('ui.users.nothing')

/** People as rows; a row opens, and has what can be done about the person in their state. */
export function PeopleTable(props: {
  people: readonly Person[]
  onAct: (action: PersonAction, person: Person) => void
  onEnd: () => void
  end: string
  isPartial: boolean
}) {
  const { people, onAct, onEnd, end, isPartial } = props
  const me = useSession().data?.user
  const columns = useMemo(
    () => columnsOf(me?.userId, me?.level === 'owner', onAct),
    [me?.userId, me?.level, onAct],
  )
  return (
    <DataTable
      tableId="users"
      label={t('ui.users.label')}
      columns={columns}
      rows={people}
      keyOf={({ userId }) => userId}
      least={820}
      onOpen={(person) => onAct('edit', person)}
      onEndReached={onEnd}
      end={end}
      isPartial={isPartial}
    />
  )
}

function columnsOf(
  myId: string | undefined,
  isOwner: boolean,
  onAct: (action: PersonAction, person: Person) => void,
): readonly Column<Person>[] {
  return [
    {
      name: t('ui.users.columns.name'),
      isFixed: true,
      sortBy: ({ lastName, firstName }) => `${lastName} ${firstName}`,
      track: 'minmax(160px, 2fr)',
      cell: (person, isCurrent) => (
        <span className={INACTIVE_STATES.includes(stateOf(person)) ? css.out : undefined}>
          <Anchor
            component="button"
            type="button"
            inherit
            ta="left"
            tabIndex={isCurrent ? 0 : -1}
            onClick={() => onAct('edit', person)}
          >
            {nameOf(person)}
          </Anchor>
          {person.userId === myId && ` (${t('ui.users.you')})`}
          <div className={css.under}>{person.email}</div>
        </span>
      ),
    },
    {
      name: t('ui.users.columns.level'),
      sortBy: ({ level }) => LEVEL_NAMES[level],
      track: 'minmax(112px, 1.1fr)',
      cell: (person) => (
        <>
          {LEVEL_NAMES[person.level]}
          <div className={css.under}>{ROLE_NAMES[person.clinicRole]}</div>
        </>
      ),
    },
    { name: t('ui.users.columns.may'), track: 'minmax(156px, 1.8fr)', cell: rightsOf },
    {
      name: t('ui.users.columns.customers'),
      track: 'minmax(96px, 1.1fr)',
      rank: 1,
      cell: ({ expressCustomers }) =>
        expressCustomers.map(({ expressCustomerName }) => expressCustomerName).join(', '),
    },
    {
      name: t('ui.users.columns.state'),
      sortBy: stateOf,
      track: 'minmax(128px, 1.3fr)',
      cell: (person) => <PersonStateCell person={person} />,
    },
    {
      name: t('ui.users.columns.login'),
      sortBy: ({ lastLoginAt }) => lastLoginAt,
      track: '92px',
      cell: ({ lastLoginAt, secondFactorSince }) => (
        <>
          <TimeAgo instant={lastLoginAt} never={t('ui.users.never')} />
          {secondFactorSince !== null && (
            <div className={css.under}>{t('ui.users.secondFactorOn')}</div>
          )}
        </>
      ),
    },
    {
      name: t('ui.users.columns.actions'),
      head: <span />,
      isFixed: true,
      track: '112px',
      isRightAligned: true,
      cell: (person, isCurrent) => (
        <Group gap={2} justify="flex-end" wrap="nowrap">
          {(editObstacle(person, isOwner) === 'owner' ? [] : ACTIONS[stateOf(person)]).map(
            (action) => {
              const isMailed = action === 'link' && person.invitation?.mail !== 'none'
              const Icon = isMailed ? IconMailForward : ICONS[action]
              const label = t(`ui.users.${isMailed ? 'send' : action}`, { name: nameOf(person) })
              return (
                <Tooltip key={action} label={label}>
                  <ActionIcon
                    tabIndex={isCurrent ? 0 : -1}
                    aria-label={label}
                    onClick={() => onAct(action, person)}
                  >
                    <Icon size={17} />
                  </ActionIcon>
                </Tooltip>
              )
            },
          )}
        </Group>
      ),
    },
  ]
}

function PersonStateCell({ person: { invitation, ...person } }: { person: Person }) {
  const state = stateOf({ ...person, invitation })
  return (
    <>
      <Tag tone={TONES[state]} meaning={t(`ui.users.states.${state}.description`)}>
        {t(`ui.users.states.${state}.label`)}
      </Tag>
      {state === 'invited' && invitation && (
        <div className={invitation.mail === 'failed' ? css.failed : css.under}>
          {t(`ui.users.mails.${invitation.mail}`)}
          {invitation.mailFault && ` (${translateMessage(invitation.mailFault)})`}
          {invitation.expiry !== null && (
            <div>
              {t('ui.users.left', {
                days: Math.max(0, Math.ceil((Date.parse(invitation.expiry) - Date.now()) / DAY_MS)),
              })}
            </div>
          )}
        </div>
      )}
    </>
  )
}
