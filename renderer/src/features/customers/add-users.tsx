import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import type { ExpressCustomer } from '#shared/contract/express.ts'
import { useReply } from '../../api/queries.ts'
import { ROLE_NAMES } from '../../format/roles.ts'
import { t } from '../../i18n/t.ts'
import { type LinkedPerson, useCustomerLinks } from '../../ui/customer-links.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { useTypedSearch } from '../../ui/search-field.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './customers.module.css'

const MAX_FOUND_USERS = 20

/** Finds people and links them to the customer, one after another. */
export function AddUsers({
  customer,
  onClose,
}: {
  customer: ExpressCustomer
  onClose: () => void
}) {
  const { link } = useCustomerLinks()
  const { typed, setTyped, search } = useTypedSearch()
  const people = useReply(dashboardPeople.people, { query: { limit: MAX_FOUND_USERS, search } })
  // Who has no access any more is not a user to be given studies.
  const found = people.data?.people.filter(({ state }) => state !== 'revoked') ?? []
  return (
    <Modal opened onClose={onClose} title={t('ui.customers.people.addTitle')} size="lg">
      <Stack>
        <TextInput
          type="search"
          label={t('ui.customers.people.addSearch')}
          placeholder={t('ui.customers.people.addWhat')}
          maxLength={100}
          data-autofocus
          leftSection={<IconSearch size={16} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div aria-live="polite">
          {people.isPending && <LoadingPlaceholder rows={4} />}
          {people.isError && (
            <ErrorNotice error={people.error} onRetry={() => void people.refetch()} />
          )}
          {people.isSuccess && found.length === 0 && (
            <p className={css.quiet}>{t('ui.customers.people.nobody')}</p>
          )}
          <ul className={css.found}>
            {found.map((person) => (
              <FoundUsers
                key={person.userId}
                person={person}
                customer={customer}
                onAdd={(user) => link(customer, user)}
              />
            ))}
          </ul>
          {people.data?.hasMore && (
            <p className={css.quiet}>{t('ui.customers.people.moreFound')}</p>
          )}
        </div>
        <Group justify="space-between">
          <Link to="/people">{t('ui.customers.people.toPeople')}</Link>
          <Button variant="default" onClick={onClose}>
            {t('ui.customers.people.addDone')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function FoundUsers(props: {
  person: Person
  customer: ExpressCustomer
  onAdd: (user: LinkedPerson) => void
}) {
  const { person, customer, onAdd } = props
  const { userId, firstName, lastName, email, clinicRole, expressCustomers } = person
  const name = `${firstName} ${lastName}`
  const isLinked = expressCustomers.some(
    ({ expressCustomerId }) => expressCustomerId === customer.expressCustomerId,
  )
  return (
    <li>
      <div>
        {name}
        <div className={css.under}>
          {email} · {ROLE_NAMES[clinicRole]}
        </div>
      </div>
      {isLinked ? (
        <Tag tone="good">{t('ui.customers.people.isThere')}</Tag>
      ) : (
        <Button
          size="xs"
          variant="default"
          aria-label={t('ui.customers.people.addAction', { name })}
          onClick={() => onAdd({ userId, name })}
        >
          {t('ui.customers.people.addShort')}
        </Button>
      )}
    </li>
  )
}
