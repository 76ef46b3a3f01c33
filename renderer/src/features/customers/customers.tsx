import { Group } from '@mantine/core'
import { IconBuildings, IconPlus, IconSearch } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type ExpressCustomer, express } from '#shared/contract/express.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'
import { numberText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../../ui/allowed.tsx'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { SearchField, useTypedSearch } from '../../ui/search-field.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { Notice, Tag } from '../../ui/tone.tsx'
import { CustomerForm } from './customer-form.tsx'
import css from './customers.module.css'
import { CreatedBy } from './made-by.tsx'

const PAGE_SIZE = 100

const COLUMNS: readonly Column<ExpressCustomer>[] = [
  {
    name: t('ui.customers.columns.name'),
    track: 'minmax(180px, 2.4fr)',
    cell: ({ expressCustomerId, expressCustomerName }, isCurrent) => (
      <Link
        tabIndex={isCurrent ? 0 : -1}
        to="/customers/$expressCustomerId"
        params={{ expressCustomerId }}
      >
        {expressCustomerName}
      </Link>
    ),
  },
  {
    name: t('ui.customers.columns.state'),
    track: '110px',
    cell: ({ isActive }) => <State isActive={isActive} />,
  },
  {
    name: t('ui.customers.columns.users'),
    track: '70px',
    isRightAligned: true,
    cell: ({ userCount }) => numberText(userCount),
  },
  {
    name: t('ui.customers.columns.made'),
    track: 'minmax(130px, 1.3fr)',
    cell: (customer) => <CreatedBy customer={customer} />,
  },
  {
    name: t('ui.customers.columns.since'),
    track: '130px',
    cell: ({ createdAt }) => <Clock instant={createdAt} />,
  },
  {
    name: t('ui.customers.columns.changed'),
    track: '130px',
    isWideOnly: true,
    cell: ({ updatedAt }) => <Clock instant={updatedAt} />,
  },
]

export function State({ isActive }: { isActive: boolean }) {
  const state = isActive ? 'active' : 'blocked'
  return (
    <Tag tone={isActive ? 'good' : 'warning'} meaning={t(`ui.customers.stateMeanings.${state}`)}>
      {t(`ui.customers.states.${state}`)}
    </Tag>
  )
}

/** Express customers, newest first, by what is in their names. */
export function Customers() {
  const navigate = useNavigate()
  const { typed, setTyped, search } = useTypedSearch()
  const [isAdding, setIsAdding] = useState(false)
  const { may, why } = usePermission('manageCustomers')
  const searchInput = useRef<HTMLInputElement>(null)
  useShortcuts(t('ui.customers.title'), [
    { keys: '/', name: t('ui.customers.search'), run: () => searchInput.current?.select() },
    ...(may ? [{ keys: 'n', name: t('ui.customers.add'), run: () => setIsAdding(true) }] : []),
  ])
  const open = ({ expressCustomerId }: ExpressCustomer) =>
    void navigate({ to: '/customers/$expressCustomerId', params: { expressCustomerId } })
  const add = (
    <PermissionButton
      permission="manageCustomers"
      leftSection={<IconPlus size={16} />}
      onClick={() => setIsAdding(true)}
    >
      {t('ui.customers.add')}
    </PermissionButton>
  )

  return (
    <Page title={t('ui.customers.title')} about={t('ui.customers.about')} actions={add} isFull>
      {why !== '' && (
        <Notice tone="info" title={t('ui.customers.mayLook')}>
          {why}
        </Notice>
      )}
      <Group>
        <SearchField
          ref={searchInput}
          className={css.search}
          label={t('ui.customers.search')}
          placeholder={t('ui.customers.searchWhat')}
          maxLength={200}
          value={typed}
          onChange={setTyped}
        />
      </Group>
      <CustomerList search={search} add={add} onClear={() => setTyped('')} onOpen={open} />
      <FormDrawer
        opened={isAdding}
        onClose={() => setIsAdding(false)}
        size={560}
        title={t('ui.customers.form.addTitle')}
      >
        {isAdding && (
          <CustomerForm
            customer={null}
            onCancel={() => setIsAdding(false)}
            onDone={(made) => {
              // Closed before the screen is left, so that its guard does not ask.
              flushSync(() => setIsAdding(false))
              open(made)
            }}
          />
        )}
      </FormDrawer>
    </Page>
  )
}

interface CustomerListProps {
  readonly search: string
  /** Makes the first one. */
  readonly add: ReactNode
  readonly onClear: () => void
  readonly onOpen: (customer: ExpressCustomer) => void
}

function CustomerList({ search, add, onClear, onOpen }: CustomerListProps) {
  const query = { limit: PAGE_SIZE, expressCustomerName: search }
  const { list, pages, more } = usePages(keyOf(express.list, query), (part, signal) =>
    call(express.list, { query: { ...query, ...part } }, signal),
  )
  const customers = pages.flatMap((page) => page.expressCustomers)
  return (
    <PagedTable
      tableId="customers"
      list={list}
      nothing={
        search === ''
          ? {
              icon: IconBuildings,
              title: t('ui.customers.none'),
              text: t('ui.customers.noneText'),
              add,
            }
          : {
              icon: IconSearch,
              title: t('ui.customers.noneFound'),
              text: t('ui.customers.noneFoundText'),
              clear: { name: t('ui.customers.clear'), run: onClear },
            }
      }
      label={t('ui.customers.label')}
      columns={COLUMNS}
      rows={customers}
      keyOf={({ expressCustomerId }) => expressCustomerId}
      least={720}
      onOpen={onOpen}
      onEndReached={more}
      end={list.hasNextPage ? t('ui.customers.more') : t('ui.customers.last')}
    />
  )
}
