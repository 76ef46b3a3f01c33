import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { express } from '#shared/contract/express.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import { may } from '#shared/lifecycle.ts'
import { call, keyOf, useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'

const SEARCH_DELAY_MS = 80
const PICKER_LIMIT = 20

interface Named<I extends string> {
  readonly id: I
  readonly name: string
}

interface PickerProps<I extends string> {
  /** Above the field, or `isBare` in it. */
  readonly label: string
  readonly isBare?: boolean
  readonly placeholder?: string | undefined
  readonly description?: string | undefined
  readonly error?: string | undefined
  /** Who is chosen; the name is shown before the list is read. */
  readonly value: Named<I> | null
  readonly onChange: (chosen: Named<I> | null) => void
  readonly required?: boolean
  readonly size?: 'xs' | 'sm'
}

const nameOf = ({
  firstName,
  lastName,
}: {
  readonly firstName: string
  readonly lastName: string
}) => `${firstName} ${lastName}`

/** A user that a study of the area can be assigned to, found by the letters of the name. */
export function AssigneePicker({
  area,
  ...props
}: PickerProps<UserId> & { readonly area: StudyArea }) {
  return (
    <Picker
      {...props}
      keyFor={(search) => keyOf(dashboardStudies.assignees, { query: { area, search } })}
      find={async (search, signal) => {
        const { assignees } = await call(
          dashboardStudies.assignees,
          { query: { area, search } },
          signal,
        )
        return assignees.map(({ userId, name }) => ({ id: userId, name }))
      }}
    />
  )
}

/**
 * A user of the gateway, found by the letters of the family name; for the scribe area who may write
 * reports, or sign them.
 */
export function PersonPicker({
  area,
  mustSign = false,
  ...props
}: PickerProps<UserId> & { readonly area: StudyArea; readonly mustSign?: boolean }) {
  return (
    <Picker
      {...props}
      keyFor={(lastName) =>
        keyOf(area === 'scribe' ? scribeUsers.list : viewerUsers.list, {
          lastName,
          picker: area,
          mustSign,
        })
      }
      find={async (lastName, signal) => {
        const query = { limit: PICKER_LIMIT, ...(lastName && { lastName }) }
        if (area === 'scribe') {
          const { users } = await call(
            scribeUsers.list,
            { query: { ...query, ...(mustSign && { canCreateReports: 'true' }) } },
            signal,
          )
          return users
            .filter((one) => may(one, 'writeReports'))
            .map((one) => ({ id: one.userId, name: nameOf(one) }))
        }
        const { users } = await call(viewerUsers.list, { query }, signal)
        return users.map((one) => ({ id: one.userId, name: nameOf(one) }))
      }}
    />
  )
}

/**
 * An Express customer, found by the letters of the name; those that take no new studies are left
 * out.
 */
export function CustomerPicker(props: PickerProps<ExpressCustomerId>) {
  return (
    <Picker
      {...props}
      keyFor={(expressCustomerName) => keyOf(express.list, { expressCustomerName, picker: true })}
      find={async (expressCustomerName, signal) => {
        const query = { limit: PICKER_LIMIT, ...(expressCustomerName && { expressCustomerName }) }
        const { expressCustomers } = await call(express.list, { query }, signal)
        return expressCustomers
          .filter((one) => one.isActive)
          .map((one) => ({ id: one.expressCustomerId, name: one.expressCustomerName }))
      }}
    />
  )
}

function Picker<I extends string>(
  props: PickerProps<I> & {
    readonly keyFor: (typed: string) => readonly unknown[]
    readonly find: (typed: string, signal: AbortSignal) => Promise<readonly Named<I>[]>
  },
) {
  const { value, onChange, keyFor, find, error, label, isBare = false, ...rest } = props
  const [typed, setTyped] = useState(value?.name ?? '')
  const [search] = useDebouncedValue(typed === value?.name ? '' : typed.trim(), SEARCH_DELAY_MS)
  const [isOpen, setIsOpen] = useState(false)
  const found = useQuery({
    queryKey: keyFor(search),
    queryFn: ({ signal }) => find(search, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const all = new Map(
    [...(value ? [value] : []), ...(found.data ?? [])].map((one) => [one.id, one]),
  )
  return (
    <Select
      {...rest}
      {...(isBare ? { 'aria-label': label, placeholder: label } : { label })}
      searchable
      clearable={!rest.required}
      error={error ?? found.error?.message}
      data={[...all.values()].map(({ id, name }) => ({ value: id, label: name }))}
      nothingFoundMessage={
        found.isFetching ? t('ui.study-list.searching') : t('ui.study-list.nobodyFound')
      }
      // The gateway has searched already.
      filter={({ options }) => options}
      value={value?.id ?? null}
      onChange={(id) => onChange(id === null ? null : (all.get(id as I) ?? null))}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      comboboxProps={{ withinPortal: true }}
    />
  )
}

/** Name of a user; the id until it is known. */
export function usePersonName(userId: UserId | undefined): string {
  const reply = useReply(
    viewerUsers.read,
    { params: { userId: userId ?? ('' as UserId) } },
    { enabled: userId !== undefined, staleTime: 60_000 },
  )
  return reply.data ? nameOf(reply.data) : (userId ?? '')
}

/** Name of a customer; the id until it is known. */
export function useCustomerName(expressCustomerId: ExpressCustomerId | undefined): string {
  const reply = useReply(
    express.read,
    { params: { expressCustomerId: expressCustomerId ?? ('' as ExpressCustomerId) } },
    { enabled: expressCustomerId !== undefined, staleTime: 60_000 },
  )
  return reply.data?.expressCustomerName ?? expressCustomerId ?? ''
}
