import { Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type Destination, dashboardDestinations } from '#shared/contract/destinations.ts'
import type { ImageStudy } from '#shared/contract/images.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import type { PriorSearchResult } from './found.ts'
import css from './prior-studies.module.css'

interface FindFormProps {
  readonly destinations: readonly Destination[]
  /** Id of the destination chosen at first. */
  readonly first: string | undefined
  /** Study whose patient is asked for. */
  readonly study: ImageStudy | undefined
  readonly onFound: (found: PriorSearchResult | null) => void
}

/** What is asked for, and of which system. */
export function FindForm({ destinations, first, study, onFound }: FindFormProps) {
  const find = useSend(dashboardDestinations.findPriors)
  const { form, submit } = useContractForm({
    operation: dashboardDestinations.findPriors,
    isQuery: true,
    initialValues: {
      destinationId:
        destinations.find((one) => one.destinationId === first)?.destinationId ??
        destinations[0]?.destinationId ??
        '',
      patientId: study?.patientId ?? '',
      patientName: '',
      accessionNumber: '',
      startDate: '',
      endDate: '',
    },
    bodyOf: ({ destinationId: _, startDate, endDate, ...keys }) => ({
      ...keys,
      startDate: startDate || null,
      endDate: endDate || null,
    }),
    check: ({ patientId, patientName, accessionNumber }) =>
      `${patientId}${patientName}${accessionNumber}`.trim() === ''
        ? { patientId: t('ui.prior-studies.form.oneOf') }
        : {},
    send(body, onError) {
      const { destinationId } = form.values
      onFound(null)
      find.mutate(
        { params: { destinationId }, body },
        { onSuccess: (reply) => onFound({ ...reply, destinationId }), onError },
      )
    },
  })
  return (
    <Panel>
      <form onSubmit={submit} noValidate>
        <Stack gap={10}>
          <div className={css.form}>
            <Select
              label={t('ui.prior-studies.form.destination')}
              allowDeselect={false}
              data={destinations.map((one) => ({ value: one.destinationId, label: one.name }))}
              {...form.getInputProps('destinationId')}
            />
            <TextInput
              label={t('ui.prior-studies.form.patientId')}
              maxLength={64}
              {...form.getInputProps('patientId')}
            />
            <TextInput
              label={t('ui.prior-studies.form.patientName')}
              placeholder={t('ui.prior-studies.form.nameExample')}
              maxLength={64}
              {...form.getInputProps('patientName')}
            />
            <TextInput
              label={t('ui.prior-studies.form.accessionNumber')}
              maxLength={16}
              {...form.getInputProps('accessionNumber')}
            />
            <DayInput
              label={t('ui.prior-studies.form.from')}
              {...form.getInputProps('startDate')}
            />
            <DayInput label={t('ui.prior-studies.form.to')} {...form.getInputProps('endDate')} />
          </div>
          <div className={css.bar}>
            <Text size="sm" c="dimmed">
              {t('ui.prior-studies.form.idsDiffer')}
            </Text>
            <Button type="submit" leftSection={<IconSearch size={16} />} loading={find.isPending}>
              {t('ui.prior-studies.form.find')}
            </Button>
          </div>
          {find.error && find.error.errors.length === 0 && <ErrorNotice error={find.error} />}
        </Stack>
      </form>
    </Panel>
  )
}
