import { ActionIcon, TextInput, Tooltip } from '@mantine/core'
import { IconSearch, IconUserMinus, IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { type CustomerUser, dashboardPeople } from '#shared/contract/dashboard-people.ts'
import type { ExpressCustomer } from '#shared/contract/express.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'
import { ROLE_NAMES } from '../../format/roles.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../../ui/allowed.tsx'
import { TimeAgo } from '../../ui/clock.tsx'
import { type LinkedPerson, useCustomerLinks } from '../../ui/customer-links.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { useTypedSearch } from '../../ui/search-field.tsx'
import { Tag } from '../../ui/tone.tsx'
import { AddUsers } from './add-users.tsx'
import css from './customers.module.css'

const PAGE_SIZE = 100
const TONES: Readonly<Record<CustomerUser['state'], Tone>> = {
  active: 'good',
  invited: 'info',
  revoked: 'plain',
}

/** Who is linked to the customer, the newest link first; more can be added and each removed. */
export function CustomerUsers({ customer }: { customer: ExpressCustomer }) {
  const { unlink } = useCustomerLinks()
  const { expressCustomerId, isActive, userCount } = customer
  const { typed, setTyped, search } = useTypedSearch()
  const [isAdding, setIsAdding] = useState(false)
  const { may } = usePermission('manageCustomers')
  const input = { params: { expressCustomerId }, query: { limit: PAGE_SIZE, search } }
  const { list, pages, more } = usePages(
    keyOf(dashboardPeople.customerUsers, input),
    (part, signal) =>
      call(dashboardPeople.customerUsers, { ...input, query: { ...input.query, ...part } }, signal),
  )
  const users = pages.flatMap((page) => page.users)

  return (
    <Panel
      isFlush
      title={t('ui.customers.people.title')}
      aside={<AddUserButton isActive={isActive} onClick={() => setIsAdding(true)} />}
    >
      <div className={css.usersHead}>
        <p className={css.quiet}>{t('ui.customers.people.about')}</p>
        {(userCount > 8 || typed !== '') && (
          <TextInput
            type="search"
            size="xs"
            className={css.search}
            aria-label={t('ui.customers.people.search')}
            placeholder={t('ui.customers.people.search')}
            maxLength={100}
            leftSection={<IconSearch size={14} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </div>
      {list.isPending && <LoadingPlaceholder rows={4} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && users.length === 0 && (
        <EmptyState
          icon={<IconUsers size={34} stroke={1.3} />}
          title={search === '' ? t('ui.customers.people.none') : t('ui.customers.people.noneFound')}
        >
          {search === '' && t('ui.customers.people.noneText')}
        </EmptyState>
      )}
      {users.length > 0 && (
        <DataTable
          label={t('ui.customers.people.label')}
          columns={columnsOf(may ? (user) => unlink(customer, user) : undefined)}
          rows={users}
          keyOf={({ userId }) => userId}
          least={480}
          onEndReached={more}
          isPartial={list.hasNextPage}
          end={list.hasNextPage ? t('ui.customers.more') : undefined}
        />
      )}
      {isAdding && <AddUsers customer={customer} onClose={() => setIsAdding(false)} />}
    </Panel>
  )
}

function AddUserButton({ isActive, onClick }: { isActive: boolean; onClick: () => void }) {
  const { may } = usePermission('manageCustomers')
  return (
    <PermissionButton
      permission="manageCustomers"
      size="xs"
      leftSection={<IconUserPlus size={15} />}
      disabled={may && !isActive}
      title={isActive ? undefined : t('ui.customers.people.addBlocked')}
      onClick={onClick}
    >
      {t('ui.customers.people.add')}
    </PermissionButton>
  )
}

function columnsOf(
  onRemove: ((user: LinkedPerson) => void) | undefined,
): readonly Column<CustomerUser>[] {
  return [
    {
      name: t('ui.customers.people.columns.name'),
      sortBy: ({ name }) => name,
      track: 'minmax(176px, 2fr)',
      cell: ({ name, email }) => (
        <>
          {name}
          <div className={css.under}>{email}</div>
        </>
      ),
    },
    {
      name: t('ui.customers.people.columns.role'),
      sortBy: ({ clinicRole }) => ROLE_NAMES[clinicRole],
      track: 'minmax(100px, 1.2fr)',
      cell: ({ clinicRole }) => ROLE_NAMES[clinicRole],
    },
    {
      name: t('ui.customers.people.columns.state'),
      sortBy: ({ linkedAt }) => linkedAt,
      track: '128px',
      cell: ({ state, linkedAt }) => (
        <>
          <Tag tone={TONES[state]}>{t(`ui.customers.people.states.${state}`)}</Tag>
          <div className={css.under}>
            {t('ui.customers.people.linked')} <TimeAgo instant={linkedAt} />
          </div>
        </>
      ),
    },
    ...(onRemove
      ? [
          {
            name: t('ui.customers.people.columns.actions'),
            track: '76px',
            isRightAligned: true,
            cell: (user: CustomerUser, isCurrent: boolean) => (
              <Tooltip label={t('ui.customers.people.remove', { name: user.name })}>
                <ActionIcon
                  tabIndex={isCurrent ? 0 : -1}
                  aria-label={t('ui.customers.people.remove', { name: user.name })}
                  onClick={() => onRemove(user)}
                >
                  <IconUserMinus size={17} />
                </ActionIcon>
              </Tooltip>
            ),
          },
        ]
      : []),
  ]
}
