import { Button, Chip, Group, Popover, Select, Stack } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { SEVERITIES } from '#shared/contract/values.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../day-input.tsx'
import { CustomerPicker, PersonPicker, useCustomerName, usePersonName } from './pickers.tsx'
import {
  daysOf,
  type ListFilter,
  PRESETS,
  type Preset,
  STATUSES,
  withoutPart,
} from './study-filter.ts'
import css from './study-list.module.css'
import type { StudyListState } from './use-study-list.ts'

const CANCELLED_FILTERS = ['hide', 'only', 'all'] as const
const SEVERITIES_DESCENDING = [...SEVERITIES].reverse()

/** Everything that a list of studies can be narrowed by. */
export function FilterMenu({ state }: { state: StudyListState }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-start"
      shadow="md"
      trapFocus
      returnFocus
      width={420}
    >
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconAdjustments size={15} />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('ui.study-list.filter.add')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={css.filters} aria-label={t('ui.study-list.filter.title')}>
        {isOpen && <Filters state={state} />}
      </Popover.Dropdown>
    </Popover>
  )
}

interface PartProps {
  readonly state: StudyListState
}

function Filters({ state }: PartProps) {
  const { filter, choose } = state
  return (
    <Stack gap={14}>
      <SeverityPart state={state} />
      <StatusPart state={state} />
      {state.area === 'scribe' && <AddendumPart state={state} />}
      <AssignedPart state={state} />
      <CustomerPart state={state} />
      <DaysPart state={state} />
      <Select
        size="xs"
        label={t('ui.study-list.filter.cancelled')}
        allowDeselect={false}
        value={filter.cancelled}
        data={CANCELLED_FILTERS.map((value) => ({
          value,
          label: t(`ui.study-list.filter.cancelledNames.${value}`),
        }))}
        onChange={(one) =>
          choose({
            ...filter,
            cancelled: CANCELLED_FILTERS.find((known) => known === one) ?? 'all',
          })
        }
        comboboxProps={{ withinPortal: false }}
      />
    </Stack>
  )
}

/** Chooses several of a part's values; none is no filter. */
const setValues = (
  { filter, choose }: StudyListState,
  part: 'severity' | 'status',
  values: readonly string[],
) =>
  choose(
    values.length === 0 ? withoutPart(filter, part) : ({ ...filter, [part]: values } as ListFilter),
  )

const SeverityPart = ({ state }: PartProps) => (
  <Part name={t('ui.study-list.filter.severity')}>
    <Chip.Group
      multiple
      value={[...(state.filter.severity ?? [])]}
      onChange={(values) => setValues(state, 'severity', values)}
    >
      {SEVERITIES_DESCENDING.map((one) => (
        <Chip key={one} size="xs" value={one}>
          {t(`ui.study-list.severities.${one}.label`)}
        </Chip>
      ))}
    </Chip.Group>
  </Part>
)

const StatusPart = ({ state }: PartProps) => (
  <Part name={t('ui.study-list.filter.status')}>
    <Chip.Group
      multiple
      value={[...(state.filter.status ?? [])]}
      onChange={(values) => setValues(state, 'status', values)}
    >
      {STATUSES[state.area].map((one) => (
        <Chip key={one} size="xs" value={one}>
          {t(`ui.study-list.statuses.${one}.label`)}
        </Chip>
      ))}
    </Chip.Group>
  </Part>
)

const AddendumPart = ({ state: { filter, choose } }: PartProps) => (
  <Part name={t('ui.study-list.filter.addendum')}>
    <Chip
      size="xs"
      checked={filter.addendum === 'needed'}
      onChange={(isOn) =>
        choose(isOn ? { ...filter, addendum: 'needed' } : withoutPart(filter, 'addendum'))
      }
    >
      {t('ui.study-list.filter.addendumNeeded')}
    </Chip>
  </Part>
)

function AssignedPart({ state: { filter, choose, area } }: PartProps) {
  const { assignedTo } = filter
  const personId = assignedTo === 'me' || assignedTo === 'nobody' ? undefined : assignedTo
  const personName = usePersonName(personId)
  return (
    <Part name={t('ui.study-list.filter.assigned')}>
      <Chip.Group
        value={assignedTo === undefined ? 'anybody' : personId === undefined ? assignedTo : ''}
        onChange={(one) =>
          choose(
            one === 'anybody'
              ? withoutPart(filter, 'assignedTo')
              : { ...filter, assignedTo: one as 'me' | 'nobody' },
          )
        }
      >
        {(['anybody', 'me', 'nobody'] as const).map((one) => (
          <Chip key={one} size="xs" value={one}>
            {t(`ui.study-list.filter.${one}`)}
          </Chip>
        ))}
      </Chip.Group>
      <PersonPicker
        area={area}
        size="xs"
        isBare
        label={t('ui.study-list.filter.person')}
        value={personId === undefined ? null : { id: personId, name: personName }}
        onChange={(one) =>
          choose(
            one === null ? withoutPart(filter, 'assignedTo') : { ...filter, assignedTo: one.id },
          )
        }
      />
    </Part>
  )
}

function CustomerPart({ state: { filter, choose } }: PartProps) {
  const { expressCustomerId } = filter
  const customerId = expressCustomerId === 'none' ? undefined : expressCustomerId
  const customerName = useCustomerName(customerId)
  return (
    <Part name={t('ui.study-list.filter.customer')}>
      <Chip.Group
        value={expressCustomerId === undefined ? 'any' : customerId === undefined ? 'none' : ''}
        onChange={(one) =>
          choose(
            one === 'none'
              ? { ...filter, expressCustomerId: 'none' }
              : withoutPart(filter, 'expressCustomerId'),
          )
        }
      >
        <Chip size="xs" value="any">
          {t('ui.study-list.filter.anyCustomer')}
        </Chip>
        <Chip size="xs" value="none">
          {t('ui.study-list.filter.noCustomer')}
        </Chip>
      </Chip.Group>
      <CustomerPicker
        size="xs"
        isBare
        label={t('ui.study-list.filter.customer')}
        value={customerId === undefined ? null : { id: customerId, name: customerName }}
        onChange={(one) =>
          choose(
            one === null
              ? withoutPart(filter, 'expressCustomerId')
              : { ...filter, expressCustomerId: one.id },
          )
        }
      />
    </Part>
  )
}

/** Days that were typed; a preset is none. */
const isTyped = (
  days: ListFilter['days'],
): days is Exclude<ListFilter['days'], Preset | undefined> => typeof days === 'object'

function DaysPart({ state: { filter, choose, today } }: PartProps) {
  const { days } = filter
  const [isOtherDay, setIsOtherDay] = useState(isTyped(days))
  const typed = isTyped(days) ? days : {}
  const setDay = (name: 'from' | 'to', day: string) => {
    const { [name]: _, ...others } = isTyped(days) ? days : daysOf(days, today)
    const next = { ...others, ...(day !== '' && { [name]: day }) }
    choose(Object.keys(next).length === 0 ? withoutPart(filter, 'days') : { ...filter, days: next })
  }
  return (
    <Part name={t('ui.study-list.filter.days')}>
      <Chip.Group
        value={isOtherDay ? 'custom' : typeof days === 'string' ? days : 'any'}
        onChange={(one) => {
          setIsOtherDay(one === 'custom')
          const preset = PRESETS.find((known) => known === one)
          if (one !== 'custom')
            choose(preset ? { ...filter, days: preset } : withoutPart(filter, 'days'))
        }}
      >
        <Chip size="xs" value="any">
          {t('ui.study-list.filter.anyDay')}
        </Chip>
        {PRESETS.map((one) => (
          <Chip key={one} size="xs" value={one}>
            {t(`ui.study-list.filter.presets.${one}`)}
          </Chip>
        ))}
        <Chip size="xs" value="custom">
          {t('ui.study-list.filter.custom')}
        </Chip>
      </Chip.Group>
      {isOtherDay && (
        <Group gap={8} grow w="100%">
          {(['from', 'to'] as const).map((name) => (
            <DayInput
              key={name}
              size="xs"
              label={t(`ui.study-list.filter.${name}`)}
              max={today}
              value={typed[name] ?? ''}
              onChange={(event) => setDay(name, event.currentTarget.value)}
            />
          ))}
        </Group>
      )}
    </Part>
  )
}

const Part = ({ name, children }: { name: string; children: ReactNode }) => (
  <fieldset className={css.part}>
    <legend>{name}</legend>
    <Group gap={6}>{children}</Group>
  </fieldset>
)
