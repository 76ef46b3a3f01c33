import { ActionIcon, Select, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconUnlink } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { express } from '#shared/contract/express.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'
import { useCustomerLinks } from '../../ui/customer-links.ts'
import { nameOf } from './user-values.ts'
import css from './users.module.css'

const MAX_FOUND_CUSTOMERS = 30

/** The Express customers a person is linked to; more can be added and each removed. */
export function PersonCustomers({ person }: { person: Person }) {
  const { userId, level, expressCustomers } = person
  const { may, why } = usePermission('manageCustomers')
  const { link, unlink } = useCustomerLinks()
  const user = { userId, name: nameOf(person) }
  const [typed, setTyped] = useState('')
  const [expressCustomerName] = useDebouncedValue(typed.trim(), 250)
  const found = useReply(express.list, {
    query: { limit: MAX_FOUND_CUSTOMERS, expressCustomerName },
  })
  const linkedIds = new Set(expressCustomers.map(({ expressCustomerId }) => expressCustomerId))
  const availableCustomers = (found.data?.expressCustomers ?? []).filter(
    ({ expressCustomerId }) => !linkedIds.has(expressCustomerId),
  )

  return (
    <div className={css.part}>
      <p className={css.quiet}>
        {level === 'member' ? t('ui.users.customers.about') : t('ui.users.customers.manager')}
      </p>
      {expressCustomers.length === 0 && <p>{t('ui.users.customers.none')}</p>}
      {expressCustomers.length > 0 && (
        <ul className={css.lines} aria-label={t('ui.users.customers.title')}>
          {expressCustomers.map((customer) => (
            <li key={customer.expressCustomerId}>
              <div>
                <Link
                  to="/customers/$expressCustomerId"
                  params={{ expressCustomerId: customer.expressCustomerId }}
                >
                  {customer.expressCustomerName}
                </Link>
              </div>
              {may && (
                <Tooltip
                  label={t('ui.users.customers.remove', {
                    customer: customer.expressCustomerName,
                  })}
                >
                  <ActionIcon
                    aria-label={t('ui.users.customers.remove', {
                      customer: customer.expressCustomerName,
                    })}
                    onClick={() => unlink(customer, user)}
                  >
                    <IconUnlink size={17} />
                  </ActionIcon>
                </Tooltip>
              )}
            </li>
          ))}
        </ul>
      )}
      <Select
        label={t('ui.users.customers.add')}
        description={why || undefined}
        placeholder={t('ui.users.customers.addWhat')}
        disabled={!may}
        searchable
        value={null}
        searchValue={typed}
        onSearchChange={setTyped}
        // The gateway has searched already, without accents and capitals.
        filter={({ options }) => options}
        data={availableCustomers.map(
          ({ expressCustomerId, expressCustomerName: name, isActive }) => ({
            value: expressCustomerId,
            label: isActive ? name : t('ui.users.customers.blocked', { name }),
            disabled: !isActive,
          }),
        )}
        nothingFoundMessage={
          found.isFetching ? t('ui.users.customers.waiting') : t('ui.users.customers.nobody')
        }
        maxDropdownHeight={260}
        onChange={(id) => {
          const customer = availableCustomers.find(
            ({ expressCustomerId }) => expressCustomerId === id,
          )
          if (customer) link(customer, user)
          setTyped('')
        }}
      />
    </div>
  )
}
