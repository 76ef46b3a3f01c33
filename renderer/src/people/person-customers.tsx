import { ActionIcon, Select, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconUnlink } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { express } from '#shared/contract/express.ts'
import { useMay } from '../components/allowed.tsx'
import { useCustomerLinks } from '../customers/changes.ts'
import { useReply } from '../gateway.ts'
import css from './people.module.css'
import { nameOf } from './person-values.ts'
import { words } from './words.ts'

const { customers: texts } = words
const FOUND = 30

/** The Express customers a person is linked to; more can be added and each removed. */
export function PersonCustomers({ person }: { person: Person }) {
  const { userId, level, expressCustomers } = person
  const { may, why } = useMay('manageCustomers')
  const { link, unlink } = useCustomerLinks()
  const user = { userId, name: nameOf(person) }
  const [typed, setTyped] = useState('')
  const [expressCustomerName] = useDebouncedValue(typed.trim(), 250)
  const found = useReply(express.list, { query: { limit: FOUND, expressCustomerName } })
  const linked = new Set(expressCustomers.map(({ expressCustomerId }) => expressCustomerId))
  const offered = (found.data?.expressCustomers ?? []).filter(
    ({ expressCustomerId }) => !linked.has(expressCustomerId),
  )

  return (
    <div className={css.part}>
      <p className={css.quiet}>{level === 'member' ? texts.about : texts.manager}</p>
      {expressCustomers.length === 0 && <p>{texts.none}</p>}
      {expressCustomers.length > 0 && (
        <ul className={css.lines} aria-label={texts.title}>
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
                <Tooltip label={texts.remove(customer.expressCustomerName)}>
                  <ActionIcon
                    aria-label={texts.remove(customer.expressCustomerName)}
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
        label={texts.add}
        description={why || undefined}
        placeholder={texts.addWhat}
        disabled={!may}
        searchable
        value={null}
        searchValue={typed}
        onSearchChange={setTyped}
        // The gateway has searched already, without accents and capitals.
        filter={({ options }) => options}
        data={offered.map(({ expressCustomerId, expressCustomerName: name, isActive }) => ({
          value: expressCustomerId,
          label: isActive ? name : texts.blocked(name),
          disabled: !isActive,
        }))}
        nothingFoundMessage={found.isFetching ? texts.waiting : texts.nobody}
        maxDropdownHeight={260}
        onChange={(id) => {
          const customer = offered.find(({ expressCustomerId }) => expressCustomerId === id)
          if (customer) link(customer, user)
          setTyped('')
        }}
      />
    </div>
  )
}
